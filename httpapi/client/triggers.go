package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// Activate activates a workflow that is stored on the server, and replaces an earlier activation.
func (c *Client) Activate(ctx context.Context, workflowID string, how run.Arming) (run.Activation, error) {
	body := []byte(`{"onInterrupted":"resume"`)
	if how.OnInterrupted != "" {
		body = value.AppendText([]byte(`{"onInterrupted":`), string(how.OnInterrupted))
	}
	if how.Revision != 0 {
		body = strconv.AppendInt(append(body, `,"revision":`...), int64(how.Revision), 10)
	}
	if how.Concurrency != 0 {
		body = strconv.AppendInt(append(body, `,"concurrency":`...), int64(how.Concurrency), 10)
	}
	var made run.Activation
	err := c.post(ctx, workflowPath(workflowID)+"/activation", append(body, '}'), &made)
	return made, err
}

// Activation describes an active workflow. If it is not active, the error has the code not_active.
func (c *Client) Activation(ctx context.Context, workflowID string) (run.Activation, error) {
	var active run.Activation
	err := c.get(ctx, workflowPath(workflowID)+"/activation", &active)
	return active, err
}

// Deactivate deactivates a workflow, and drops its waiting firings.
func (c *Client) Deactivate(ctx context.Context, workflowID string) error {
	return c.call(ctx, http.MethodDelete, workflowPath(workflowID)+"/activation", nil, nil, nil)
}

// Activations describes all active workflows, sorted by id.
func (c *Client) Activations(ctx context.Context) ([]run.Activation, error) {
	var all []run.Activation
	err := c.get(ctx, "/activations", &all)
	return all, err
}

// Triggers describes all armed triggers, in the order in which they fire next.
func (c *Client) Triggers(ctx context.Context) ([]run.Trigger, error) {
	var all []run.Trigger
	err := c.get(ctx, "/triggers", &all)
	return all, err
}

// LastFiring returns the last output of a trigger of an active workflow. If the trigger has never
// fired, the error has the code never_fired.
func (c *Client) LastFiring(ctx context.Context, workflowID, nodeID string) (run.LastFiring, error) {
	var last run.LastFiring
	err := c.get(ctx, "/triggers/"+url.PathEscape(workflowID)+"/"+url.PathEscape(nodeID)+"/last", &last)
	return last, err
}
