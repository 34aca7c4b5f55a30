package editor

import "slices"

// What the frame of a group keeps free around its cards, in dp: on all sides, and at the
// top for its label.
const (
	groupPadding = 20.0
	groupHeader  = 28.0
)

// What the frame of a group takes around the boxes in it, in dp, on the grid.
const (
	frameSide = 3 * GridPitch // groupPadding, rounded up
	frameTop  = groupPadding + groupHeader
)

// arrangeTeams returns the top left corner of each box. Each team is laid out for
// itself and then is one box, with room for its frame; but for those from which a way
// leads out and in again, whose nodes are arranged like all others.
func (f *flow) arrangeTeams(teams [][]int) []Point {
	team := f.teamOf(teams)
	inner, local := f.within(team, len(teams))
	outer, box := flow{}, make([]int, len(f.boxes))
	places := make([]Point, len(f.boxes)) // in the box of outer
	for v, size := range f.boxes {
		if team[v] == noTeam {
			box[v] = len(outer.boxes)
			outer.boxes = append(outer.boxes, size)
		}
	}
	for t := range inner {
		if len(inner[t].boxes) == 0 {
			continue
		}
		at, size := inner[t].arrange()
		for _, v := range teams[t] {
			box[v], places[v] = len(outer.boxes), at[local[v]].Add(Point{frameSide, frameTop})
		}
		outer.boxes = append(outer.boxes, size.Add(Point{2 * frameSide, frameTop + frameSide}))
	}
	for _, w := range f.wires {
		if box[w.from] != box[w.to] {
			outer.wires = append(outer.wires, flowWire{box[w.from], box[w.to], w.leave + places[w.from].Y, w.arrive + places[w.to].Y})
		}
	}
	corners, _ := outer.arrange()
	for v := range places {
		places[v] = places[v].Add(corners[box[v]])
	}
	return places
}

// noTeam is in place of the team of a box that is in none.
const noTeam = -1

// teamOf returns the team of each box, without those from which a way leads out and in
// again.
func (f *flow) teamOf(teams [][]int) []int {
	team := slices.Repeat([]int{noTeam}, len(f.boxes))
	next := make([][]int, len(f.boxes))
	for _, w := range f.wires {
		next[w.from] = append(next[w.from], w.to)
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

// within returns a flow for each team, and the vertices there of those in one.
func (f *flow) within(team []int, teams int) (inner []flow, local []int) {
	inner, local = make([]flow, teams), make([]int, len(f.boxes))
	for v, size := range f.boxes {
		if t := team[v]; t != noTeam {
			local[v] = len(inner[t].boxes)
			inner[t].boxes = append(inner[t].boxes, size)
		}
	}
	for _, w := range f.wires {
		if t := team[w.from]; t != noTeam && t == team[w.to] {
			w.from, w.to = local[w.from], local[w.to]
			inner[t].wires = append(inner[t].wires, w)
		}
	}
	return inner, local
}

// comesBack reports whether a way leads out of team t and in again, where whoever comes
// to one of another team can go on from all of it.
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
