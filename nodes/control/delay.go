package control

import (
	"context"
	"math"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// delayNode is control.delay.
func delayNode() node.Node {
	spec := node.Spec{
		Type: "control.delay", Label: "Delay", Timeout: node.BodyTimeout,
		Aliases: node.Words("wait, sleep, pause, timer", "warten, pause, verzögerung"),
		Example: &node.Example{Config: map[string]any{"ms": 100}},
		Description: "Waits, then hands its value on. A wait of more than 24 hours needs a longer timeout on the node.\n\n" +
			"Example: `ms` = `1500`.",
		Inputs: []node.Port{
			{Name: "ms", Type: value.Int(), Description: "How long to wait, in milliseconds."},
			{Name: "value", Type: value.Any(), Optional: true, Description: "What to hand on."},
		},
		Outputs: []node.Port{{Name: "value", Type: value.Any(), Description: "The same value, null if there is none."}},
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, delay)}
}

func delay(ctx context.Context, in, out []any) error {
	ms := in[0].(int)
	if ms < 0 {
		return node.Errorf(node.CodeInvalidInput, "ms is %d; a wait cannot be negative", ms)
	}
	if err := node.Wait(ctx, time.Duration(min(ms, int(math.MaxInt64/time.Millisecond)))*time.Millisecond); err != nil {
		return err
	}
	out[0] = nil
	if node.Present(in[1]) {
		out[0] = in[1]
	}
	return nil
}
