package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// State returns what is kept under a key of a workflow, or with no workflow of all of them;
// the error has the code no_state if that is nothing.
func (c *Client) State(ctx context.Context, workflowID, key string) (run.State, error) {
	var kept run.State
	err := c.get(ctx, statePath(workflowID, key), &kept)
	return kept, err
}

// States lists what is kept for a workflow, or with no workflow for all of them, sorted by
// key; cursor is where the page before has ended.
func (c *Client) States(ctx context.Context, workflowID, cursor string) (run.StatePage, error) {
	path := "/state/shared"
	if workflowID != "" {
		path = "/state/workflow/" + url.PathEscape(workflowID)
	}
	if cursor != "" {
		path += "?cursor=" + url.QueryEscape(cursor)
	}
	var page run.StatePage
	err := c.get(ctx, path, &page)
	return page, err
}

// SetState puts a value under a key, provided that cond holds, whose digests are revisions;
// else the error has the code precondition_failed. ttl, unless it is 0, is after which time
// the value is forgotten.
func (c *Client) SetState(ctx context.Context, workflowID, key string, v any, ttl time.Duration, cond workflow.Condition) (run.State, error) {
	body := value.Append([]byte(`{"value":`), v)
	if ttl != 0 {
		body = value.AppendText(append(body, `,"ttl":`...), ttl.String())
	}
	var kept run.State
	err := c.call(ctx, http.MethodPut, statePath(workflowID, key), headerOf(cond), append(body, '}'), &kept)
	return kept, err
}

// DeleteState deletes what is kept under a key, provided that cond holds.
func (c *Client) DeleteState(ctx context.Context, workflowID, key string, cond workflow.Condition) error {
	return c.call(ctx, http.MethodDelete, statePath(workflowID, key), headerOf(cond), nil, nil)
}

func statePath(workflowID, key string) string {
	if workflowID == "" {
		return "/state/shared/" + url.PathEscape(key)
	}
	return "/state/workflow/" + url.PathEscape(workflowID) + "/" + url.PathEscape(key)
}
