package node

import (
	"context"
	"fmt"
	"time"
)

// Executor is the public calling form (docs/design.md, Node types): a map from input port
// name to value, and back. An input without a value has no entry; an output without an
// entry is not taken. The engine checks every returned value.
//
// ctx ends when the node times out or its run is cancelled; the executor must return then.
// Executors are called concurrently.
type Executor func(ctx context.Context, inputs map[string]any) (outputs map[string]any, err error)

// Call is the engine's own calling form: in[i] belongs to Bound.Inputs[i] and out[i] to
// Bound.Outputs[i]. An input without a value is [Absent]. All of out is Absent before the
// call; outputs that stay Absent are not taken. The engine trusts a Call to return values
// of the ports' types. A Call must not keep the slices.
type Call func(ctx context.Context, in, out []any) error

// Absent fills a slot that holds no value. It is never a value itself.
type Absent struct{}

// Present reports whether slot v holds a value; null is one.
func Present(v any) bool { return v != Absent{} }

// Bind binds a node type to one node of a workflow, once, when the workflow is compiled. It
// parses templates, expressions and cases, and decides ports that depend on the node. It
// must not have side effects. It reports all problems it finds; if there are any, the Bound
// is not used.
type Bind func(Binding) (Bound, []Problem)

// Binding is the description of a node that [Bind] receives.
type Binding struct {
	Spec *Spec
	// Config holds the node's values by input port. Those of literal inputs are converted
	// to their ports' types or replaced by defaults; see [Spec.Literals]. All others are as
	// in the document, and may be of any type.
	Config map[string]any
	// Wired reports whether a wire leads into the named input.
	Wired func(port string) bool
	// WiredOutput reports whether a wire leads from the named output to another node.
	WiredOutput func(port string) bool
	// Deferred reports whether the named output is wired to at least one input, and all
	// those inputs accept media that is not made yet. The node may then emit recipes there
	// instead of files.
	Deferred func(port string) bool
	// Body is the compiled body of a container node; nil if it has none.
	Body Body
	// Workflow compiles the stored workflow with that id for use as a body.
	Workflow func(id string) (Body, []Problem)
}

// Bound is a node that can be called.
type Bound struct {
	Inputs, Outputs []Port
	Call            Call
	// Boundary is set by input and output nodes (see [Role]): the input or output of the
	// workflow that the node declares. The engine then passes the value itself and never
	// calls Call.
	Boundary *Port
	// Sample is set by triggers. It returns example outputs, by port, for a user who fires
	// the trigger by hand without giving a payload. It need not return all outputs.
	Sample func(now time.Time) map[string]any
	// Source is set by triggers that fire automatically once the workflow is active.
	Source Source
	// Once is [Spec.Once] for this node only.
	Once bool
	// Hints are doubts about the node, though it can run: a Port and a Message each.
	Hints []Problem
}

// Problem is a reason why a node cannot be bound.
type Problem struct {
	Code    string // "" means CodeInvalidConfig
	Port    string
	Message string
	Hint    string // how to fix it
	At      int    // position of the fault in the port's text, in characters from 1; 0 if unknown
}

// Invalid returns the problem of an unusable config value of port.
func Invalid(port, format string, args ...any) Problem {
	return Problem{Port: port, Message: fmt.Sprintf(format, args...)}
}

// Body is a compiled workflow inside a container node. It is safe for concurrent
// use.
type Body interface {
	// Inputs and Outputs are the body's interface, in document order.
	Inputs() []Port
	Outputs() []Port
	// Run executes the body once and returns its outputs by name; outputs that were not
	// emitted have no entry. Inputs are converted to the body's ports; one that cannot be
	// converted is an error with the code type_error, and unknown inputs are ignored. step
	// identifies the round within one container call and becomes part of the path of nested
	// nodes in events ("loop/3/fmt"). ctx must be the context that the container was called
	// with, or derived from it.
	Run(ctx context.Context, step int, inputs map[string]any) (map[string]any, error)
}

// Static binds every node of a type to the same ports and call.
func Static(inputs, outputs []Port, call Call) Bind {
	bound := Bound{Inputs: inputs, Outputs: outputs, Call: call}
	return func(Binding) (Bound, []Problem) { return bound, nil }
}
