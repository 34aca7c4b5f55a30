package node

import "github.com/svcflow/svc/engine/value"

// Port is a named, typed input or output of a node.
type Port struct {
	Name string
	Type value.Type
	// Optional inputs may be left without wire, config and default. So the zero
	// Port, with a name and a type, is required. Optional outputs are those that are
	// not always emitted, such as the sides of a branch.
	Optional bool
	// Default is what an input gets that has neither wire nor config; nil means
	// no default. An input with a default need not be given.
	Default any
	// Literal inputs decide ports or are compiled (names, types, templates,
	// expressions): their value comes from config only, never from a wire.
	Literal bool
	// Networks are the networks a credential input takes; empty means any.
	Networks []string
	// Partial inputs stand in for each other: a node runs if at least one of its
	// wired Partial inputs was brought a value. Any other wired input that nothing
	// came to skips its node, optional or not.
	Partial bool
	// Deferred inputs also take media that nobody has made yet: a recipe instead of a
	// file, alone or inside lists and records.
	Deferred bool
	// Choices says that the service can be asked for the values that make sense
	// here; see [Chooser].
	Choices bool
	// Script says how the text of a literal input is written; nil where it is nothing but
	// text.
	Script      *Script
	Description string
	Widget      string // how an editor asks for the value: "multiline", "json", "file", "expression", …; of an output, how it shows it: "image"
}

// Required reports whether an input has to be given: it is neither optional nor
// has a default.
func (p *Port) Required() bool { return !p.Optional && p.Default == nil }

// Role says how a node takes part in its workflow's interface.
type Role uint8

// The roles of nodes.
const (
	RoleStep    Role = iota // an ordinary node
	RoleInput               // gives the workflow an input
	RoleOutput              // gives the workflow an output
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

// UnmarshalText implements encoding.TextUnmarshaler. A role that it does not know is
// that of a step, so that older programs can work with newer services.
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
