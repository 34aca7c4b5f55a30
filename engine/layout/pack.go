package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// windowShape is the ratio of width to height that a layout should have, like a window.
const windowShape = 1.6

// unfit measures how small a layout of a size is shown in a window; less is better.
func unfit(size geom.Point) float64 { return max(size.X/windowShape, size.Y) }

// arrangeGrid arranges boxes in a grid, sorted by height.
func (f *Graph) arrangeGrid(vertices []int) block {
	slices.SortStableFunc(vertices, func(a, b int) int { return cmp.Compare(f.Boxes[b].Y, f.Boxes[a].Y) })
	var best block
	for columns := 1; columns <= len(vertices); columns += 1 + columns/8 {
		if b := f.gridOf(vertices, columns); best.size == (geom.Point{}) || unfit(b.size) < unfit(best.size) {
			best = b
		}
	}
	return best
}

// gridOf arranges boxes in a grid with the given number of columns.
func (f *Graph) gridOf(vertices []int, columns int) block {
	b := block{vertices: vertices, places: make([]geom.Point, len(vertices))}
	widest := make([]float64, columns)
	for k, v := range vertices {
		widest[k%columns] = max(widest[k%columns], f.Boxes[v].X)
	}
	x, y, height := 0.0, 0.0, 0.0
	for k, v := range vertices {
		if k%columns == 0 && k > 0 {
			x, y, height = 0, y+height+NodeGap, 0
		}
		b.places[k] = geom.Point{X: x, Y: y}
		x += widest[k%columns] + NodeGap
		height = max(height, f.Boxes[v].Y)
		b.size = geom.Point{X: max(b.size.X, x-NodeGap), Y: y + height}
	}
	return b
}

// pack returns the positions of blocks so that they do not overlap and have roughly the
// shape of a window together, and the total size.
func pack(blocks []block) (corners []geom.Point, size geom.Point) {
	const tries = 16
	area, widest := 0.0, 0.0
	for _, b := range blocks {
		area += (b.size.X + partGap) * (b.size.Y + partGap)
		widest = max(widest, b.size.X+partGap)
	}
	for i := range tries { // from slightly narrower than without wasted space to twice as wide
		width := max(math.Sqrt(area*windowShape)*(0.9+float64(i)/tries), widest)
		places, around := packInto(blocks, width)
		if i == 0 || unfit(around) < unfit(size) {
			corners, size = places, around
		}
	}
	return corners, size
}

// packInto puts each block, in order, as high up as possible in a strip of the given width,
// and then as far left as possible.
func packInto(blocks []block, width float64) (corners []geom.Point, size geom.Point) {
	line := skyline{{0, width, 0}}
	for _, b := range blocks {
		at := line.put(b.size.Add(geom.Point{X: partGap, Y: partGap}))
		corners = append(corners, at)
		size = geom.Point{X: max(size.X, at.X+b.size.X), Y: max(size.Y, at.Y+b.size.Y)}
	}
	return corners, size
}

// skyline is the lower edge of the packed blocks, from left to right.
type skyline []ledge

type ledge struct{ x, w, y float64 }

// put places a box and returns its top left corner.
func (s *skyline) put(box geom.Point) geom.Point {
	best, at := 0, geom.Point{X: 0, Y: math.Inf(1)}
	for i := range *s {
		if y, fits := s.under(i, box.X); fits && y < at.Y {
			best, at = i, geom.Point{X: (*s)[i].x, Y: y}
		}
	}
	end := best
	right := at.X + box.X
	for end < len(*s) && (*s)[end].x+(*s)[end].w <= right {
		end++
	}
	if end < len(*s) {
		rest := &(*s)[end]
		rest.x, rest.w = right, rest.x+rest.w-right
	}
	*s = slices.Replace(*s, best, end, ledge{at.X, box.X, at.Y + box.Y})
	return at
}

// under returns the height of a box of the given width whose left edge is that of ledge i.
func (s *skyline) under(i int, width float64) (y float64, fits bool) {
	left := width
	for _, l := range (*s)[i:] {
		y = max(y, l.y)
		if left -= l.w; left <= 0 {
			return y, true
		}
	}
	return 0, false
}
