package editor

import (
	"slices"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Scene is how a level lies on the canvas, in dp. It is immutable; a change of the
// document makes another.
type Scene struct {
	Cards  []Card // by node, in document order
	Wires  []Wire // in document order, without those that lack an end
	Groups []Frame
	Notes  []Sticky
	Bounds Rect // around all of it

	byID   map[string]int
	byWire map[int]int // place in the document → place in Wires
	cells  grid        // of cards
	lines  grid        // of wires
}

// Wire is a connection on the canvas.
type Wire struct {
	workflow.Connection

	Index    int // in the document
	From, To int // its cards
	Curve    Curve
	Type     value.Type // of its source
}

// Frame is a group on the canvas.
type Frame struct {
	*workflow.Group

	Rect Rect
}

// Sticky is a note on the canvas.
type Sticky struct {
	*workflow.Note

	Rect Rect
}

// Scene returns how the level lies on the canvas now.
func (d *Document) Scene() *Scene {
	if d.scene == nil {
		d.scene = d.buildScene()
	}
	return d.scene
}

// Reveal shows the error port of a node, or hides it again. It is always shown
// where something is wired to it. This is no change of the document.
func (d *Document) Reveal(id string, shown bool) {
	if shown {
		d.revealed[id] = true
	} else {
		delete(d.revealed, id)
	}
	d.touch()
}

func (d *Document) buildScene() *Scene {
	s := &Scene{Cards: make([]Card, len(d.level.Nodes)), byID: make(map[string]int, len(d.level.Nodes))}
	placed := true
	for i := range d.level.Nodes {
		n := &d.level.Nodes[i]
		s.Cards[i] = d.newCard(n, d.revealed[n.ID])
		if n.Position == nil {
			placed = false
			continue
		}
		s.Cards[i].move(Point(*n.Position))
	}
	for i, v := range slices.Backward(s.Cards) {
		s.byID[v.Node.ID] = i
	}
	if !placed {
		d.placeRest(s)
	}
	s.addWires(d.level.Connections)
	s.addFrames(d.level.Groups)
	for i := range d.level.Notes {
		n := &d.level.Notes[i]
		s.Notes = append(s.Notes, Sticky{n, noteRect(n)})
	}
	s.measure()
	return s
}

func (s *Scene) addWires(connections []workflow.Connection) {
	s.Wires, s.byWire = make([]Wire, 0, len(connections)), make(map[int]int, len(connections))
	for i, c := range connections {
		from, ok := s.byID[c.FromNodeID]
		to, also := s.byID[c.ToNodeID]
		if !ok || !also {
			continue
		}
		source, target := s.Cards[from].Anchor(c.FromPort, true), s.Cards[to].Anchor(c.ToPort, false)
		if source == nil || target == nil {
			continue
		}
		s.byWire[i] = len(s.Wires)
		s.Wires = append(s.Wires, Wire{
			Connection: c, Index: i, From: from, To: to, Curve: WireCurve(source.At, target.At), Type: source.Spec.Type,
		})
	}
}

func (s *Scene) addFrames(groups []workflow.Group) {
	for i := range groups {
		var around Rect
		for _, id := range groups[i].NodeIDs {
			if card, ok := s.Card(id); ok {
				around = around.Union(card.Extent())
			}
		}
		if around.Empty() {
			continue
		}
		around = around.Grow(groupPadding)
		around.Min.Y -= groupHeader
		s.Groups = append(s.Groups, Frame{&groups[i], around})
	}
}

// measure computes the bounds and the grids.
func (s *Scene) measure() {
	s.cells, s.lines = newGrid(len(s.Cards)), newGrid(len(s.Wires))
	for i := range s.Cards {
		extent := s.Cards[i].Extent()
		s.Bounds = s.Bounds.Union(extent)
		s.cells.add(i, extent)
	}
	for i := range s.Wires {
		s.lines.add(i, s.Wires[i].Curve.Bounds())
	}
	for _, g := range s.Groups {
		s.Bounds = s.Bounds.Union(g.Rect)
	}
	for _, n := range s.Notes {
		s.Bounds = s.Bounds.Union(n.Rect)
	}
}

// Card returns the card of a node. The caller must not change it.
func (s *Scene) Card(id string) (*Card, bool) {
	i, ok := s.byID[id]
	if !ok {
		return nil, false
	}
	return &s.Cards[i], true
}

// Anchor returns a port on its card.
func (s *Scene) Anchor(ref PortRef) (*Anchor, bool) {
	card, ok := s.Card(ref.Node)
	if !ok {
		return nil, false
	}
	a := card.Anchor(ref.Port, ref.Output)
	return a, a != nil
}

// cards returns the cards of nodes, each once, in document order.
func (s *Scene) cards(ids []string) []*Card {
	var places []int
	for _, id := range ids {
		if i, ok := s.byID[id]; ok {
			places = append(places, i)
		}
	}
	slices.Sort(places)
	var cards []*Card
	for _, i := range slices.Compact(places) {
		cards = append(cards, &s.Cards[i])
	}
	return cards
}

// moving returns the nodes that move when s moves: those in it and those of its
// groups.
func (s *Scene) moving(set Set) map[string]bool {
	nodes := setOf(set.Nodes)
	groups := setOf(set.Groups)
	for _, g := range s.Groups {
		if groups[g.ID] {
			for _, id := range g.NodeIDs {
				nodes[id] = true
			}
		}
	}
	return nodes
}

// Around returns the rectangle around what is in set.
func (s *Scene) Around(set Set) Rect {
	var r Rect
	for id := range s.moving(set) {
		if card, ok := s.Card(id); ok {
			r = r.Union(card.Extent())
		}
	}
	groups, notes := setOf(set.Groups), setOf(set.Notes)
	for _, g := range s.Groups {
		if groups[g.ID] {
			r = r.Union(g.Rect)
		}
	}
	for _, n := range s.Notes {
		if notes[n.ID] {
			r = r.Union(n.Rect)
		}
	}
	return r
}

func noteRect(n *workflow.Note) Rect {
	var at Point
	if n.Position != nil {
		at = Point(*n.Position)
	}
	if n.Size == nil {
		return RectAt(at, noteWidth, noteHeight)
	}
	return RectAt(at, n.Size.W, n.Size.H)
}
