package inspector

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
)

// subject is the part of the document that a page shows.
type subject struct {
	kind  kind
	board *board.Board
	doc   *doc.Document
	path  string // of the level
	id    string // of the node, note or group
	typ   string // of the node
	wire  workflow.Connection
}

type kind uint8

const (
	aWorkflow kind = iota
	aNode
	aNote
	aGroup
	aWire
	many
)

// subjectOf returns the selected part, and the number of selected parts. After an undo the
// selection may still contain deleted parts.
func subjectOf(b *board.Board) (s subject, marked int) {
	d := b.Document()
	s = subject{board: b, doc: d, path: strings.Join(d.Path(), "/")}
	if b.Selection.Empty() {
		return s, 0
	}
	set := existing(d, b.Selection.Set())
	marked = len(set.Nodes) + len(set.Notes) + len(set.Groups) + len(set.Wires)
	switch {
	case marked == 0:
	case marked > 1:
		s.kind = many
	case len(set.Nodes) == 1:
		s.kind, s.id = aNode, set.Nodes[0]
		n, _ := d.Node(s.id)
		s.typ = n.Type
	case len(set.Notes) == 1:
		s.kind, s.id = aNote, set.Notes[0]
	case len(set.Groups) == 1:
		s.kind, s.id = aGroup, set.Groups[0]
	default:
		s.kind, s.wire = aWire, set.Wires[0]
	}
	return s, marked
}

// existing returns the parts of set that exist on the level.
func existing(d *doc.Document, set doc.Set) doc.Set {
	set.Nodes = slices.DeleteFunc(set.Nodes, func(id string) bool {
		_, ok := d.Node(id)
		return !ok
	})
	set.Notes = slices.DeleteFunc(set.Notes, func(id string) bool {
		return !slices.ContainsFunc(d.Notes(), func(n workflow.Note) bool { return n.ID == id })
	})
	set.Groups = slices.DeleteFunc(set.Groups, func(id string) bool {
		return !slices.ContainsFunc(d.Groups(), func(g workflow.Group) bool { return g.ID == id })
	})
	if len(set.Wires) == 1 {
		set.Wires = slices.DeleteFunc(set.Wires, func(w workflow.Connection) bool { return !slices.Contains(d.Connections(), w) })
	}
	return set
}
