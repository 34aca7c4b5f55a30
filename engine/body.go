package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine/node"
)

// body is the plan inside a container node; see node.Body.
type body struct{ plan *Plan }

func newBody(p *Plan) node.Body {
	if p == nil {
		return nil
	}
	return &body{p}
}

// Inputs implements node.Body.
func (b *body) Inputs() []node.Port { return b.plan.Inputs() }

// Outputs implements node.Body.
func (b *body) Outputs() []node.Port { return b.plan.Outputs() }

// Run implements node.Body. Inputs that the body does not have are passed over.
func (b *body) Run(ctx context.Context, step int, inputs map[string]any) (map[string]any, error) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return nil, errors.New("a body runs only inside a run of its container")
	}
	values, wrong := b.plan.bindInputs(inputs, conformPort)
	if problems := wrong.sorted(); len(problems) > 0 {
		return nil, &node.Error{Code: problems[0].Code, Message: problems[0].Message, Permanent: true, Err: problems}
	}
	x := newExecution(a.x.job, b.plan, values)
	x.owner, x.path, x.depth = a, a.x.pathInto(a.node, step), a.x.depth+1
	x.step, x.recall = step, a.recallInside()
	var own bool
	if x.worker, own = slotOf(ctx, a); own {
		defer x.worker.Release()
	}
	defer x.giveBack()
	if x.pins != nil {
		x.inside = a.x.inside + a.x.plan.nodes[a.node].id + "/"
	}
	x.run(ctx)
	switch x.status() {
	case StatusCancelled:
		return nil, context.Cause(ctx)
	case StatusFailed:
		return nil, b.failure(x)
	default:
		return x.outputMap(), nil
	}
}

// failure wraps the first unhandled failure of x so that its code stays and the
// message names the inner node.
func (b *body) failure(x *execution) error {
	err := x.nodes[x.failed].err
	return &node.Error{
		Code: node.CodeOf(err), Message: fmt.Sprintf("node %q: %v", x.plan.nodes[x.failed].id, err),
		Permanent: node.IsPermanent(err), Err: err,
	}
}
