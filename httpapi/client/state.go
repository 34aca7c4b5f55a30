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

// State returns the value of a key of a workflow, or, without a workflow, a shared value. If the
// key has no value, the error has the code no_state.
func (c *Client) State(ctx context.Context, workflowID, key string) (run.State, error) {
	var kept run.State
	err := c.get(ctx, statePath(workflowID, key), &kept)
	return kept, err
}

// States lists a page of the values of a workflow, or, without a workflow, of the shared values,
// sorted by key. cursor is the cursor of the previous page.
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

// SetState sets the value of a key if cond holds. Digests in cond are revisions. Otherwise the
// error has the code precondition_failed. The value expires after ttl, unless ttl is 0.
func (c *Client) SetState(ctx context.Context, workflowID, key string, v any, ttl time.Duration, cond workflow.Condition) (run.State, error) {
	body := value.Append([]byte(`{"value":`), v)
	if ttl != 0 {
		body = value.AppendText(append(body, `,"ttl":`...), ttl.String())
	}
	var kept run.State
	err := c.call(ctx, http.MethodPut, statePath(workflowID, key), headerOf(cond), append(body, '}'), &kept)
	return kept, err
}

// DeleteState deletes the value of a key if cond holds.
func (c *Client) DeleteState(ctx context.Context, workflowID, key string, cond workflow.Condition) error {
	return c.call(ctx, http.MethodDelete, statePath(workflowID, key), headerOf(cond), nil, nil)
}

func statePath(workflowID, key string) string {
	if workflowID == "" {
		return "/state/shared/" + url.PathEscape(key)
	}
	return "/state/workflow/" + url.PathEscape(workflowID) + "/" + url.PathEscape(key)
}
