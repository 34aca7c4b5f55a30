package ways

import (
	"container/heap"
	"math"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// manyBoxes is how many boxes lend a grid their edges. More are kept out of all the same.
const manyBoxes = 48

// bendCost is how much longer a way may be to have one bend less, in dp.
const bendCost = 60

// early is how much more the way costs at the height of the port that it comes from: it
// is to turn there, and not right before the port of a card that is in its way.
const early = 1.02

// grid is the places at which a way may bend: where the lines beside boxes cross.
type grid struct {
	xs, ys       []float64
	right, down  []bool // whether the way from a place to the next one there is blocked
	start, goal  int
	reached      []float64 // the cost up to a state, or 0
	came         []int32   // the state before a state
	open         frontier
	steps, limit int
}

// reset begins another grid in the memory of this one.
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

// zeros returns so many zeros, in the memory of a slice if it has enough.
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

// block keeps ways out of a box.
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

// inside returns which of some sorted numbers lie between two.
func inside(sorted []float64, low, high float64) (first, end int) {
	first, found := slices.BinarySearch(sorted, low)
	if found {
		first++
	}
	end, _ = slices.BinarySearch(sorted, high)
	return first, max(first, end)
}

// The directions of a way; a state is a place and the direction in which it was reached.
const (
	rightwards = iota
	downwards
	leftwards
	upwards
	directions
)

// search returns the way with the least cost from the start, where it leads to the right,
// to the goal; nil if there is none, or it takes more steps than that.
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

// step goes on from a state to the next place in a direction, if nothing is between.
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

// reach takes over that a state can be reached from another one, if that is cheaper than
// what is known.
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

// waypoint is a state, and what a way through it costs at least.
type waypoint struct {
	state int
	cost  float64
}

// frontier is a heap of where ways may go on, the cheapest first.
type frontier []waypoint

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, k int) bool { return f[i].cost < f[k].cost }
func (f frontier) Swap(i, k int)      { f[i], f[k] = f[k], f[i] }

// Push and Pop are for heap.Interface; put and take do the same without an allocation for
// each waypoint.
func (f *frontier) Push(w any) { f.put(w.(waypoint)) } //nolint:forcetypeassert // nothing else is put there

// Pop implements heap.Interface.
func (f *frontier) Pop() any { return f.take() }

func (f *frontier) put(w waypoint) {
	*f = append(*f, w)
	heap.Fix(f, len(*f)-1)
}

// take takes out the cheapest and returns its state.
func (f *frontier) take() (state int) {
	state, last := (*f)[0].state, len(*f)-1
	(*f)[0] = (*f)[last]
	*f = (*f)[:last]
	if last > 0 {
		heap.Fix(f, 0)
	}
	return state
}
