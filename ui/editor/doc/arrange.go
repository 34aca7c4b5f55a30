package doc

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// farthest is the largest distance from the origin, in dp: less than a document allows, so
// that attachments of a node fit, too.
const farthest = 5e8

// position rounds p to whole dp within the bounds of a document.
func position(p geom.Point) *workflow.Position {
	return &workflow.Position{X: clampPlace(p.X), Y: clampPlace(p.Y)}
}

func clampPlace(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return math.Round(min(max(x, -farthest), farthest)) + 0 // JSON would have -0
}

func clampSize(x, least float64) float64 {
	if math.IsNaN(x) {
		return least
	}
	return math.Round(min(max(x, least), farthest))
}

// Move moves nodes, notes, points of wires, and the nodes of groups. A drag is one Move.
func (d *Document) Move(s Set, by geom.Point) error {
	return d.do("Move", "", func(c *change) error {
		c.move(s, by)
		return nil
	})
}

// Nudge is Move for the arrow keys: consecutive nudges of a selection are one step.
func (d *Document) Nudge(s Set, by geom.Point) error {
	return d.do("Move", "nudge", func(c *change) error {
		c.move(s, by)
		return nil
	})
}

func (c *change) move(s Set, by geom.Point) {
	if by == (geom.Point{}) {
		return
	}
	c.settle()
	places, moving := map[string]geom.Point{}, c.Moving(s)
	c.movePoints(s.Points, moving, by)
	for id := range moving {
		if card, ok := c.Card(id); ok {
			places[id] = card.Rect.Min.Add(by)
		}
	}
	c.place(places)
	notes := setOf(s.Notes)
	for i := range c.level.Notes {
		if n := &c.level.Notes[i]; notes[n.ID] {
			at := cards.NoteRect(n).Min.Add(by)
			modify(c, &c.level.Notes, i, func(n *workflow.Note) { n.Position = position(at) })
		}
	}
}

// place moves the top left corners of nodes.
func (c *change) place(places map[string]geom.Point) {
	for i := range c.level.Nodes {
		if at, ok := places[c.level.Nodes[i].ID]; ok {
			modify(c, &c.level.Nodes, i, func(n *workflow.Node) { n.Position = position(at) })
		}
	}
}

// settle stores the positions of nodes that have none, so that they stay there when others
// move.
func (c *change) settle() {
	shown := map[string]geom.Point{}
	for i := range c.level.Nodes {
		if n := &c.level.Nodes[i]; n.Position == nil {
			if card, ok := c.Card(n.ID); ok {
				shown[n.ID] = card.Rect.Min
			}
		}
	}
	for i := range c.level.Nodes {
		if n := &c.level.Nodes[i]; n.Position == nil {
			at := position(shown[n.ID])
			modify(c, &c.level.Nodes, i, func(n *workflow.Node) { n.Position = at })
		}
	}
}

// Edge is a side or a middle line to align nodes on.
type Edge uint8

// The edges.
const (
	AlignLeft Edge = iota
	AlignCenter
	AlignRight
	AlignTop
	AlignMiddle
	AlignBottom
)

// Align moves nodes so that they share an edge or middle line of the rectangle
// around them.
func (d *Document) Align(edge Edge, ids ...string) error {
	return d.do("Align", "", func(c *change) error {
		c.settle()
		cards := c.Among(ids)
		var around geom.Rect
		for _, card := range cards {
			around = around.Union(card.Rect)
		}
		places := map[string]geom.Point{}
		for _, card := range cards {
			places[card.Node.ID] = aligned(edge, card.Rect, around)
		}
		c.place(places)
		return nil
	})
}

// aligned returns the new top left corner of r.
func aligned(edge Edge, r, around geom.Rect) geom.Point {
	at := r.Min
	switch edge {
	case AlignLeft:
		at.X = around.Min.X
	case AlignCenter:
		at.X = around.Center().X - r.W()/2
	case AlignRight:
		at.X = around.Max.X - r.W()
	case AlignTop:
		at.Y = around.Min.Y
	case AlignMiddle:
		at.Y = around.Center().Y - r.H()/2
	case AlignBottom:
		at.Y = around.Max.Y - r.H()
	}
	return at
}

