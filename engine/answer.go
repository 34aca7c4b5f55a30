package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// Asked is one attempt at a node whose run goes on elsewhere: there, [Options.Call] has led it
// to a process that has the same plan.
type Asked struct {
	RunID string
	Path  string // of the node: "fmt", "loop/3/fmt"
	// Inputs is what the node is called with, by input; see [Call.Inputs].
	Inputs map[string]any
	// Progress, if set, is told how far the node has come. It must be quick.
	Progress func(step, total int, message string)
	// Secrets are hidden in what comes of it, besides those that the node uses.
	Secrets []string
	// State is what the node finds in the context of its call; nil for none.
	State node.State
}

// Answered is what came of an attempt at a node, as the run may show it: without secrets.
type Answered struct {
	Outputs map[string]any // by output
	// Err is why it failed; nil if it did not.
	Err *node.Error
}

// Answerer calls single nodes for runs that go on elsewhere. [Local] does so in this process.
type Answerer interface {
	// Answer makes one attempt at a node of p. It has the time that the node has for one. Its
	// error says that there is no such node, or is that of ctx.
	Answer(ctx context.Context, p *Plan, c Asked) (Answered, error)
}

var _ Answerer = (*Local)(nil)

// Answer implements [Answerer]. What the node wants done at the end of its run is not done.
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
		case e.NodeID != c.Path: // what lies behind it, and is not called here
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

// attemptAt returns the attempt that somebody asks for, and the execution that it stands in.
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

// awaitAnswer waits for the only call of x.
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
