package layout

import (
	"cmp"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// The gaps that automatic layout leaves between boxes, in dp, all on the grid. A box
// has some room of its own around what it shows; see [boxOf].
const (
	layerGap = 2 * geom.Pitch // 48 between two cards
	NodeGap  = geom.Pitch     // about 32 between two cards
	partGap  = 4 * geom.Pitch
)

// Graph is a graph to lay out: boxes, whose sizes are on the grid, and wires between
// them.
type Graph struct {
	Boxes []geom.Point
	Wires []Wire
}

// Wire leads from one box to another, between ports so far below their tops.
type Wire struct {
	From, To      int
	Leave, Arrive float64
}

// block is a part of a flow that has been laid out.
type block struct {
	vertices []int
	places   []geom.Point // of their top left corners, from that of the block
	size     geom.Point
}

// arrange returns the top left corner of each box, and the size of it all. Parts that
// hang together are laid out in layers, each for itself, and packed, the largest
// first; boxes without wires stand in a grid at the end.
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

// part is what hangs together of a flow: its vertices there, and a flow of them alone.
type part struct {
	vertices []int
	Graph
}

// parts returns the parts of the flow, ordered by their first vertices.
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

// share gives the boxes and wires of the flow to its parts.
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
