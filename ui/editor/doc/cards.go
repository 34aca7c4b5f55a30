package doc

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// placement is the geometry of a level's nodes, groups and notes.
type placement struct {
	cards  []cards.Card
	frames []Frame
	notes  []Sticky
	bounds geom.Rect
}

// Frame is a group on the canvas.
type Frame struct {
	*workflow.Group

	Rect geom.Rect
}

// Sticky is a note on the canvas.
type Sticky struct {
	*workflow.Note

	Rect geom.Rect
}

// Cards returns the cards of the level's nodes, in document order. Callers must not change
// them; they are valid until the document changes.
func (d *Document) Cards() []cards.Card { return d.placement().cards }

// Frames returns the groups that have nodes, in document order; see [Document.Cards].
func (d *Document) Frames() []Frame { return d.placement().frames }

// Stickies returns the notes of the level, in document order; see [Document.Cards].
func (d *Document) Stickies() []Sticky { return d.placement().notes }

// Ghost returns the card of a new node of a type, with its top left corner at the origin.
func (d *Document) Ghost(typ string) *cards.Card {
	n := workflow.Node{Type: typ}
	if spec, ok := d.specs.Lookup(typ); ok {
		n = d.specs.newNode(spec)
	}
	card := d.newCard(&n)
	return &card
}

// Bounds returns the rectangle around everything on the level.
func (d *Document) Bounds() geom.Rect { return d.placement().bounds }

// Card returns the card of a node. The caller must not change it.
func (d *Document) Card(id string) (*cards.Card, bool) {
	i, ok := d.at(id)
	if !ok {
		return nil, false
	}
	return &d.Cards()[i], true
}

// Anchor returns the position of a port on its card.
func (d *Document) Anchor(ref cards.PortRef) (*cards.Anchor, bool) {
	card, ok := d.Card(ref.Node)
	if !ok {
		return nil, false
	}
	a := card.Anchor(ref.Port, ref.Output)
	return a, a != nil
}

// newCard returns the card of a node with its top left corner at the origin.
func (d *Document) newCard(n *workflow.Node) cards.Card {
	k := d.kitOf(n)
	return cards.New(n, cards.Kit{Spec: k.spec, Inputs: k.inputs, Outputs: k.outputs, Controls: d.specs.controls, Boundary: d.specs.boundary(n.Type), Wires: k.wires})
}

func (d *Document) placement() *placement {
	if d.placed != nil {
		return d.placed
	}
	l := &placement{cards: make([]cards.Card, len(d.level.Nodes))}
	placed := true
	for i := range d.level.Nodes {
		n := &d.level.Nodes[i]
		l.cards[i] = d.newCard(n)
		if n.Position == nil {
			placed = false
			continue
		}
		l.cards[i].Move(geom.Point(*n.Position))
	}
	if !placed {
		d.placeRest(l.cards)
	}
	d.placed = l
	l.addFrames(d)
	for i := range d.level.Notes {
		n := &d.level.Notes[i]
		l.notes = append(l.notes, Sticky{n, cards.NoteRect(n)})
	}
	l.measure()
	return l
}

func (l *placement) addFrames(d *Document) {
	for i := range d.level.Groups {
		g := &d.level.Groups[i]
		var around geom.Rect
		for _, id := range g.NodeIDs {
			if card, ok := d.Card(id); ok {
				around = around.Union(card.Extent())
			}
		}
		if !around.Empty() {
			l.frames = append(l.frames, Frame{g, cards.FrameAround(around)})
		}
	}
}

// measure computes the bounds.
func (l *placement) measure() {
	for i := range l.cards {
		l.bounds = l.bounds.Union(l.cards[i].Extent())
	}
	for _, f := range l.frames {
		l.bounds = l.bounds.Union(f.Rect)
	}
	for _, n := range l.notes {
		l.bounds = l.bounds.Union(n.Rect)
	}
}

// Among returns the cards of nodes, each once, in document order.
func (d *Document) Among(ids []string) []*cards.Card {
	var places []int
	for _, id := range ids {
		if i, ok := d.at(id); ok {
			places = append(places, i)
		}
	}
	slices.Sort(places)
	var cards []*cards.Card
	for _, i := range slices.Compact(places) {
		cards = append(cards, &d.Cards()[i])
	}
	return cards
}

// Moving returns the nodes that move with s: its nodes and those of its groups.
func (d *Document) Moving(s Set) map[string]bool {
	nodes, groups := setOf(s.Nodes), setOf(s.Groups)
	for _, g := range d.Frames() {
		if groups[g.ID] {
			for _, id := range g.NodeIDs {
				nodes[id] = true
			}
		}
	}
	return nodes
}

// Around returns the bounds of s.
func (d *Document) Around(s Set) geom.Rect {
	var r geom.Rect
	for id := range d.Moving(s) {
		if card, ok := d.Card(id); ok {
			r = r.Union(card.Extent())
		}
	}
	groups, notes := setOf(s.Groups), setOf(s.Notes)
	for _, g := range d.Frames() {
		if groups[g.ID] {
			r = r.Union(g.Rect)
		}
	}
	for _, n := range d.Stickies() {
		if notes[n.ID] {
			r = r.Union(n.Rect)
		}
	}
	for _, p := range s.Points {
		if p.Wire.Via != nil && p.At < len(*p.Wire.Via) {
			at := geom.Point((*p.Wire.Via)[p.At])
			r = r.Union(geom.RectBetween(at, at).Grow(cards.PortReach))
		}
	}
	return r
}
