package doc

import (
	"strings"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// Layout arranges nodes in layers from left to right, following their wires; no
// ids means all nodes of the level. What hangs together is arranged together, the
// largest first, and nodes without wires come last; all of it has about the shape of a
// window. Groups stay in one piece unless a way leads out of one and in again. The top
// left corner of the rectangle around the nodes stays. The same document is always
// arranged in the same way.
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

// clearNotes moves the notes that cards lie on below everything.
func (c *change) clearNotes() {
	notes := make([]geom.Rect, len(c.level.Notes))
	for i, n := range c.Stickies() {
		notes[i] = n.Rect
	}
	for i, at := range cards.ClearNotes(c.Cards(), notes, c.Bounds()) {
		modify(c, &c.level.Notes, i, func(n *workflow.Note) { n.Position = position(at) })
	}
}

// placeRest gives the cards of nodes without a position a place: arranged by their
// wires, below those that have one. A node keeps its place for as long as the
// document is open.
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
