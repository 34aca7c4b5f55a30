package cards

import (
	"github.com/svcflow/svc/engine/layout"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// Arrange returns positions for the chosen cards, relative to the origin: in layers from
// left to right, along the wires. The nodes of a group stay together.
func Arrange(cards []Card, chosen []int, wires []workflow.Connection, groups []workflow.Group) []geom.Point {
	place := placesOf(cards)
	vertex := make(map[int]int, len(chosen))
	leads := make([]geom.Point, len(chosen))
	f := &layout.Graph{Boxes: make([]geom.Point, len(chosen))}
	for k, i := range chosen {
		vertex[i] = k
		leads[k], f.Boxes[k] = boxOf(&cards[i])
	}
	for i := range wires {
		w, ok := flowOfWire(&wires[i], cards, place, vertex)
		if ok {
			w.Leave, w.Arrive = w.Leave+leads[w.From].Y, w.Arrive+leads[w.To].Y
			f.Wires = append(f.Wires, w)
		}
	}
	places := f.Arrange(teams(place, vertex, groups))
	var corner geom.Point
	for k := range places {
		places[k] = places[k].Add(leads[k])
		if k == 0 {
			corner = places[k]
		}
		corner = geom.Point{X: min(corner.X, places[k].X), Y: min(corner.Y, places[k].Y)}
	}
	for k := range places {
		places[k] = places[k].Sub(corner)
	}
	return places
}

// placesOf returns the index of each node among the cards. If several have the same id, the
// first counts.
func placesOf(cards []Card) map[string]int {
	place := make(map[string]int, len(cards))
	for i := range cards {
		if _, twice := place[cards[i].Node.ID]; !twice {
			place[cards[i].Node.ID] = i
		}
	}
	return place
}

// flowOfWire returns a wire between two of the vertices, with the heights of its ends
// relative to the tops of the cards.
func flowOfWire(c *workflow.Connection, cards []Card, place map[string]int, vertex map[int]int) (w layout.Wire, ok bool) {
	i, ok := place[c.FromNodeID]
	k, also := place[c.ToNodeID]
	if !ok || !also || i == k {
		return w, false
	}
	from, ok := vertex[i]
	to, also := vertex[k]
	if !ok || !also {
		return w, false
	}
	source, target := cards[i].Anchor(c.FromPort, true), cards[k].Anchor(c.ToPort, false)
	if source == nil || target == nil {
		return w, false
	}
	return layout.Wire{From: from, To: to, Leave: source.At.Y - cards[i].Rect.Min.Y, Arrive: target.At.Y - cards[k].Rect.Min.Y}, true
}

// boxOf returns the size, on the grid, of a box around everything that is drawn of a card,
// and the offset of the card in it.
func boxOf(c *Card) (lead, size geom.Point) {
	extent := c.Extent()
	lead = c.Rect.Min.Sub(extent.Min).SnapUp(geom.Pitch)
	return lead, extent.Max.Sub(c.Rect.Min).Add(lead).SnapUp(geom.Pitch)
}

// teams returns the groups whose nodes are all among the vertices, as lists of vertices. A
// node in several groups belongs to the first.
func teams(place map[string]int, vertex map[int]int, groups []workflow.Group) [][]int {
	var teams [][]int
	taken := map[int]bool{}
	for _, g := range groups {
		var team []int
		for _, id := range g.NodeIDs {
			i, known := place[id]
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
