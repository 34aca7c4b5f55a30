// Package workflow holds the document that people draw: nodes, the connections
// between their ports, and how both are laid out. The editor, the HTTP API, the
// command line and the stores share its one JSON form, which [Decode] reads
// strictly and MarshalJSON writes canonically.
//
// A definition says what should run. Whether it can is decided by
// engine.Compile; this package knows no node types.
package workflow

import "time"

// Definition is one workflow. Treat a definition as immutable once it has been
// handed to a store or to engine.Compile: both may keep it.
type Definition struct {
	ID          string // see [CheckID]; may be empty in a body
	Name        string
	Description string
	Nodes       []Node
	Connections []Connection
	Groups      []Group
	Notes       []Note

	spelt spelt
}

// Node is one step of a workflow.
type Node struct {
	ID       string // see [CheckNodeID]
	Type     string
	Label    string
	Config   map[string]any // input port name → value
	Position *Position
	Size     *Size // of a card that shows values; nil means what it needs
	// TimeoutMs bounds one attempt; 0 means the timeout of the node's type.
	TimeoutMs int
	Retry     *Retry // nil means one attempt
	Disabled  bool
	// Body is the workflow inside a container node; nil for all others.
	Body *Definition

	spelt spelt
}

// Connection is a wire from an output port to an input port.
type Connection struct {
	FromNodeID string
	FromPort   string
	ToNodeID   string
	ToPort     string
	// Via is how the wire is led on the canvas; nil means as the editor likes. It is
	// never changed in place.
	Via *Route
}

// Bare returns the connection without its way.
func (c Connection) Bare() Connection {
	c.Via = nil
	return c
}

// Route holds the points that a wire is led through, from its source to its target. A
// connection points to it, so that connections can be compared and be keys of maps.
type Route []Position

// Position is where something lies on the canvas, in dp.
type Position struct{ X, Y float64 }

// Size is how big something is on the canvas, in dp.
type Size struct{ W, H float64 }

// Group is a frame around nodes. It means nothing to the engine.
type Group struct {
	ID      string
	Label   string
	NodeIDs []string
	Color   string // "#rrggbb"

	spelt spelt
}

// Note is a text on the canvas. It means nothing to the engine.
type Note struct {
	ID       string
	Text     string
	Position *Position
	Size     *Size
	Color    string // "#rrggbb"

	spelt spelt
}

// Meta is the summary of a stored workflow.
type Meta struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	NodeCount   int       `json:"nodeCount"`          // of the outermost level
	Revision    int       `json:"revision"`           // 1 for the first save
	Valid       bool      `json:"valid"`              // filled in by app, which knows the node types
	Unchecked   bool      `json:"unchecked,omitzero"` // Valid is not known yet: a list judges only so many at once
	Damaged     bool      `json:"damaged,omitzero"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}
