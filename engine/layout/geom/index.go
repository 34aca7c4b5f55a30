package geom

import "math"

// cellSize is the side of a cell, in dp; manyCells is how many of them
// something may lie in before it is kept aside.
const (
	cellSize  = 256
	manyCells = 64
)

// Index finds what lies in a rectangle without looking at all there is. See [NewIndex].
type Index struct {
	cells map[cell][]int32
	large []int32 // what lies in so many cells that it is looked at each time
	boxes []Rect
}

type cell struct{ x, y int32 }

// NewIndex returns an index of n boxes, all of which have to be added.
func NewIndex(n int) Index { return Index{cells: make(map[cell][]int32, n), boxes: make([]Rect, n)} }

// Add says where box i is; each is added once.
func (g *Index) Add(i int, box Rect) {
	g.boxes[i] = box
	low, high := cellsOf(box)
	if wide := (float64(high.x-low.x) + 1) * (float64(high.y-low.y) + 1); wide > manyCells {
		g.large = append(g.large, int32(i))
		return
	}
	for x := low.x; x <= high.x; x++ {
		for y := low.y; y <= high.y; y++ {
			g.cells[cell{x, y}] = append(g.cells[cell{x, y}], int32(i))
		}
	}
}

// Within calls found for all that overlaps r, each once, in no order.
func (g *Index) Within(r Rect, found func(i int)) {
	low, high := cellsOf(r)
	if (float64(high.x-low.x)+1)*(float64(high.y-low.y)+1) > float64(len(g.boxes)) {
		for i, box := range g.boxes {
			if box.Overlaps(r) {
				found(i)
			}
		}
		return
	}
	for _, i := range g.large {
		if g.boxes[i].Overlaps(r) {
			found(int(i))
		}
	}
	for x := low.x; x <= high.x; x++ {
		for y := low.y; y <= high.y; y++ {
			g.inCell(cell{x, y}, low, r, found)
		}
	}
}

// inCell calls found for what overlaps r and is not found in an earlier cell.
func (g *Index) inCell(at, low cell, r Rect, found func(int)) {
	for _, i := range g.cells[at] {
		first, _ := cellsOf(g.boxes[i])
		mine := max(first.x, low.x) == at.x && max(first.y, low.y) == at.y
		if mine && g.boxes[i].Overlaps(r) {
			found(int(i))
		}
	}
}

// cellsOf returns the first and the last cell that r lies in.
func cellsOf(r Rect) (low, high cell) { return cellAt(r.Min), cellAt(r.Max) }

func cellAt(p Point) cell {
	return cell{int32(math.Floor(p.X / cellSize)), int32(math.Floor(p.Y / cellSize))}
}
