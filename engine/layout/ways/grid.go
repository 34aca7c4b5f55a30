package ways

import (
	"container/heap"
	"math"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// manyBoxes is the maximum number of boxes whose edges are lines of the grid. Wires avoid
// further boxes, too.
const manyBoxes = 48

// bendCost is the detour that a way may take to avoid one bend, in dp.
const bendCost = 60

// early is the cost factor of a way at the height of its source port. It makes wires turn
// early, and not directly before a card in their way.
const early = 1.02

// grid is the points at which a way may bend: the crossings of lines beside boxes.
type grid struct {
	xs, ys       []float64
	right, down  []bool // whether the way from a point to the next one in that direction is blocked
	start, goal  int
	reached      []float64 // lowest known cost of each state, or 0
	came         []int32   // previous state of each state
	open         frontier
	steps, limit int
}

// reset prepares the grid for another wire and reuses its memory.
func (g *grid) reset(boxes []geom.Rect, start, goal, lane geom.Point) {
	g.xs, g.ys = append(g.xs[:0], start.X, goal.X), append(g.ys[:0], start.Y, goal.Y)
	for _, box := range boxes[:min(len(boxes), manyBoxes)] {
		g.xs = append(g.xs, box.Min.X-lane.X, box.Max.X+lane.X)
		g.ys = append(g.ys, box.Min.Y-lane.Y, box.Max.Y+lane.Y)
	}
	slices.Sort(g.xs)
	slices.Sort(g.ys)
	g.xs, g.ys = slices.Compact(g.xs), slices.Compact(g.ys)
	places := len(g.xs) * len(g.ys)
	g.right, g.down = zeros(g.right, places), zeros(g.down, places)
	for _, box := range boxes {
		g.block(box)
	}
	g.start, g.goal = g.place(start), g.place(goal)
	g.steps = len(boxes) + places/8
}

// zeros returns a slice of n zeros that reuses the memory of old if possible.
func zeros[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

func (g *grid) place(p geom.Point) int {
	x, _ := slices.BinarySearch(g.xs, p.X)
	y, _ := slices.BinarySearch(g.ys, p.Y)
	return y*len(g.xs) + x
}

func (g *grid) at(place int) geom.Point {
	return geom.Point{X: g.xs[place%len(g.xs)], Y: g.ys[place/len(g.xs)]}
}

// block blocks the ways through a box.
func (g *grid) block(box geom.Rect) {
	firstX, lastX := inside(g.xs, box.Min.X, box.Max.X)
	firstY, lastY := inside(g.ys, box.Min.Y, box.Max.Y)
	for y := firstY; y < lastY; y++ {
		for x := max(firstX-1, 0); x < lastX; x++ {
			g.right[y*len(g.xs)+x] = true
		}
	}
	for x := firstX; x < lastX; x++ {
		for y := max(firstY-1, 0); y < lastY; y++ {
			g.down[y*len(g.xs)+x] = true
		}
	}
}

// inside returns the range of sorted numbers between low and high, exclusive.
func inside(sorted []float64, low, high float64) (first, end int) {
	first, found := slices.BinarySearch(sorted, low)
	if found {
		first++
	}
	end, _ = slices.BinarySearch(sorted, high)
	return first, max(first, end)
}

// The directions of a way. A state is a point and the direction in which it was reached.
const (
	rightwards = iota
	downwards
	leftwards
	upwards
	directions
)

// search returns the cheapest way from the start, which it leaves to the right, to the
// goal. It returns nil if there is none or the search takes more than limit steps.
func (g *grid) search(limit int) []geom.Point {
	g.limit = limit
	states := len(g.xs) * len(g.ys) * directions
	g.reached, g.came, g.open = zeros(g.reached, states), zeros(g.came, states), g.open[:0]
	g.reach(g.start*directions+rightwards, -1, 1)
	for len(g.open) > 0 && g.steps < g.limit {
		s := g.open.take()
		g.steps++
		if s/directions == g.goal && s%directions != leftwards {
			return g.wayTo(s)
		}
		for turn := range directions {
			if (turn+2)%directions != s%directions {
				g.step(s, turn)
			}
		}
	}
	return nil
}

// step continues from a state to the next point in a direction, unless it is blocked.
func (g *grid) step(s, direction int) {
	place, width := s/directions, len(g.xs)
	x, y, next, blocked := place%width, place/width, place, false
	switch direction {
	case rightwards:
		next, blocked = place+1, x == width-1 || g.right[place]
	case leftwards:
		next, blocked = place-1, x == 0 || g.right[max(place-1, 0)]
	case downwards:
		next, blocked = place+width, y == len(g.ys)-1 || g.down[place]
	case upwards:
		next, blocked = place-width, y == 0 || g.down[max(place-width, 0)]
	}
	if blocked {
		return
	}
	length := g.at(next).Sub(g.at(place)).Length()
	if y == g.start/width && next/width == y {
		length *= early
	}
	cost := g.reached[s] + length
	if direction != s%directions {
		cost += bendCost
	}
	g.reach(next*directions+direction, s, cost)
}

// reach records that a state can be reached from another one, if that is cheaper than the
// known way.
func (g *grid) reach(s, from int, cost float64) {
	if known := g.reached[s]; known != 0 && known <= cost {
		return
	}
	g.reached[s], g.came[s] = cost, int32(from)
	rest := g.at(g.goal).Sub(g.at(s / directions))
	g.open.put(waypoint{s, cost + math.Abs(rest.X) + math.Abs(rest.Y)})
}

func (g *grid) wayTo(s int) []geom.Point {
	var way []geom.Point
	for ; s >= 0; s = int(g.came[s]) {
		way = append(way, g.at(s/directions))
	}
	slices.Reverse(way)
	return way
}

// waypoint is a state and a lower bound of the cost of a way through it.
type waypoint struct {
	state int
	cost  float64
}

// frontier is a heap of states to continue from, the cheapest first.
type frontier []waypoint

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, k int) bool { return f[i].cost < f[k].cost }
func (f frontier) Swap(i, k int)      { f[i], f[k] = f[k], f[i] }

// Push implements heap.Interface. put and take do the same as Push and Pop without an
// allocation for each waypoint.
func (f *frontier) Push(w any) { f.put(w.(waypoint)) } //nolint:forcetypeassert // nothing else is put there

// Pop implements heap.Interface.
func (f *frontier) Pop() any { return f.take() }

func (f *frontier) put(w waypoint) {
	*f = append(*f, w)
	heap.Fix(f, len(*f)-1)
}

// take removes the cheapest waypoint and returns its state.
func (f *frontier) take() (state int) {
	state, last := (*f)[0].state, len(*f)-1
	(*f)[0] = (*f)[last]
	*f = (*f)[:last]
	if last > 0 {
		heap.Fix(f, 0)
	}
	return state
}
