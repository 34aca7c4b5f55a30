package editor

import (
	"math"
	"strings"

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
		for k, at := range scene.arrange(chosen, c.level.Groups) {
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
	for k, at := range s.arrange(fresh, d.level.Groups) {
		at = at.Add(origin).Snap(GridPitch)
		s.Cards[fresh[k]].move(at)
		d.sight[under+s.Cards[fresh[k]].Node.ID] = at
	}
}

// arrange returns places for cards, from the origin on. The nodes of a group stay
// together.
func (s *Scene) arrange(chosen []int, groups []workflow.Group) []Point {
	vertex := make(map[int]int, len(chosen))
	leads := make([]Point, len(chosen))
	f := &flow{boxes: make([]Point, len(chosen))}
	for k, i := range chosen {
		vertex[i] = k
		leads[k], f.boxes[k] = boxOf(&s.Cards[i])
	}
	for i := range s.Wires {
		w := &s.Wires[i]
		from, ok := vertex[w.From]
		to, also := vertex[w.To]
		if ok && also && from != to {
			f.wires = append(f.wires, flowWire{
				from, to,
				w.Curve[0].Y - s.Cards[w.From].Rect.Min.Y + leads[from].Y,
				w.Curve[3].Y - s.Cards[w.To].Rect.Min.Y + leads[to].Y,
			})
		}
	}
	places := f.arrangeTeams(s.teams(vertex, groups))
	var corner Point
	for k := range places {
		places[k] = places[k].Add(leads[k])
		if k == 0 {
			corner = places[k]
		}
		corner = Point{min(corner.X, places[k].X), min(corner.Y, places[k].Y)}
	}
	for k := range places {
		places[k] = places[k].Sub(corner)
	}
	return places
}

// boxOf returns the size of a box on the grid around all that is drawn of a card, and
// where in it the card is.
func boxOf(c *Card) (lead, size Point) {
	extent := c.Extent()
	lead = c.Rect.Min.Sub(extent.Min).gridUp()
	return lead, extent.Max.Sub(c.Rect.Min).Add(lead).gridUp()
}

// gridUp returns the next point of the grid to the lower right.
func (p Point) gridUp() Point {
	return Point{math.Ceil(p.X/GridPitch) * GridPitch, math.Ceil(p.Y/GridPitch) * GridPitch}
}

// teams returns the groups whose nodes are all among the vertices, as vertices. A node
// counts for the first group that has it.
func (s *Scene) teams(vertex map[int]int, groups []workflow.Group) [][]int {
	var teams [][]int
	taken := map[int]bool{}
	for _, g := range groups {
		var team []int
		for _, id := range g.NodeIDs {
			i, known := s.byID[id]
			v, chosen := vertex[i]
			if known && !chosen {
				team = nil
				break
			}
			if known && !taken[v] {
				team = append(team, v)
			}
		}
		for _, v := range team {
			taken[v] = true
		}
		if len(team) > 0 {
			teams = append(teams, team)
		}
	}
	return teams
}