// Axis is a direction to distribute nodes in.
type Axis uint8

// The axes.
const (
	Horizontal Axis = iota
	Vertical
)

// Distribute moves nodes along an axis so that the gaps between them are equal;
// the outermost two stay.
func (d *Document) Distribute(axis Axis, ids ...string) error {
	return d.do("Distribute", "", func(c *change) error {
		c.settle()
		along := c.Among(ids)
		if len(along) < 3 {
			return nil
		}
		low, size := func(r geom.Rect) float64 { return r.Min.X }, geom.Rect.W
		if axis == Vertical {
			low, size = func(r geom.Rect) float64 { return r.Min.Y }, geom.Rect.H
		}
		slices.SortStableFunc(along, func(a, b *cards.Card) int { return cmp.Compare(low(a.Rect), low(b.Rect)) })
		last := along[len(along)-1].Rect
		space := low(last) + size(last) - low(along[0].Rect)
		for _, card := range along {
			space -= size(card.Rect)
		}
		places, at := map[string]geom.Point{}, low(along[0].Rect)
		for _, card := range along {
			to := card.Rect.Min
			if axis == Vertical {
				to.Y = at
			} else {
				to.X = at
			}
			places[card.Node.ID] = to
			at += size(card.Rect) + space/float64(len(along)-1)
		}
		c.place(places)
		return nil
	})
}

// Layout arranges nodes in layers from left to right, following their wires; no ids means all
// nodes of the level. It arranges connected nodes together, the largest component first, and
// puts nodes without wires last; the result has about the proportions of a window. Groups
// stay in one piece unless a path leaves one and enters it again. The top left corner of the
// rectangle around the nodes stays. The result is deterministic.
func (d *Document) Layout(ids ...string) error {
	return d.do("Arrange", "", func(c *change) error {
		c.settle()
		all, wanted := c.Cards(), setOf(ids)
		var chosen []int
		for i := range all {
			if len(ids) == 0 || wanted[all[i].Node.ID] {
				chosen = append(chosen, i)
			}
		}
		var around geom.Rect
		for _, i := range chosen {
			around = around.Union(all[i].Rect)
		}
		places := map[string]geom.Point{}
		for k, at := range cards.Arrange(all, chosen, c.level.Connections, c.level.Groups) {
			places[all[chosen[k]].Node.ID] = at.Add(around.Min).Snap(geom.Pitch)
		}
		c.reroute(places)
		c.place(places)
		if len(ids) == 0 {
			c.clearNotes()
		}
		return nil
	})
}

// clearNotes moves the notes below cards to below everything.
func (c *change) clearNotes() {
	notes := make([]geom.Rect, len(c.level.Notes))
	for i, n := range c.Stickies() {
		notes[i] = n.Rect
	}
	for i, at := range cards.ClearNotes(c.Cards(), notes, c.Bounds()) {
		modify(c, &c.level.Notes, i, func(n *workflow.Note) { n.Position = position(at) })
	}
}

// placeRest positions the nodes without a position: arranged by their wires, below all
// others. A node keeps that position while the document is open.
func (d *Document) placeRest(all []cards.Card) {
	var fresh []int
	var placed geom.Rect
	under := strings.Join(d.path, "/") + "/"
	for i := range all {
		n := all[i].Node
		if n.Position == nil {
			at, seen := d.sight[under+n.ID]
			if !seen {
				fresh = append(fresh, i)
				continue
			}
			all[i].Move(at)
		}
		placed = placed.Union(all[i].Rect)
	}
	if len(fresh) == 0 {
		return
	}
	for k, at := range cards.ArrangeBelow(all, fresh, placed, d.level.Connections, d.level.Groups) {
		all[fresh[k]].Move(at)
		d.sight[under+all[fresh[k]].Node.ID] = at
	}
}
