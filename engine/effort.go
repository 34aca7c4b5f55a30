package engine

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

func newCompiler(ctx context.Context, env Env) *compiler {
	c := &compiler{env: env, stored: map[string]*storedBody{}, effort: effort{ctx: ctx}}
	c.types.Step = c.compare
	return c
}

// effort is what a Compile has spent. It bounds what does not grow with the document
// alone, and notices that nobody waits for the answer any more.
type effort struct {
	ctx      context.Context // lives as long as the call of Compile
	steps    int
	compared int // members and fields of types
	types    value.Comparison
	err      error // why to stop: of ctx, of Env.Load, or that it is too much
}

// checkEvery is how many steps lie between two looks at the context.
const checkEvery = 10_000

// step counts a step and says whether to go on.
func (e *effort) step() bool {
	if e.steps++; e.steps%checkEvery == 0 && e.err == nil {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// compare is step for the comparison of types: each type of a document can be wired to
// each other one.
func (e *effort) compare() bool {
	if e.compared++; e.compared > limit.Comparisons && e.err == nil {
		e.err = tooMuch("the types on both ends of the connections have more than %d fields and members to compare", limit.Comparisons)
	}
	return e.step()
}

func tooMuch(format string, args ...any) ValidationErrors {
	return ValidationErrors{{
		Code: CodeLimitExceeded, Message: fmt.Sprintf(format, args...),
		Hint: "split the workflow and call the parts as sub-workflows",
	}}
}

// countPorts bounds the ports that node i adds to those of all nodes: a few bytes can call
// a workflow of very many inputs.
func (l *level) countPorts(i int32) {
	n := &l.plan.nodes[i]
	l.ports += len(n.inputs) + len(n.outputs)
	if most := l.env.Limits.Ports; most > 0 && l.ports > most && l.err == nil {
		l.err = tooMuch("the nodes have more than %d inputs and outputs together", most)
	}
}

func (l *level) withinLimits() bool {
	l.nodes += len(l.def.Nodes)
	l.connections += len(l.def.Connections)
	limits := l.env.Limits
	exceeded := func(what string, n, limit int) bool {
		if limit == 0 || n <= limit {
			return false
		}
		l.add(-1, tooMuch("%d %s; the limit is %d", n, what, limit)[0])
		return true
	}
	return !exceeded("nodes", l.nodes, limits.Nodes) &&
		!exceeded("connections", l.connections, limits.Connections) &&
		!exceeded("levels of bodies", l.depth-1, limits.Depth)
}
