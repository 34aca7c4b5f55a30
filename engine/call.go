package engine

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// Call is one attempt at a node, as [Options.Call] sees it. It ends with [Call.Here] or
// [Call.Put], and is of no use after that.
type Call struct {
	a   *attempt
	out []any
}

func (c *Call) node() *planNode { return &c.a.x.plan.nodes[c.a.node] }

// Path returns the path of the node: "fmt", "loop/3/fmt".
func (c *Call) Path() string { return c.a.x.pathOf(c.a.node) }

// Type returns the type of the node.
func (c *Call) Type() string { return c.node().typ }

// Number returns which attempt this is, from 1.
func (c *Call) Number() int { return int(c.a.number) }

// Again reports whether this attempt may have begun before the run was interrupted.
func (c *Call) Again() bool { return c.a.resumed }

// Computes reports whether the node only computes, so that calling it has no side effect.
func (c *Call) Computes() bool { return c.node().computes }

// Container reports whether the node only runs bodies, whose nodes get their own calls.
func (c *Call) Container() bool { return c.node().mode == modeContainer }

// Once reports whether a second call of the node might repeat a side effect, and the workflow allows
// no retries: an attempt whose outcome is unknown then fails.
func (c *Call) Once() bool { return c.node().repeatsOnlyOnce() }

// Timeout returns how long the attempt may take.
func (c *Call) Timeout() time.Duration { return c.node().timeout }

// Inputs returns the inputs of the call, by port. They may contain secrets of the run.
func (c *Call) Inputs() map[string]any {
	inputs := make(map[string]any, len(c.a.in))
	for k, v := range c.a.in {
		if node.Present(v) {
			inputs[c.node().inputs[k].Name] = v
		}
	}
	return inputs
}

// Here calls the node in this process. ctx must be the context of Options.Call or derived from it.
func (c *Call) Here(ctx context.Context) error { return c.node().call(ctx, c.a.in, c.out) }

// MarkRemote marks the call as at work in another process, which continues whether or not this one
// waits. So the run may be handed off meanwhile; see [Options.Leave]. Callers must call back when
// the wait is over.
func (c *Call) MarkRemote() (back func()) { return c.a.x.control.onHandOff().markRemote(c.a) }

// Put ends the attempt with outputs of the node from another process, by port.
func (c *Call) Put(outputs map[string]any) error {
	ports := c.node().outputs
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		k := slices.IndexFunc(ports, func(p node.Port) bool { return p.Name == name })
		if k < 0 {
			return node.Errorf(node.CodeTypeError, "the node has put out %q, and has no such output", name)
		}
		v, err := node.Accept(&ports[k], outputs[name])
		if err != nil {
			return err
		}
		c.out[k] = v
	}
	return nil
}

// dispatch calls the node of a, here or through Options.Call.
func (a *attempt) dispatch(ctx context.Context, out []any) error {
	n := &a.x.plan.nodes[a.node]
	g := a.x.control
	if g == nil {
		return call(ctx, n.call, a.in, out)
	}
	if err := yieldCause(g.ctx); err != nil { //nolint:contextcheck // the context of a may end later
		return err // no event of the call was emitted
	}
	if g.parking != nil && n.mode != modeContainer {
		g.parking.called()
		defer g.parking.returned()
	}
	if g.call == nil {
		return call(ctx, n.call, a.in, out)
	}
	c := &Call{a: a, out: out}
	return call(ctx, func(ctx context.Context, _, _ []any) error { return g.call(ctx, c) }, a.in, out)
}

// notDone returns the failure of a node whose outputs say that its action did not happen,
// if nothing uses these outputs. cause is what the node said about it, or nil.
func (n *planNode) notDone(out []any, cause error) error {
	if n.success < 0 || out[n.success] != false {
		return nil
	}
	if cause != nil {
		return cause
	}
	for k := range n.outputs { // of pins and other processes
		if text, ok := out[k].(string); ok && n.outputs[k].Outcome {
			return node.Errorf(node.CodeFailed, "%s", text)
		}
	}
	return node.Errorf(node.CodeFailed, "the action did not happen")
}

// stackError carries the stack of a panic to the log.
type stackError string

func (s stackError) Error() string { return string(s) }

// call calls a node and turns a panic into an error.
func call(ctx context.Context, c node.Call, in, out []any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &node.Error{Code: node.CodePanic, Message: fmt.Sprintf("the node panicked: %v", p), Err: stackError(debug.Stack())}
		}
	}()
	return c(ctx, in, out)
}

