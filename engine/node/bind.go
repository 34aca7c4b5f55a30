package node

import (
	"context"
	"fmt"
	"time"
)

// Executor is the public calling form (docs/design.md, Node types): a map from input port
// name to value, and back. An input without a value has no entry; an output
// without an entry is not taken. The engine checks every value that comes back.
//
// ctx ends when the node times out or its run is cancelled; an executor has to
// return then. Executors are called concurrently.
type Executor func(ctx context.Context, inputs map[string]any) (outputs map[string]any, err error)

// Call is the engine's own calling form: in[i] belongs to Bound.Inputs[i] and
// out[i] to Bound.Outputs[i]. An input without a value is [Absent]; out comes
// filled with Absent, and what stays so is an output not taken. The engine
// trusts the values of a Call to be values of the ports' types. A Call must keep
// neither slice.
type Call func(ctx context.Context, in, out []any) error

// Absent fills a slot that holds no value. It is never a value itself.
type Absent struct{}

// Present reports whether slot v holds a value; null is one.
func Present(v any) bool { return v != Absent{} }

// Bind fits a node type to one node of a workflow, once, when the workflow is
// compiled: it parses templates, expressions and cases and decides ports that
// depend on the node. It must not have side effects. It reports all problems it
// finds; with any, the Bound is not used.
type Bind func(Binding) (Bound, []Problem)

// Binding is what [Bind] gets to know of one node.
type Binding struct {
	Spec *Spec
	// Config holds the node's values by input port. Those of literal inputs are
	// values of their ports' types, or the default; see [Spec.Literals]. All others
	// are as the document has them, and may be anything.
	Config map[string]any
	// Wired reports whether a wire leads into the named input.
	Wired func(port string) bool
	// WiredOutput reports whether a wire leads from the named output to another node.
	WiredOutput func(port string) bool
	// Deferred reports whether everything that the named output is wired to takes media
	// that nobody has made yet, and that there is something. A node may then put out
	// recipes there instead of files.
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
	// Boundary is set by nodes with a [Role]: the input or output of the
	// workflow that the node stands for. The engine then moves the value itself
	// and never calls Call.
	Boundary *Port
	// Sample is set by triggers: what the node puts out, by output port, when somebody
	// lets it fire by hand at a time and says nothing else. It need not have all outputs.
	Sample func(now time.Time) map[string]any
	// Source is set by triggers that fire by themselves once the workflow is active.
	Source Source
	// Once says of this node what [Spec.Once] says of all nodes of its type.
	Once bool
	// Hints are what is doubtful about the node, though it can run: a Port and a
	// Message each.
	Hints []Problem
}

// Problem is one reason why a node cannot be bound.
type Problem struct {
	Code    string // "" means CodeInvalidConfig
	Port    string
	Message string
	Hint    string // what to do about it
	At      int    // the character of the port's text that is at fault, from 1; 0 where nobody knows
}

// Invalid returns the problem that port's config value is not usable.
func Invalid(port, format string, args ...any) Problem {
	return Problem{Port: port, Message: fmt.Sprintf(format, args...)}
}

// Body is a compiled workflow inside a container node. It is safe for concurrent
// use.
type Body interface {
	// Inputs and Outputs are the body's interface, in document order.
	Inputs() []Port
	Outputs() []Port
	// Run executes the body once and returns its outputs by name; one that was
	// not emitted has no entry. Inputs are made to conform to the body's ports, and
	// one that cannot be is an error with the code type_error; those that the body
	// does not have are passed over. step tells the runs of one container apart and
	// becomes part of the path of nested nodes in events ("loop/3/fmt"). ctx must
	// be the one the container was called with or descend from it.
	Run(ctx context.Context, step int, inputs map[string]any) (map[string]any, error)
}

// Static binds every node of a type to the same ports and call.
func Static(inputs, outputs []Port, call Call) Bind {
	bound := Bound{Inputs: inputs, Outputs: outputs, Call: call}
	return func(Binding) (Bound, []Problem) { return bound, nil }
}
