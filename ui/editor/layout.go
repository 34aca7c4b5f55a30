package editor

import (
	"strings"

	"github.com/svcflow/svc/engine/workflow"
)

// Layout arranges nodes in layers from left to right, following their wires; no
// ids means all nodes of the level. The top left corner of the rectangle around
// them stays. The same document is always arranged in the same way.
func (d *Document) Layout(ids ...string) error {
	return d.do("Arrange", "", func(c *change) error {
		c.settle()
		scene := c.Scene()
		wanted := setOf(ids)
		var chosen []int
		for i := range scene.Cards {
			if len(ids) == 0 || wanted[scene.Cards[i].Node.ID] {
				chosen = append(chosen, i)
			}
		}
		var around Rect
		for _, i := range chosen {
			around = around.Union(scene.Cards[i].Rect)
		}
		places := map[string]Point{}
		for k, at := range scene.arrange(chosen) {
			places[scene.Cards[chosen[k]].Node.ID] = at.Add(around.Min).Snap(GridPitch)
		}
		c.place(places)
		if len(ids) == 0 {
			c.clearNotes()
		}
		return nil
	})
}

// clearNotes moves the notes that cards lie on below everything.
func (c *change) clearNotes() {
	scene := c.Scene()
	at := Point{scene.Bounds.Min.X, scene.Bounds.Max.Y + nodeGap}.Snap(GridPitch)
	for i := range scene.Notes {
		r, covered := scene.Notes[i].Rect, false
		scene.cells.within(r, func(int) { covered = true })
		if covered {
			to := at
			modify(c, &c.level.Notes, i, func(n *workflow.Note) { n.Position = position(to) })
			at.X += r.W() + nodeGap
		}
	}
}

// placeRest gives the cards of nodes without a position a place: arranged by their
// wires, below those that have one. A node keeps its place for as long as the
// document is open.
func (d *Document) placeRest(s *Scene) {
	const below = 80
	var fresh []int
	var placed Rect
	under := strings.Join(d.path, "/") + "/"
	for i := range s.Cards {
		n := s.Cards[i].Node
		if n.Position == nil {
			at, seen := d.sight[under+n.ID]
			if !seen {
				fresh = append(fresh, i)
				continue
			}
			s.Cards[i].move(at)
		}
		placed = placed.Union(s.Cards[i].Rect)
	}
	if len(fresh) == 0 {
		return
	}
	s.addWires(d.level.Connections)
	origin := Point{}
	if !placed.Empty() {
		origin = Point{placed.Min.X, placed.Max.Y + below}
	}
	for k, at := range s.arrange(fresh) {
		at = at.Add(origin).Snap(GridPitch)
		s.Cards[fresh[k]].move(at)
		d.sight[under+s.Cards[fresh[k]].Node.ID] = at
	}
}

// arrange returns places for cards, from the origin on.
func (s *Scene) arrange(chosen []int) []Point {
	vertex := make(map[int]int, len(chosen))
	f := &flow{}
	for k, i := range chosen {
		vertex[i] = k
		size := s.Cards[i].Extent()
		f.sizes = append(f.sizes, Point{s.Cards[i].Rect.W(), size.H()})
	}
	for i := range s.Wires {
		from, ok := vertex[s.Wires[i].From]
		to, also := vertex[s.Wires[i].To]
		if ok && also && from != to {
			f.edges = append(f.edges, [2]int{from, to})
		}
	}
	return f.arrange()
}
