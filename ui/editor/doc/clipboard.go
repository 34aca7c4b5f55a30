package doc

import (
	"errors"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrNothingToPaste reports that the clipboard has no nodes or notes.
var ErrNothingToPaste = errors.New("there is nothing to paste: copy nodes first, or the JSON of a workflow")

const clipboardID = "clipboard"

// Copy returns s as a workflow document: nodes with their settings, the wires between them,
// notes, and the groups that are in s or whose nodes all are. It can be pasted into another
// window, a text editor or an API call.
func (d *Document) Copy(s Set) []byte { return d.fragment(s).Format() }

// fragment returns s as a definition, for reading only; each node has a position.
func (d *Document) fragment(s Set) *workflow.Definition {
	nodes, groups, notes := d.Moving(s), setOf(s.Groups), setOf(s.Notes)
	f := &workflow.Definition{ID: clipboardID, Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
	for _, n := range d.level.Nodes {
		if !nodes[n.ID] {
			continue
		}
		if card, ok := d.Card(n.ID); ok && n.Position == nil {
			n.Position = position(card.Rect.Min)
		}
		f.Nodes = append(f.Nodes, n)
	}
	for _, w := range d.level.Connections {
		if nodes[w.FromNodeID] && nodes[w.ToNodeID] {
			f.Connections = append(f.Connections, w)
		}
	}
	for _, g := range d.level.Groups {
		whole := len(g.NodeIDs) > 0 && !slices.ContainsFunc(g.NodeIDs, func(id string) bool { return !nodes[id] })
		if whole || groups[g.ID] {
			f.Groups = append(f.Groups, g)
		}
	}
	for _, n := range d.level.Notes {
		if notes[n.ID] {
			f.Notes = append(f.Notes, n)
		}
	}
	return f
}

// Paste adds what [Document.Copy] returned, or any workflow document, centred at a point. Ids
// that are taken are replaced by new ones, in wires and groups, too. It returns what was
// added.
func (d *Document) Paste(data []byte, at geom.Point) (Set, error) {
	f, err := workflow.Decode(data, workflow.DefaultLimits())
	if err != nil {
		return Set{}, errors.Join(ErrNothingToPaste, err)
	}
	return d.paste("Paste", f, func(r geom.Rect) geom.Point { return at.Sub(r.Center()).Snap(geom.Pitch) })
}

// paste adds a fragment, moved by what shift returns for its bounds, and on to a free
// position.
func (d *Document) paste(name string, f *workflow.Definition, shift func(geom.Rect) geom.Point) (made Set, err error) {
	if len(f.Nodes)+len(f.Notes) == 0 {
		return Set{}, ErrNothingToPaste
	}
	err = d.do(name, "", func(c *change) error {
		c.settle()
		bounds := New(f, c.specs).Bounds()
		by := shift(bounds)
		made = c.pour(f, c.free(bounds.Move(by), nil).Sub(bounds.Min))
		return nil
	})
	return made, err
}

// pour adds a fragment to the level, moved by a distance.
func (c *change) pour(f *workflow.Definition, by geom.Point) Set {
	var made Set
	shown := New(f, c.specs).Cards()
	ids, free := map[string]string{}, nodeNames(c.level)
	nodes := make([]workflow.Node, 0, len(f.Nodes))
	for i := range f.Nodes {
		n := cloneNode(f.Nodes[i])
		n.Position = position(shown[i].Rect.Min.Add(by))
		n.ID = free.unique(n.ID)
		if _, twice := ids[f.Nodes[i].ID]; !twice {
			ids[f.Nodes[i].ID] = n.ID
		}
		nodes, made.Nodes = append(nodes, n), append(made.Nodes, n.ID)
	}
	extend(c, &c.level.Nodes, nodes...)
	extend(c, &c.level.Connections, rename(f.Connections, ids, by)...)
	made.Groups = c.pourGroups(f.Groups, ids)
	made.Notes = c.pourNotes(f.Notes, by)
	return made
}

// rename returns the wires whose ends are both in ids, between the new ids, with their
// points moved by a distance.
func rename(wires []workflow.Connection, ids map[string]string, by geom.Point) []workflow.Connection {
	var renamed []workflow.Connection
	for _, w := range wires {
		from, ok := ids[w.FromNodeID]
		to, also := ids[w.ToNodeID]
		if ok && also {
			w.FromNodeID, w.ToNodeID, w.Via = from, to, movedRoute(w.Via, by)
			renamed = append(renamed, w)
		}
	}
	return renamed
}

func (c *change) pourGroups(groups []workflow.Group, ids map[string]string) (made []string) {
	free := groupNames(c.level)
	for _, g := range groups {
		var inside []string
		for _, id := range g.NodeIDs {
			if to, ok := ids[id]; ok {
				inside = append(inside, to)
			}
		}
		if len(inside) == 0 {
			continue
		}
		g.ID, g.NodeIDs = free.unique(g.ID), inside
		extend(c, &c.level.Groups, g)
		made = append(made, g.ID)
	}
	return made
}

func (c *change) pourNotes(notes []workflow.Note, by geom.Point) (made []string) {
	free := noteNames(c.level)
	for _, n := range notes {
		n.ID, n.Position = free.unique(n.ID), position(cards.NoteRect(&n).Min.Add(by))
		extend(c, &c.level.Notes, n)
		made = append(made, n.ID)
	}
	return made
}
