package node

import (
	"time"

	"github.com/svcflow/svc/engine/value"
)

// Spec declares a node type: what it is called, its ports, and how it may be run.
type Spec struct {
	// Type names the node type in workflows, e.g. "text.format": the plugin's
	// word, a dot, and a snake_case name.
	Type        string
	Label       string // on the card, e.g. "Format text"
	Category    string // where the palette lists it; the plugin's by default
	Description string // what it does, in Markdown, with an example
	Inputs      []Port
	Outputs     []Port
	// Timeout bounds one attempt; 0 means [DefaultTimeout]. The wire form is
	// timeoutMs.
	Timeout time.Duration
	// Pure nodes give the same outputs for the same inputs and touch nothing
	// else, so their results may be reused.
	Pure bool
	// Inline nodes are short and bounded and run no code of users: the engine
	// calls them on its own goroutine, without timeout and "started" event.
	Inline bool
	// Role marks the nodes through which a workflow meets its caller.
	Role Role
	// Container nodes run a body. They do not count against the number of
	// nodes that run at once.
	Container bool
	Card      Card

	plugin string
}

// DefaultTimeout bounds one attempt of a node whose spec says nothing else
// (spec section 8).
const DefaultTimeout = 30 * time.Second

// BodyTimeout bounds a node whose own work is to run others or to wait.
const BodyTimeout = 24 * time.Hour

// Plugin returns the name of the plugin that registered the spec.
func (s *Spec) Plugin() string { return s.plugin }

// Port is a named, typed input or output of a node.
type Port struct {
	Name string
	Type value.Type
	// Optional inputs may be left without wire, config and default. So the zero
	// Port, with a name and a type, is required.
	Optional bool
	// Default is what an input gets that has neither wire nor config; nil means
	// no default. An input with a default need not be given.
	Default any
	// Literal inputs decide ports or are compiled (names, types, templates,
	// expressions): their value comes from config only, never from a wire.
	Literal bool
	// Networks are the networks a credential input takes; empty means any.
	Networks    []string
	Description string
	Widget      string // how an editor asks for the value: "multiline", "json", "file", "expression", …
}

// Required reports whether an input has to be given: it is neither optional nor
// has a default.
func (p *Port) Required() bool { return !p.Optional && p.Default == nil }

// Role says how a node takes part in its workflow's interface.
type Role uint8

// The roles of nodes.
const (
	RoleStep   Role = iota // an ordinary node
	RoleInput              // gives the workflow an input
	RoleOutput             // gives the workflow an output
)

// MarshalText implements encoding.TextMarshaler.
func (r Role) MarshalText() ([]byte, error) {
	switch r {
	case RoleInput:
		return []byte("input"), nil
	case RoleOutput:
		return []byte("output"), nil
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
	default:
		*r = RoleStep
	}
	return nil
}

// Card says how an editor draws a node type.
type Card struct {
	Shape string `json:"shape"` // "card" or "circle"
	Size  int    `json:"size"`  // of a circle: its diameter in dp
	Color string `json:"color"` // "#RRGGBB"
	Icon  string `json:"icon"`
}

// ErrorPort is the implicit output of every node. It is emitted, with a value of
// type [ErrorType], when the node has failed and something is wired to it.
const ErrorPort = "$error"

// ErrorType returns the type of [ErrorPort].
func ErrorType() value.Type {
	return value.RecordOf(
		value.Field{Name: "code", Type: value.String()},
		value.Field{Name: "message", Type: value.String()},
		value.Field{Name: "nodeId", Type: value.String()},
	)
}
