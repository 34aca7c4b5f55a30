package workflow

import (
	"errors"

	"github.com/svcflow/svc/engine/limit"
)

// ErrTooLarge says that a document has more bytes than [Limits] allow.
var ErrTooLarge = errors.New("the workflow is too large")

// Limits bounds a document. The zero value of a field means no limit. Bytes and
// Depth are checked by [Decode], the others by engine.Compile.
type Limits struct {
	Nodes       int // in all bodies together
	Connections int // in all bodies together
	Ports       int // of all nodes together
	Bytes       int // of the JSON text
	Depth       int // of bodies within bodies and stored workflows within workflows
}

// DefaultLimits is what the faces of Svc use.
func DefaultLimits() Limits {
	return Limits{Nodes: limit.Nodes, Connections: limit.Connections, Ports: limit.Ports, Bytes: limit.Document, Depth: limit.Bodies}
}
