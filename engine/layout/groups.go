package layout

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// The space that the frame of a group leaves around its cards, in dp: on all sides, and at
// the top for its label.
const (
	FramePadding = 20.0
	FrameHeader  = 28.0
)

// The space that the frame of a group takes around its boxes, in dp, on the grid.
const (
	frameSide = 3 * geom.Pitch // FramePadding, rounded up
	frameTop  = FramePadding + FrameHeader
)

// Arrange returns the top left corner of each box. teams are groups of boxes: each is
// arranged separately and then treated as one box, with room for its frame. A team that has
// a path leaving and re-entering it cannot be one box; its boxes are arranged like all
// others.
func (f *Graph) Arrange(teams [][]int) []geom.Point {
	team := f.teamOf(teams)
	inner, local := f.within(team, len(teams))
	outer, box := Graph{}, make([]int, len(f.Boxes))
	places := make([]geom.Point, len(f.Boxes)) // relative to the box in outer
	for v, size := range f.Boxes {
		if team[v] == noTeam {
			box[v] = len(outer.Boxes)
			outer.Boxes = append(outer.Boxes, size)
		}
	}
	for t := range inner {
		if len(inner[t].Boxes) == 0 {
			continue
		}
		at, size := inner[t].arrange()
		for _, v := range teams[t] {
			box[v], places[v] = len(outer.Boxes), at[local[v]].Add(geom.Point{X: frameSide, Y: frameTop})
		}
		outer.Boxes = append(outer.Boxes, size.Add(geom.Point{X: 2 * frameSide, Y: frameTop + frameSide}))
	}
	for _, w := range f.Wires {
		if box[w.From] != box[w.To] {
			outer.Wires = append(outer.Wires, Wire{box[w.From], box[w.To], w.Leave + places[w.From].Y, w.Arrive + places[w.To].Y})
		}
	}
	corners, _ := outer.arrange()
	for v := range places {
		places[v] = places[v].Add(corners[box[v]])
	}
	return places
}

// noTeam marks a box without a team.
const noTeam = -1

// teamOf returns the team of each box. It dissolves teams that have a path leaving and
// re-entering them.
func (f *Graph) teamOf(teams [][]int) []int {
	team := slices.Repeat([]int{noTeam}, len(f.Boxes))
	next := make([][]int, len(f.Boxes))
	for _, w := range f.Wires {
		next[w.From] = append(next[w.From], w.To)
	}
	for t, members := range teams {
		for _, v := range members {
			team[v] = t
		}
		if comesBack(next, teams, team, t) {
			for _, v := range members {
				team[v] = noTeam
			}
		}
	}
	return team
}

// within returns a graph for each team, and the number of each box in the graph of its
// team.
func (f *Graph) within(team []int, teams int) (inner []Graph, local []int) {
	inner, local = make([]Graph, teams), make([]int, len(f.Boxes))
	for v, size := range f.Boxes {
		if t := team[v]; t != noTeam {
			local[v] = len(inner[t].Boxes)
			inner[t].Boxes = append(inner[t].Boxes, size)
		}
	}
	for _, w := range f.Wires {
		if t := team[w.From]; t != noTeam && t == team[w.To] {
			w.From, w.To = local[w.From], local[w.To]
			inner[t].Wires = append(inner[t].Wires, w)
		}
	}
	return inner, local
}

// comesBack reports whether a path leaves team t and enters it again. Other teams count as
// one box: a path that enters one may leave it at any member.
func comesBack(next, teams [][]int, team []int, t int) bool {
	seen := make([]bool, len(next))
	var queue []int
	visit := func(v int) {
		members := []int{v}
		if team[v] != noTeam {
			members = teams[team[v]]
		}
		for _, m := range members {
			if !seen[m] {
				seen[m] = true
				queue = append(queue, m)
			}
		}
	}
	for _, v := range teams[t] {
		for _, w := range next[v] {
			if team[w] != t {
				visit(w)
			}
		}
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, w := range next[v] {
			if team[w] == t {
				return true
			}
			if !seen[w] {
				visit(w)
			}
		}
	}
	return false
}
