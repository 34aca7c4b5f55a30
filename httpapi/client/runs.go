package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Execute runs def on the server, waits for its end and returns the result. The run is not
// recorded, and ends with ctx.
func (c *Client) Execute(ctx context.Context, def *workflow.Definition) (*engine.Result, error) {
	var result engine.Result
	if err := c.post(ctx, "/execute", def.AppendJSON(nil), &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// Start starts a run of def on the server and returns its id. The run continues when the client
// disconnects.
func (c *Client) Start(ctx context.Context, def *workflow.Definition, o run.Request) (runID string, err error) {
	body := append([]byte(`{"workflow":`), def.AppendJSON(nil)...)
	return c.start(ctx, "/executions", append(appendStart(append(body, ','), o), '}'), o)
}

// StartStored starts a run of a workflow that is stored on the server.
func (c *Client) StartStored(ctx context.Context, id string, o run.Request) (runID string, err error) {
	body := appendStart([]byte(`{"async":true,`), o)
	return c.start(ctx, workflowPath(id)+"/run", append(body, '}'), o)
}

func (c *Client) start(ctx context.Context, path string, body []byte, o run.Request) (string, error) {
	header := http.Header{}
	if o.IdempotencyKey != "" {
		header.Set("Idempotency-Key", o.IdempotencyKey)
	}
	var started startedRun
	err := c.call(ctx, http.MethodPost, path, header, body, &started)
	return started.RunID, err
}

type startedRun struct {
	RunID string `json:"runId"`
}

// appendStart appends the members of a request that set inputs, overrides and trigger.
func appendStart(dst []byte, o run.Request) []byte {
	overrides := make(map[string]any, len(o.Overrides))
	for id, ports := range o.Overrides {
		overrides[id] = ports
	}
	inputs := o.Inputs
	if inputs == nil {
		inputs = map[string]any{}
	}
	dst = append(dst, `"inputs":`...)
	dst = value.Append(dst, inputs)
	dst = append(dst, `,"overrides":`...)
	dst = value.Append(dst, overrides)
	if o.Trigger != "" {
		dst = value.AppendText(append(dst, `,"trigger":`...), o.Trigger)
	}
	if len(o.Payload) > 0 {
		dst = value.Append(append(dst, `,"payload":`...), o.Payload)
	}
	return dst
}

// Runs describes runs of the server, newest first.
func (c *Client) Runs(ctx context.Context, q run.Query) (run.Page, error) {
	query := url.Values{}
	if q.WorkflowID != "" {
		query.Set("workflowId", q.WorkflowID)
	}
	if q.Status != engine.StatusPending {
		query.Set("status", q.Status.String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	var page run.Page
	err := c.get(ctx, "/executions?"+query.Encode(), &page)
	return page, err
}

// Run describes a run, with its complete result if it has ended.
func (c *Client) Run(ctx context.Context, runID string) (run.Record, error) {
	var record run.Record
	err := c.get(ctx, runPath(runID)+"?full=true", &record)
	return record, err
}

// RunInputs returns the inputs of a run.
func (c *Client) RunInputs(ctx context.Context, runID string) (map[string]any, error) {
	var text json.RawMessage
	if err := c.get(ctx, runPath(runID)+"/inputs", &text); err != nil {
		return nil, err
	}
	v, err := value.Decode(text)
	inputs, _ := v.(map[string]any)
	return inputs, err
}

// RunFiles lists the files of a run, by path.
func (c *Client) RunFiles(ctx context.Context, runID string) ([]run.File, error) {
	var files []run.File
	err := c.get(ctx, runPath(runID)+"/files", &files)
	return files, err
}

// RunWorkflow returns the workflow of a run as it was when the run started.
func (c *Client) RunWorkflow(ctx context.Context, runID string) (*workflow.Definition, error) {
	return c.definition(ctx, runPath(runID)+"/workflow")
}

// Cancel requests the cancellation of a run; its last event shows when it has ended.
func (c *Client) Cancel(ctx context.Context, runID string) error {
	return c.post(ctx, runPath(runID)+"/cancel", nil, nil)
}

// DeleteRun deletes a run that has ended.
func (c *Client) DeleteRun(ctx context.Context, runID string) error {
	return c.call(ctx, http.MethodDelete, runPath(runID), nil, nil, nil)
}

// Resume starts a run that continues one that has ended, and returns the id of the new run.
func (c *Client) Resume(ctx context.Context, runID string, how run.Resumption) (newRunID string, err error) {
	body := []byte(`{"workflow":"recorded"`)
	switch {
	case how.Workflow != nil:
		body = how.Workflow.AppendJSON([]byte(`{"workflow":`))
	case how.Current:
		body = []byte(`{"workflow":"current"`)
	}
	if len(how.Inputs) > 0 {
		body = value.Append(append(body, `,"inputs":`...), how.Inputs)
	}
	if how.From != "" {
		body = value.AppendText(append(body, `,"from":`...), how.From)
	}
	var started startedRun
	err = c.post(ctx, runPath(runID)+"/resume", append(body, '}'), &started)
	return started.RunID, err
}

func runPath(runID string) string { return "/executions/" + url.PathEscape(runID) }
