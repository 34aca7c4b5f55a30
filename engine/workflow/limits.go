package workflow

import (
	"errors"

	"github.com/svcflow/svc/engine/limit"
)

// ErrTooLarge means that a document has more bytes than [Limits] allow.
var ErrTooLarge = errors.New("the workflow is too large")

// Limits limits a document. A zero field means no limit. [Decode] checks Bytes and Depth,
// engine.Compile the others.
type Limits struct {
	Nodes       int // in all bodies together
	Connections int // in all bodies together
	Ports       int // of all nodes together
	Bytes       int // of the JSON text
	Depth       int // of bodies within bodies and stored workflows within workflows
}

// DefaultLimits returns the limits that all user interfaces of Svc use.
func DefaultLimits() Limits {
	return Limits{Nodes: limit.Nodes, Connections: limit.Connections, Ports: limit.Ports, Bytes: limit.Document, Depth: limit.Bodies}
}
