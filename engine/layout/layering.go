package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// layering arranges one connected graph in layers from left to right, after Sugiyama,
// Tagawa and Toda: it assigns vertices to layers, orders the layers so that few wires
// cross, and sets the height of each vertex.
//
// A wire that skips layers passes through a dummy vertex in each, so that other vertices
// leave room for it. Wires of one port share their dummies.
type layering struct {
	boxes      []geom.Point // dummies are at the end
	real       int          // number of vertices without dummies
	prev, next [][]link
	layer      []int
	layers     [][]int   // vertices by layer, from top to bottom
	place      []float64 // index of each vertex in its layer
	y          []float64
}

// link is one end of a wire: the vertex at the other end, and the distances of both ends
// from the tops of their vertices. Links with more weight are straightened first.
type link struct {
	to          int
	here, there float64
	weight      float64
}

// maxDummies is the maximum number of dummies per vertex. Beyond it, long wires are not
// routed around vertices.
const maxDummies = 4

// The weights of links. Wires that skip layers are straightened before others, so that they
// avoid the vertices between.
const (
	longWeight  = 8
	dummyWeight = 32
)

// newLayering assigns the vertices to layers.
func newLayering(f *Graph) *layering {
	wires := f.acyclic()
	l := &layering{boxes: slices.Clone(f.Boxes), real: len(f.Boxes), layer: layersOf(len(f.Boxes), wires)}
	l.prev, l.next = make([][]link, l.real), make([][]link, l.real)
	slices.SortFunc(wires, func(a, b Wire) int {
		return cmp.Or(a.From-b.From, cmp.Compare(a.Leave, b.Leave), a.To-b.To, cmp.Compare(a.Arrive, b.Arrive))
	})
	var chain []int // dummies of the current port, one in each layer
	for i, w := range wires {
		if i > 0 && (wires[i-1].From != w.From || wires[i-1].Leave != w.Leave) {
			chain = chain[:0]
		}
		l.lead(w, &chain)
	}
	l.place, l.y = make([]float64, len(l.boxes)), make([]float64, len(l.boxes))
	return l
}

// lead adds a wire through the dummies in chain, which it extends if there are too few.
func (l *layering) lead(w Wire, chain *[]int) {
	const half = geom.Pitch / 2
	skipped := l.layer[w.To] - l.layer[w.From] - 1
	for len(*chain) < skipped && len(l.boxes) < (1+maxDummies)*l.real {
		dummy, at := len(l.boxes), l.layer[w.From]+len(*chain)+1
		l.boxes = append(l.boxes, geom.Point{X: 0, Y: geom.Pitch})
		l.layer, l.prev, l.next = append(l.layer, at), append(l.prev, nil), append(l.next, nil)
		if k := len(*chain); k == 0 {
			l.join(w.From, link{dummy, w.Leave, half, longWeight})
		} else {
			l.join((*chain)[k-1], link{dummy, half, half, dummyWeight})
		}
		*chain = append(*chain, dummy)
	}
	if skipped = min(skipped, len(*chain)); skipped > 0 {
		l.join((*chain)[skipped-1], link{w.To, half, w.Arrive, longWeight})
	} else {
		l.join(w.From, link{w.To, w.Leave, w.Arrive, 1})
	}
}

func (l *layering) join(from int, to link) {
	l.next[from] = append(l.next[from], to)
	l.prev[to.to] = append(l.prev[to.to], link{from, to.there, to.here, to.weight})
}

// arrange returns the top left corner of each vertex, and the total size.
func (l *layering) arrange() (places []geom.Point, size geom.Point) {
	l.order()
	l.settle()
	top := math.Inf(1)
	for v := range l.real {
		top = min(top, l.y[v])
	}
	places = make([]geom.Point, l.real)
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
			// Boxes and gaps are on the grid, so rounding does not make anything overlap.
			places[v] = geom.Point{X: x + (widest-l.boxes[v].X)/2, Y: l.y[v] - top}.Snap(geom.Pitch)
			size = geom.Point{X: x + widest, Y: max(size.Y, places[v].Y+l.boxes[v].Y)}
		}
		x += widest + l.gapAfter(layer)
	}
	return places, size
}

// gapAfter returns the gap between a layer and the next one: wider if wires climb far, so
// that they can be distinguished.
func (l *layering) gapAfter(layer []int) float64 {
	const perClimb, most = 8, 6 * geom.Pitch
	climb := 0.0
	for _, v := range layer {
		for _, to := range l.next[v] {
			climb = max(climb, math.Abs(l.y[to.to]+to.there-l.y[v]-to.here))
		}
	}
	return layerGap + geom.Point{X: min(climb/perClimb, most), Y: 0}.Snap(geom.Pitch).X
}
