package main

import (
	"context"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// typed is what knows node types: this program, or a server.
type typed interface {
	NodeTypes(ctx context.Context) ([]*node.Spec, error)
}

// fire asks for what --trigger and --payload say: without them for the first trigger that
// is not disabled, which it names, since somebody who tries a workflow by hand means to see
// it run.
func (c *runCmd) fire(ctx context.Context, h *host, types typed, def *workflow.Definition, q *run.Request) error {
	q.Trigger = c.Trigger
	if q.Trigger == "" {
		specs, err := types.NodeTypes(ctx)
		if err != nil {
			return err
		}
		if q.Trigger = engine.FirstTrigger(def, specs); q.Trigger != "" && !c.Quiet {
			h.errorf("the trigger %q fires; name another one with --trigger", q.Trigger)
		}
	}
	if c.Payload == "" {
		return nil
	}
	var err error
	q.Payload, err = h.payload(c.Payload)
	return err
}

// payload reads what a trigger is to put out.
func (h *host) payload(name string) (map[string]any, error) {
	text, err := h.read(name)
	if err != nil {
		return nil, err
	}
	v, err := value.Decode(text)
	if err != nil {
		return nil, usagef("--payload %s: %w", name, err)
	}
	payload, ok := v.(map[string]any)
	if !ok {
		return nil, usagef("--payload %s: it is an object, output to value", name)
	}
	return payload, nil
}
