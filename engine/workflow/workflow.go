// Package workflow has the document that users edit: nodes, the connections between their
// ports, and their layout. The editor, the HTTP API, the command line and the stores share
// one JSON form, which [Decode] reads strictly and MarshalJSON writes canonically.
//
// A definition says what to run. engine.Compile decides whether it can run; this package
// knows no node types.
package workflow

import "time"

// Definition is one workflow. Treat it as immutable once it has been passed to a store or
// to engine.Compile: both may keep it.
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
	Size     *Size // of a card that shows values; nil means as large as needed
	// TimeoutMs limits one attempt; 0 means the timeout of the node's type.
	TimeoutMs int
	Retry     *Retry // nil means one attempt
	Disabled  bool
	// Body is the workflow inside a container node; nil for other nodes.
	Body *Definition

	spelt spelt
}

// Connection is a wire from an output port to an input port.
type Connection struct {
	FromNodeID string
	FromPort   string
	ToNodeID   string
	ToPort     string
	// Via is the route of the wire on the canvas; nil means that the editor chooses one. It
	// must not be changed in place.
	Via *Route
}

// Bare returns the connection without its route.
func (c Connection) Bare() Connection {
	c.Via = nil
	return c
}

// Route is the points through which a wire is drawn, from its source to its target.
// Connections contain a pointer to it, so that they are comparable and can be map keys.
type Route []Position

// Position is a position on the canvas, in dp.
type Position struct{ X, Y float64 }

// Size is a size on the canvas, in dp.
type Size struct{ W, H float64 }

// Group is a frame around nodes. The engine ignores it.
type Group struct {
	ID      string
	Label   string
	NodeIDs []string
	Color   string // "#rrggbb"

	spelt spelt
}

// Note is a text on the canvas. The engine ignores it.
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
	NodeCount   int       `json:"nodeCount"`          // at the outermost level
	Revision    int       `json:"revision"`           // 1 for the first save
	Valid       bool      `json:"valid"`              // set by app, which knows the node types
	Unchecked   bool      `json:"unchecked,omitzero"` // Valid is not known yet, because a list checks only a few at once
	Damaged     bool      `json:"damaged,omitzero"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}
