package scene

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/layout/ways"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Compared is the state of a level that it is compared with.
type Compared struct {
	*doc.Differences

	Before *Scene
	Marked Selected // what is gone and was clicked

	wires []Wire // those that are gone, as they would be led now
}

// Compare shows a level beside how it was.
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

// boxes returns what the wires that are gone have to keep out of, and which is whose.
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

// GoneBounds returns the rectangle around the nodes, groups and notes that are gone.
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

// endsOn returns where the ports of a wire are now; where they were, if they are gone.
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

// of returns what has become of what was hit.
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