// Asked is a request for one attempt at a node whose run belongs to another process, where
// [Options.Call] sent it. Both processes have the same plan.
type Asked struct {
	RunID string
	Path  string // of the node: "fmt", "loop/3/fmt"
	// Inputs are the inputs of the call, by port; see [Call.Inputs].
	Inputs map[string]any
	// Progress, if set, is called with the progress of the node. It must be quick.
	Progress func(step, total int, message string)
	// Secrets are redacted in the answer, in addition to those that the node conceals.
	Secrets []string
	// State is the state that the node uses; nil for none.
	State node.State
}

// Answered is the result of an attempt at a node, with secrets redacted.
type Answered struct {
	Outputs map[string]any // by output
	// Err is the failure of the attempt, or nil.
	Err *node.Error
}

// Answerer calls single nodes for runs of other processes. [Local] does so in this process.
type Answerer interface {
	// Answer makes one attempt at a node of p, with the node's timeout. It returns an error if
	// there is no such node or ctx ends.
	Answer(ctx context.Context, p *Plan, c Asked) (Answered, error)
}

var _ Answerer = (*Local)(nil)

// Answer implements [Answerer]. It does not call AtEnd functions of the node.
func (l *Local) Answer(ctx context.Context, p *Plan, c Asked) (Answered, error) {
	j := &job{local: l, runID: c.RunID, atOnce: 1, state: c.State, answers: true}
	j.hide(c.Secrets)
	j.begin(time.Time{})
	j.memory.most, j.computing.most = l.runMemory(0), l.RunCPU
	ctx = l.Memory.enter(ctx, &j.memory, nil)
	defer j.memory.leave()
	var ended Event
	j.events = &recorder{runID: c.RunID, ctx: ctx, observe: func(e Event) {
		switch {
		case e.NodeID != c.Path: // a node after the requested one, which is not called here
		case e.Name == EventNode:
			ended = e
		case e.Name == EventProgress && c.Progress != nil:
			c.Progress(e.Step, e.Total, e.Message)
		}
	}}
	x, a, err := j.attemptAt(p, &c)
	if err != nil {
		return Answered{}, err
	}
	x.resume(ctx, a)
	x.awaitAnswer(ctx, a)
	if !a.called.Load() {
		return Answered{}, context.Cause(ctx)
	}
	if a.err == nil {
		x.endAfter(ctx, a)
	} else {
		x.end(a.node, a.err)
	}
	if ended.Error == nil {
		return Answered{Outputs: ended.Outputs}, nil
	}
	return Answered{Err: &node.Error{
		Code: ended.Error.Code, Message: ended.Error.Message, Permanent: node.IsPermanent(a.err), RetryAfter: node.RetryAfter(a.err),
	}}, nil
}

// attemptAt returns the attempt that c asks for, and an execution for it.
func (j *job) attemptAt(p *Plan, c *Asked) (*execution, *attempt, error) {
	parts := strings.Split(c.Path, "/")
	n, in, missing := p.find(withoutRounds(parts))
	if n == nil || n.role != node.RoleStep || n.mode == modeContainer {
		return nil, nil, node.Errorf(node.CodeInvalidInput, "the run has no node %q that can be called by itself (%s)", c.Path, missing)
	}
	inputs := make([]any, len(n.inputs))
	for k := range n.inputs {
		port := &n.inputs[k]
		v, given := c.Inputs[port.Name]
		if !given {
			inputs[k] = node.Absent{}
			continue
		}
		var err error
		if inputs[k], err = conformInput(port, port.Type, v); err != nil {
			return nil, nil, err
		}
	}
	x := newExecution(j, in, nil)
	x.path, x.depth = strings.TrimSuffix(c.Path, n.id), len(parts)/2
	x.reports = make(chan *attempt, 16)
	i := slices.IndexFunc(in.nodes, func(o planNode) bool { return o.id == n.id })
	return x, &attempt{x: x, node: int32(i), number: 1, in: inputs}, nil
}

// awaitAnswer waits for the only call of x to end.
func (x *execution) awaitAnswer(ctx context.Context, a *attempt) {
	select {
	case <-x.reports:
	case <-ctx.Done():
		giveUp := time.AfterFunc(x.grace(), a.abandon)
		<-x.reports
		giveUp.Stop()
	}
	x.now = x.since()
	if ctx.Err() != nil && a.err == nil && !a.called.Load() {
		a.err = fmt.Errorf("not called: %w", ctx.Err())
	}
	if !a.abandoned && a.err != nil {
		a.giveBack()
	}
}
