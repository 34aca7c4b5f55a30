package scene

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/layout/ways"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Compared is the other state of a level in a comparison.
type Compared struct {
	*doc.Differences

	Before *Scene
	Marked Selected // the selected ones among the removed parts

	wires []Wire // the removed wires, routed around the present nodes
}

// Compare returns the comparison of a level with its state before.
func Compare(diff *doc.Differences, before, now *Scene, marked Selected) *Compared {
	c := &Compared{Differences: diff, Before: before, Marked: marked}
	c.leadGone(now)
	return c
}

// leadGone routes removed wires around all present and removed nodes: a wire that runs under
// cards would be hard to follow.
func (c *Compared) leadGone(now *Scene) {
	boxes, at := c.boxes(now)
	var free []ways.Wire
	var which []int
	gone := make(map[workflow.Connection]bool, len(c.Gone))
	for _, w := range c.Gone {
		gone[w] = true
	}
	for i := range c.Before.Wires {
		was := &c.Before.Wires[i]
		if !gone[was.Bare()] {
			continue
		}
		from, to := was.endsOn(now)
		c.wires = append(c.wires, Wire{Connection: was.Connection, Way: bare(from, to)})
		if via := Via(was.Connection); len(via) > 0 {
			c.wires[len(c.wires)-1].Way = wayOver(from, to, was.Via)
			continue
		}
		free = append(free, ways.Wire{From: from, To: to, Source: at[was.FromNodeID], Target: at[was.ToNodeID]})
		which = append(which, len(c.wires)-1)
	}
	for k, bends := range ways.New(boxes, cards.PortReach, free).Bends {
		c.wires[which[k]].leadOver(bends)
	}
}

// boxes returns the boxes that removed wires must avoid, and their nodes.
func (c *Compared) boxes(now *Scene) (boxes []geom.Rect, of map[string]int) {
	boxes, of = make([]geom.Rect, 0, len(now.Cards)), map[string]int{}
	add := func(card *cards.Card) { of[card.Node.ID], boxes = len(boxes), append(boxes, card.Extent()) }
	for i := range c.Before.Cards {
		if card := &c.Before.Cards[i]; c.Nodes[card.Node.ID].Change == doc.Removed {
			add(card)
		}
	}
	for i := range now.Cards {
		add(&now.Cards[i])
	}
	return boxes, of
}

// GoneBounds returns the bounds of the removed nodes, groups and notes.
func (c *Compared) GoneBounds() (around geom.Rect) {
	for i := range c.Before.Cards {
		if card := &c.Before.Cards[i]; c.Nodes[card.Node.ID].Change == doc.Removed {
			around = around.Union(card.Extent())
		}
	}
	for _, g := range c.Before.Groups {
		if c.Groups[g.ID].Change == doc.Removed {
			around = around.Union(g.Rect)
		}
	}
	for _, n := range c.Before.Notes {
		if c.Notes[n.ID].Change == doc.Removed {
			around = around.Union(n.Rect)
		}
	}
	return around
}

// endsOn returns the present positions of a wire's ports, or the former ones of removed
// ports.
func (w *Wire) endsOn(now *Scene) (from, to geom.Point) {
	from, to = w.Way.Ends()
	if a, ok := now.Anchor(cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}); ok {
		from = a.At
	}
	if a, ok := now.Anchor(cards.PortRef{Node: w.ToNodeID, Port: w.ToPort}); ok {
		to = a.At
	}
	return from, to
}

// of returns the change of a hit part.
func (c *Compared) of(h Hit) doc.Difference {
	switch h.Kind {
	case HitNode:
		return c.Nodes[h.ID]
	case HitGroup:
		return c.Groups[h.ID]
	case HitNote, HitNoteCorner:
		return c.Notes[h.ID]
	default:
		return doc.Difference{}
	}
}

// GoneAt returns the removed part at a point: a node, a note, or the edge or label of a
// group.
func (c *Compared) GoneAt(at geom.Point, zoom float64) Hit {
	for i := len(c.Before.Cards) - 1; i >= 0; i-- {
		if card := &c.Before.Cards[i]; c.Nodes[card.Node.ID].Change == doc.Removed && card.Rect.Contains(at) {
			return Hit{Kind: HitNode, ID: card.Node.ID}
		}
	}
	for _, n := range slices.Backward(c.Before.Notes) {
		if c.Notes[n.ID].Change == doc.Removed && n.Rect.Contains(at) {
			return Hit{Kind: HitNote, ID: n.ID}
		}
	}
	return c.Before.groupAt(at, zoom, func(id string) bool { return c.Groups[id].Change == doc.Removed })
}
