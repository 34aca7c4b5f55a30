package nodetest

import (
	"context"
	"math/rand/v2"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// body is a fake body of a container. Its behaviour in a step depends only on its seed and
// the number of the step. It is safe for concurrent use.
type body struct{ seed uint64 }

// Inputs implements [node.Body].
func (body) Inputs() []node.Port {
	return []node.Port{
		{Name: "item", Type: value.Any(), Optional: true},
		{Name: "total", Type: value.Int(), Default: 0},
	}
}

// Outputs implements [node.Body]. Every container can use these outputs.
func (body) Outputs() []node.Port {
	return []node.Port{
		{Name: "total", Type: value.Int()},
		{Name: "other", Type: value.Any()},
		{Name: "continue", Type: value.Bool()},
	}
}

// Run implements [node.Body]: it emits some of its outputs, or fails.
func (b body) Run(ctx context.Context, step int, _ map[string]any) (map[string]any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := &generator{Rand: rand.New(rand.NewPCG(b.seed, uint64(step)))}
	outputs := map[string]any{}
	for _, p := range b.Outputs() {
		if g.IntN(8) > 0 {
			outputs[p.Name] = g.value(p.Type, 2)
		}
	}
	if g.IntN(8) == 0 {
		return nil, node.Errorf(node.CodeFailed, "step %d fails", step)
	}
	return outputs, nil
}
