package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
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

// Run implements node.Body. It ignores inputs that the body does not have.
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
	a.warnings.Add(int32(x.warnings()))
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

// storedBody is a stored workflow compiled for use as a body, or the problems in it.
type storedBody struct {
	plan     *Plan
	problems []node.Problem
}

// load compiles the stored workflow id for use as a body, once per Compile.
func (c *compiler) load(id string) (*Plan, []node.Problem) {
	if slices.Contains(c.opened, id) {
		around := append(slices.Clone(c.opened[slices.Index(c.opened, id):]), id)
		return nil, []node.Problem{{
			Code:    CodeCycleDetected,
			Message: "the workflow calls itself: " + strings.Join(around, " → "),
		}}
	}
	if s, ok := c.stored[id]; ok {
		return s.plan, s.problems
	}
	s := &storedBody{}
	s.plan, s.problems = c.compileStored(id)
	c.stored[id] = s
	return s.plan, s.problems
}

func (c *compiler) compileStored(id string) (*Plan, []node.Problem) {
	def, err := c.fetch(id)
	if errors.Is(err, workflow.ErrNotFound) {
		return nil, []node.Problem{{
			Code: CodeUnknownWorkflow, Message: fmt.Sprintf("there is no stored workflow %q", brief(id)), Hint: "save it first, or name another",
		}}
	}
	if err != nil {
		c.err = errors.Join(c.err, fmt.Errorf("load workflow %q: %w", id, err))
		return nil, []node.Problem{{Code: CodeUnknownWorkflow, Message: fmt.Sprintf("the stored workflow %q could not be loaded", brief(id))}}
	}
	c.loaded = append(c.loaded, id)
	c.opened = append(c.opened, id)
	defer func() { c.opened = c.opened[:len(c.opened)-1] }()
	inner := &problems{}
	plan := c.compile(def, inner, "")
	if inner.count() == 0 {
		return plan, nil
	}
	return nil, []node.Problem{summary(id, inner.sorted())}
}

// summary combines all problems in the stored workflow id into one, because many places may
// call it and each reports the problem.
func summary(id string, found ValidationErrors) node.Problem {
	first, code := found[0], CodeInvalidBody
	if i := slices.IndexFunc(found, func(e *ValidationError) bool { return e.Code == CodeCycleDetected }); i >= 0 {
		first, code = found[i], CodeCycleDetected
	}
	message := fmt.Sprintf("in the stored workflow %q: %v", brief(id), first)
	if n := found.Total(); n > 1 { // first, because a long message is shortened in the middle and its end names the cause
		message = fmt.Sprintf("one of %d problems ", n) + message
	}
	return node.Problem{Code: code, Message: message, Hint: first.Hint}
}

func (c *compiler) fetch(id string) (*workflow.Definition, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	if c.env.Load == nil {
		return nil, workflow.ErrNotFound
	}
	return c.env.Load(c.ctx, id)
}
