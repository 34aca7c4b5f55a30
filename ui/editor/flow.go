package editor

import (
	"math"
	"slices"
)

// The gaps that automatic layout leaves, in dp.
const (
	layerGap = 96.0
	nodeGap  = 32.0
	partGap  = 64.0
)

// flow is a graph to lay out: sizes of vertices and edges between them.
type flow struct {
	sizes []Point
	edges [][2]int
}

// arrange returns the top left corner of each vertex. Parts that hang together are
// laid out in layers, each for itself, and put below one another; vertices without
// edges stand in rows at the end.
func (f *flow) arrange() []Point {
	places := make([]Point, len(f.sizes))
	var alone []int
	y := 0.0
	for _, part := range f.parts() {
		if len(part) == 1 {
			alone = append(alone, part[0])
			continue
		}
		y += f.arrangePart(part, places, y) + partGap
	}
	f.arrangeRows(alone, places, y)
	return places
}

// parts returns the vertices that hang together, ordered by their first one.
func (f *flow) parts() [][]int {
	next := make([][]int, len(f.sizes))
	for _, e := range f.edges {
		next[e[0]], next[e[1]] = append(next[e[0]], e[1]), append(next[e[1]], e[0])
	}
	seen := make([]bool, len(f.sizes))
	var parts [][]int
	for v := range f.sizes {
		if seen[v] {
			continue
		}
		seen[v] = true
		part := []int{v}
		for k := 0; k < len(part); k++ {
			for _, w := range next[part[k]] {
				if !seen[w] {
					seen[w] = true
					part = append(part, w)
				}
			}
		}
		slices.Sort(part)
		parts = append(parts, part)
	}
	return parts
}

// arrangePart lays out one part from y on and returns its height.
func (f *flow) arrangePart(part []int, places []Point, y float64) float64 {
	local := make(map[int]int, len(part))
	sizes := make([]Point, len(part))
	for k, v := range part {
		local[v], sizes[k] = k, f.sizes[v]
	}
	var edges [][2]int
	for _, e := range f.edges {
		if from, ok := local[e[0]]; ok {
			edges = append(edges, [2]int{from, local[e[1]]})
		}
	}
	l := newLayering(sizes, edges)
	l.sort()
	l.settle()
	top, bottom := math.Inf(1), math.Inf(-1)
	for k := range part {
		top, bottom = min(top, l.y[k]), max(bottom, l.y[k]+sizes[k].Y)
	}
	x := l.columns()
	for k, v := range part {
		places[v] = Point{x[l.layer[k]], y + l.y[k] - top}
	}
	return bottom - top
}

// arrangeRows puts vertices into rows, about as wide as high.
func (f *flow) arrangeRows(vertices []int, places []Point, y float64) {
	perRow := int(math.Ceil(math.Sqrt(float64(len(vertices)))))
	x, height := 0.0, 0.0
	for k, v := range vertices {
		if k > 0 && k%perRow == 0 {
			x, y, height = 0, y+height+nodeGap, 0
		}
		places[v] = Point{x, y}
		x += f.sizes[v].X + nodeGap
		height = max(height, f.sizes[v].Y)
	}
}
