package node

import "github.com/svcflow/svc/engine/value"

// Port is a named, typed input or output of a node.
type Port struct {
	Name string
	Type value.Type
	// Optional inputs may have neither wire, config nor default, so the zero Port with a
	// name and a type is required. Optional outputs are not always emitted, such as the
	// sides of a branch.
	Optional bool
	// Default is the value of an input that has neither wire nor config; nil means no
	// default. An input with a default is not required.
	Default any
	// Literal inputs decide ports or are compiled (names, types, templates, expressions):
	// their value comes from config only, never from a wire.
	Literal bool
	// Networks are the networks that a credential input accepts; empty means any.
	Networks []string
	// Partial inputs are alternatives to each other: a node runs if at least one of its
	// wired Partial inputs has a value. Any other wired input without a value skips its
	// node, optional or not.
	Partial bool
	// Deferred inputs also accept media that is not made yet: a recipe instead of a file,
	// alone or inside lists and records.
	Deferred bool
	// Outcome outputs say whether and why the action of the node did not happen; one of them
	// is a bool. If none of them is in use, a node that emits false there fails; see [NotDone].
	Outcome bool
	// Warnings outputs list what the node repaired in its input or could not read. The run
	// counts them.
	Warnings bool
	// Choices means that the server offers choices for this input; see [Chooser].
	Choices bool
	// Script is the language of a literal input's text; nil for plain text.
	Script      *Script
	Description string
	Widget      string // how an editor asks for the value: "multiline", "json", "file", "expression", …; for an output, how it is shown: "image"
}

// Required reports whether an input needs a value: it is not optional and has no default.
func (p *Port) Required() bool { return !p.Optional && p.Default == nil }

// Role is the part that a node plays in its workflow's interface.
type Role uint8

// The roles of nodes.
const (
	RoleStep    Role = iota // an ordinary node
	RoleInput               // declares an input of the workflow
	RoleOutput              // declares an output of the workflow
	RoleTrigger             // starts the workflow
)

// MarshalText implements encoding.TextMarshaler.
func (r Role) MarshalText() ([]byte, error) {
	switch r {
	case RoleInput:
		return []byte("input"), nil
	case RoleOutput:
		return []byte("output"), nil
	case RoleTrigger:
		return []byte("trigger"), nil
	default:
		return []byte("step"), nil
	}
}

// UnmarshalText implements encoding.TextUnmarshaler. Unknown roles become RoleStep, so that
// older programs can work with newer servers.
func (r *Role) UnmarshalText(text []byte) error {
	switch string(text) {
	case "input":
		*r = RoleInput
	case "output":
		*r = RoleOutput
	case "trigger":
		*r = RoleTrigger
	default:
		*r = RoleStep
	}
	return nil
}
