package layout

import (
	"cmp"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// The gaps that automatic layout leaves between boxes, in dp, all on the grid. Boxes
// contain a margin around their cards; see cards.boxOf.
const (
	layerGap = 2 * geom.Pitch // 48 between two cards
	NodeGap  = geom.Pitch     // about 32 between two cards
	partGap  = 4 * geom.Pitch
)

// Graph is a graph to arrange: boxes, whose sizes are on the grid, and wires between them.
type Graph struct {
	Boxes []geom.Point
	Wires []Wire
}

// Wire is a wire between two boxes. Leave and Arrive are the distances of its ports from
// the tops of the boxes.
type Wire struct {
	From, To      int
	Leave, Arrive float64
}

// block is an arranged part of a graph.
type block struct {
	vertices []int
	places   []geom.Point // top left corners, relative to that of the block
	size     geom.Point
}

// arrange returns the top left corner of each box, and the total size. Connected parts are
// arranged in layers separately and packed, the largest first; boxes without wires form a
// grid at the end.
func (f *Graph) arrange() (places []geom.Point, size geom.Point) {
	var blocks []block
	var alone []int
	for _, p := range f.parts() {
		if len(p.vertices) == 1 {
			alone = append(alone, p.vertices[0])
			continue
		}
		b := block{vertices: p.vertices}
		b.places, b.size = newLayering(&p.Graph).arrange()
		blocks = append(blocks, b)
	}
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(b.size.X*b.size.Y, a.size.X*a.size.Y) })
	if len(alone) > 0 {
		blocks = append(blocks, f.arrangeGrid(alone))
	}
	corners, size := pack(blocks)
	places = make([]geom.Point, len(f.Boxes))
	for i, b := range blocks {
		for k, v := range b.vertices {
			places[v] = corners[i].Add(b.places[k])
		}
	}
	return places, size
}

// part is a connected part of a graph: its vertices in the graph, and a graph of them
// alone.
type part struct {
	vertices []int
	Graph
}

// parts returns the connected parts of the graph, ordered by their first vertices.
func (f *Graph) parts() []part {
	next := make([][]int, len(f.Boxes))
	for _, w := range f.Wires {
		next[w.From], next[w.To] = append(next[w.From], w.To), append(next[w.To], w.From)
	}
	const unseen = -1
	at := slices.Repeat([]int{unseen}, len(f.Boxes)) // the part of each vertex
	var parts []part
	for v := range f.Boxes {
		if at[v] != unseen {
			continue
		}
		at[v] = len(parts)
		p := part{vertices: []int{v}}
		for k := 0; k < len(p.vertices); k++ {
			for _, w := range next[p.vertices[k]] {
				if at[w] == unseen {
					at[w] = len(parts)
					p.vertices = append(p.vertices, w)
				}
			}
		}
		slices.Sort(p.vertices)
		parts = append(parts, p)
	}
	f.share(parts, at)
	return parts
}

// share distributes the boxes and wires of the graph to its parts.
func (f *Graph) share(parts []part, at []int) {
	local := make([]int, len(f.Boxes))
	for i := range parts {
		p := &parts[i]
		p.Boxes = make([]geom.Point, len(p.vertices))
		for k, v := range p.vertices {
			local[v], p.Boxes[k] = k, f.Boxes[v]
		}
	}
	for _, w := range f.Wires {
		p := &parts[at[w.From]]
		w.From, w.To = local[w.From], local[w.To]
		if w.From != w.To {
			p.Wires = append(p.Wires, w)
		}
	}
}
