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
