package node

import "github.com/svcflow/svc/engine/value"

// The implicit ports, which order nodes without passing data. No spec lists them, and no
// declared port's name begins with "$".
const (
	// AfterPort is an input of every node except those with the roles input and trigger. It
	// takes any number of wires, ignores their values, and needs all of them.
	AfterPort = "$after"
	// WhenPort is an input of the same nodes. It takes one wire of type bool; false
	// skips the node.
	WhenPort = "$when"
	// DonePort is an output of every node: true once the node has succeeded.
	DonePort = "$done"
)

// ErrorPort is an implicit output of every node. It is emitted, with a value of type
// [ErrorType], if the node fails and something is wired to it.
const ErrorPort = "$error"

// ErrorType returns the type of [ErrorPort].
func ErrorType() value.Type {
	return value.RecordOf(
		value.Field{Name: "code", Type: value.String()},
		value.Field{Name: "message", Type: value.String()},
		value.Field{Name: "nodeId", Type: value.String()},
	)
}

// Controlled reports whether nodes of the role have the inputs [AfterPort] and [WhenPort]:
// all but those that begin a run.
func (r Role) Controlled() bool { return r != RoleInput && r != RoleTrigger }

// ControlInputs returns the implicit inputs of nodes whose role is Controlled, in the
// order of their slots.
func ControlInputs() []Port {
	return []Port{
		{Name: AfterPort, Type: value.Any(), Optional: true, Description: "Any wires: the node waits for all of them."},
		{Name: WhenPort, Type: value.Bool(), Optional: true, Description: "False skips the node."},
	}
}

// ControlOutputs returns the implicit outputs of every node, in the order of their
// slots: [DonePort] and [ErrorPort].
func ControlOutputs() []Port {
	return []Port{
		{Name: DonePort, Type: value.Bool(), Description: "True, once the node has succeeded."},
		{Name: ErrorPort, Type: ErrorType(), Description: "What went wrong, once the node has failed."},
	}
}
