package editor

import (
	"cmp"
	"math"
	"slices"
)

// layering lays out one graph that hangs together in layers from left to right, after
// Sugiyama, Tagawa and Toda: first each vertex is given its layer, then the layers are
// ordered so that few wires cross, and last each vertex is given its height.
//
// A wire that skips layers is led through a dummy vertex in each, so that other
// vertices leave room for it. Wires of one port share their dummies.
type layering struct {
	boxes      []Point // those of dummies at the end
	real       int     // how many are no dummies
	prev, next [][]link
	layer      []int
	layers     [][]int   // vertices by layer, from top to bottom
	place      []float64 // of each vertex in its layer
	y          []float64
}

// link is one end of a wire: where it leads to, and how far below the tops of the two
// vertices its ends are. Links of more weight are rather straight.
type link struct {
	to          int
	here, there float64
	weight      float64
}

// maxDummies is how many dummies there may be for each vertex. Beyond it long wires
// go straight.
const maxDummies = 4

// The weights of links: wires that skip layers are rather straight than others, so
// that they stay clear of what is between.
const (
	longWeight  = 8
	dummyWeight = 32
)

// newLayering gives the vertices their layers.
func newLayering(f *flow) *layering {
	wires := f.acyclic()
	l := &layering{boxes: slices.Clone(f.boxes), real: len(f.boxes), layer: layersOf(len(f.boxes), wires)}
	l.prev, l.next = make([][]link, l.real), make([][]link, l.real)
	slices.SortFunc(wires, func(a, b flowWire) int {
		return cmp.Or(a.from-b.from, cmp.Compare(a.leave, b.leave), a.to-b.to, cmp.Compare(a.arrive, b.arrive))
	})
	var chain []int // the dummies of a port, one in each layer
	for i, w := range wires {
		if i > 0 && (wires[i-1].from != w.from || wires[i-1].leave != w.leave) {
			chain = chain[:0]
		}
		l.lead(w, &chain)
	}
	l.place, l.y = make([]float64, len(l.boxes)), make([]float64, len(l.boxes))
	return l
}

// lead adds a wire, through the dummies in chain and further ones if there are too
// few.
func (l *layering) lead(w flowWire, chain *[]int) {
	const half = GridPitch / 2
	skipped := l.layer[w.to] - l.layer[w.from] - 1
	for len(*chain) < skipped && len(l.boxes) < (1+maxDummies)*l.real {
		dummy, at := len(l.boxes), l.layer[w.from]+len(*chain)+1
		l.boxes = append(l.boxes, Point{0, GridPitch})
		l.layer, l.prev, l.next = append(l.layer, at), append(l.prev, nil), append(l.next, nil)
		if k := len(*chain); k == 0 {
			l.join(w.from, link{dummy, w.leave, half, longWeight})
		} else {
			l.join((*chain)[k-1], link{dummy, half, half, dummyWeight})
		}
		*chain = append(*chain, dummy)
	}
	if skipped = min(skipped, len(*chain)); skipped > 0 {
		l.join((*chain)[skipped-1], link{w.to, half, w.arrive, longWeight})
	} else {
		l.join(w.from, link{w.to, w.leave, w.arrive, 1})
	}
}

func (l *layering) join(from int, to link) {
	l.next[from] = append(l.next[from], to)
	l.prev[to.to] = append(l.prev[to.to], link{from, to.there, to.here, to.weight})
}

// arrange returns the top left corner of each vertex, and the size of it all.
func (l *layering) arrange() (places []Point, size Point) {
	l.order()
	l.settle()
	top := math.Inf(1)
	for v := range l.real {
		top = min(top, l.y[v])
	}
	places = make([]Point, l.real)
	x := 0.0
	for _, layer := range l.layers {
		widest := 0.0
		for _, v := range layer {
			widest = max(widest, l.boxes[v].X)
		}
		for _, v := range layer {
			if v >= l.real {
				continue
			}
			// Boxes and gaps are on the grid, so that nothing comes too near by this.
			places[v] = Point{x + (widest-l.boxes[v].X)/2, l.y[v] - top}.Snap(GridPitch)
			size = Point{x + widest, max(size.Y, places[v].Y+l.boxes[v].Y)}
		}
		x += widest + l.gapAfter(layer)
	}
	return places, size
}

// gapAfter returns how much room to leave between a layer and the next one: more where
// wires climb far, so that one can tell them apart.
func (l *layering) gapAfter(layer []int) float64 {
	const perClimb, most = 8, 6 * GridPitch
	climb := 0.0
	for _, v := range layer {
		for _, to := range l.next[v] {
			climb = max(climb, math.Abs(l.y[to.to]+to.there-l.y[v]-to.here))
		}
	}
	return layerGap + Point{min(climb/perClimb, most), 0}.Snap(GridPitch).X
}
