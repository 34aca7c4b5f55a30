package geom

import "math"

// cellSize is the side of a cell of the index, in dp. Boxes that cover more than manyCells
// cells are stored in a separate list.
const (
	cellSize  = 256
	manyCells = 64
)

// Index finds the boxes that overlap a rectangle without visiting all boxes. See
// [NewIndex].
type Index struct {
	cells map[cell][]int32
	large []int32 // boxes in more than manyCells cells, which every search visits
	boxes []Rect
}

type cell struct{ x, y int32 }

// NewIndex returns an index of n boxes. Each must be added.
func NewIndex(n int) Index { return Index{cells: make(map[cell][]int32, n), boxes: make([]Rect, n)} }

// Add sets the position of box i. Call it once for each box.
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

// Within calls found for each box that overlaps r, once, in no particular order.
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

// inCell calls found for boxes in a cell that overlap r and were not found in an earlier
// cell.
func (g *Index) inCell(at, low cell, r Rect, found func(int)) {
	for _, i := range g.cells[at] {
		first, _ := cellsOf(g.boxes[i])
		mine := max(first.x, low.x) == at.x && max(first.y, low.y) == at.y
		if mine && g.boxes[i].Overlaps(r) {
			found(int(i))
		}
	}
}

// cellsOf returns the first and the last cell that r covers.
func cellsOf(r Rect) (low, high cell) { return cellAt(r.Min), cellAt(r.Max) }

func cellAt(p Point) cell {
	return cell{int32(math.Floor(p.X / cellSize)), int32(math.Floor(p.Y / cellSize))}
}
