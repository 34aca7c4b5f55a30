package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// runOnServer runs the workflow on the server instead of here.
func (c *runCmd) runOnServer(ctx context.Context, h *host, server *client.Client) error {
	id, order, err := c.start(ctx, h, server)
	if err != nil {
		return err
	}
	if c.Detach {
		return c.answer(h, startedRun{id}, id+"\n")
	}
	observe, end := func(engine.Event) {}, func() {}
	if !c.Quiet {
		observe, end = h.progress()
	}
	result, err := follow(ctx, server, id, observe)
	end()
	if err != nil {
		return errors.Join(err, cancelled(ctx, server, id))
	}
	r := fetched{result}
	if order == nil {
		order = slices.Sorted(maps.Keys(r.Outputs()))
	}
	if err := c.print(h.stdout, r, order); err != nil {
		return err
	}
	err = c.saveAll(ctx, h, r.Outputs(), func(ctx context.Context, path string, w io.Writer) error {
		_, err := server.Download(ctx, path, w)
		return err
	})
	return errors.Join(err, h.outcome(r))
}

// startedRun is what commands answer that start a run and leave it alone.
type startedRun struct {
	RunID string `json:"runId"`
}

// start starts the run and returns its id, and the names of the outputs in their
// order if that is known here.
func (c *runCmd) start(ctx context.Context, h *host, server *client.Client) (id string, outputs []string, err error) {
	def, err := h.load(ctx, server.Workflow, c.Workflow)
	if err != nil {
		return "", nil, err
	}
	a, err := h.open(c.dir())
	if err != nil {
		return "", nil, err
	}
	var o run.Request
	if o.Overrides, err = c.overrides(a, def); err != nil {
		return "", nil, err
	}
	in, outputs, err := guessInterface(ctx, a, def, o.Overrides)
	if err != nil {
		return "", nil, err
	}
	if o.Inputs, err = c.inputs(h, in, c.sending(ctx, h, server.Upload)); err != nil {
		return "", nil, err
	}
	if err := c.fire(ctx, h, server, def, &o); err != nil {
		return "", nil, err
	}
	if !isWorkflowHere(c.Workflow) {
		id, err = server.StartStored(ctx, def.ID, o)
	} else {
		id, err = server.Start(ctx, def, o)
	}
	return id, outputs, err
}

// guessInterface returns the inputs and the names of the outputs of a workflow.
// One with node types or sub-workflows that only the server has tells nothing
// here: then values are read as if any type would do.
func guessInterface(ctx context.Context, a *app.App, def *workflow.Definition, overrides map[string]map[string]any) ([]node.Port, []string, error) {
	in, out, err := a.Interface(ctx, def, overrides)
	if errors.As(err, new(engine.ValidationErrors)) {
		return nil, nil, nil
	}
	return in, portNames(out), err
}
