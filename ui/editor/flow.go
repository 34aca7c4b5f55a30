package editor

import (
	"cmp"
	"slices"
)

// The gaps that automatic layout leaves between boxes, in dp, all on the grid. A box
// has some room of its own around what it shows; see [boxOf].
const (
	layerGap = 2 * GridPitch // 48 between two cards
	NodeGap  = GridPitch     // about 32 between two cards
	partGap  = 4 * GridPitch
)

// flow is a graph to lay out: boxes, whose sizes are on the grid, and wires between
// them.
type flow struct {
	boxes []Point
	wires []flowWire
}

// flowWire leads from one box to another, between ports so far below their tops.
type flowWire struct {
	from, to      int
	leave, arrive float64
}

// block is a part of a flow that has been laid out.
type block struct {
	vertices []int
	places   []Point // of their top left corners, from that of the block
	size     Point
}

// arrange returns the top left corner of each box, and the size of it all. Parts that
// hang together are laid out in layers, each for itself, and packed, the largest
// first; boxes without wires stand in a grid at the end.
func (f *flow) arrange() (places []Point, size Point) {
	var blocks []block
	var alone []int
	for _, p := range f.parts() {
		if len(p.vertices) == 1 {
			alone = append(alone, p.vertices[0])
			continue
		}
		b := block{vertices: p.vertices}
		b.places, b.size = newLayering(&p.flow).arrange()
		blocks = append(blocks, b)
	}
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(b.size.X*b.size.Y, a.size.X*a.size.Y) })
	if len(alone) > 0 {
		blocks = append(blocks, f.arrangeGrid(alone))
	}
	corners, size := pack(blocks)
	places = make([]Point, len(f.boxes))
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
	flow
}

// parts returns the parts of the flow, ordered by their first vertices.
func (f *flow) parts() []part {
	next := make([][]int, len(f.boxes))
	for _, w := range f.wires {
		next[w.from], next[w.to] = append(next[w.from], w.to), append(next[w.to], w.from)
	}
	const unseen = -1
	at := slices.Repeat([]int{unseen}, len(f.boxes)) // the part of each vertex
	var parts []part
	for v := range f.boxes {
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
func (f *flow) share(parts []part, at []int) {
	local := make([]int, len(f.boxes))
	for i := range parts {
		p := &parts[i]
		p.boxes = make([]Point, len(p.vertices))
		for k, v := range p.vertices {
			local[v], p.boxes[k] = k, f.boxes[v]
		}
	}
	for _, w := range f.wires {
		p := &parts[at[w.from]]
		w.from, w.to = local[w.from], local[w.to]
		if w.from != w.to {
			p.wires = append(p.wires, w)
		}
	}
}
