package engine

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
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

// Again reports whether this attempt may have been begun before the run was interrupted.
func (c *Call) Again() bool { return c.a.resumed }

// Computes reports whether the node does nothing but compute, so that nobody notices
// whether it was called.
func (c *Call) Computes() bool { return c.node().computes }

// Container reports whether the node does nothing but run bodies, whose nodes have calls
// of their own.
func (c *Call) Container() bool { return c.node().mode == modeContainer }

// Once reports whether a second call of the node might do something twice, which its author
// has not allowed: an attempt of which nobody knows how it ended fails.
func (c *Call) Once() bool { return c.node().repeatsOnlyOnce() }

// Timeout returns how long the attempt may take.
func (c *Call) Timeout() time.Duration { return c.node().timeout }

// Inputs returns what the node is called with, by input. They may hold secrets of the run.
func (c *Call) Inputs() map[string]any {
	inputs := make(map[string]any, len(c.a.in))
	for k, v := range c.a.in {
		if node.Present(v) {
			inputs[c.node().inputs[k].Name] = v
		}
	}
	return inputs
}

// Here calls the node in this process. ctx is the one that Options.Call was called with, or
// descends from it.
func (c *Call) Here(ctx context.Context) error { return c.node().call(ctx, c.a.in, c.out) }

// MarkRemote says that what is called is elsewhere, and goes on there whoever waits for it here, so
// that the run can be left meanwhile; see [Options.Leave]. Whoever calls it has to call back.
func (c *Call) MarkRemote() (back func()) { return c.a.x.control.onHandOff().markRemote(c.a) }

// Put ends the attempt with what the node has put out elsewhere, by output.
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

// dispatch calls the node of a, here or where Options.Call leads the call.
func (a *attempt) dispatch(ctx context.Context, out []any) error {
	n := &a.x.plan.nodes[a.node]
	g := a.x.control
	if g == nil {
		return call(ctx, n.call, a.in, out)
	}
	if err := yieldCause(g.ctx); err != nil { //nolint:contextcheck // a's may not have heard of it yet
		return err // nobody was told that it is called
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

// stackError carries the stack of a panic to whoever logs the failure.
type stackError string

func (s stackError) Error() string { return string(s) }

// call calls a node and makes a panic its failure.
func call(ctx context.Context, c node.Call, in, out []any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &node.Error{Code: node.CodePanic, Message: fmt.Sprintf("the node panicked: %v", p), Err: stackError(debug.Stack())}
		}
	}()
	return c(ctx, in, out)
}
