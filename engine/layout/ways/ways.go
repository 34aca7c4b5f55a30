package ways

import (
	"cmp"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// Limits of routing. A step is visiting a box or a point of the grid.
const (
	allSteps  = 500_000 // for all wires of a level
	wireSteps = 40_000  // for one wire
)

// lanes returns the distances that wires of different ports keep from boxes, so that they
// do not overlap, in dp: horizontal and vertical.
func lanes() [3]geom.Point { return [3]geom.Point{{X: 1, Y: 1}, {X: 6, Y: 4}, {X: 11, Y: 7}} }

// Wire is a wire from a port of one box to a port of another, or of the same box.
type Wire struct {
	From, To       geom.Point
	Source, Target int // the boxes
}

// Plan is the routes of the wires of a level. It is immutable: [Plan.Again] makes a new
// one.
type Plan struct {
	// Bends are the bends of each wire; none if its curve meets no obstacle.
	Bends [][]geom.Point

	boxes []geom.Rect
	wires []Wire
}

// New routes wires. boxes are the areas to avoid; room is the margin that they contain,
// which wires may use if space is scarce.
func New(boxes []geom.Rect, room float64, wires []Wire) *Plan {
	var none *Plan
	return none.Again(boxes, room, wires)
}

// Again is New for a changed level: wires keep their routes if nothing near them has
// changed. before may be nil.
func (before *Plan) Again(boxes []geom.Rect, room float64, wires []Wire) *Plan {
	p := &planner{boxes: boxes, room: room, lying: geom.NewIndex(len(boxes)), steps: allSteps}
	for i, box := range boxes {
		p.lying.Add(i, box)
	}
	bends := make([][]geom.Point, len(wires))
	ports := map[geom.Point]int{} // ports with routed wires → order in which they were routed
	kept, lanes := before.kept(boxes, room), lanes()
	for i := range wires {
		w := &wires[i]
		known, same := kept[p.keyOf(w)]
		bends[i] = known
		if p.steps <= 0 || !same && p.free(w) || same && known == nil {
			continue
		}
		lane, led := ports[w.From]
		if !led {
			lane = len(ports)
			ports[w.From] = lane
		}
		if !same {
			bends[i] = p.around(w, lanes[lane%len(lanes)])
		}
	}
	return &Plan{bends, boxes, wires}
}

// planner routes one wire after the other.
type planner struct {
	boxes []geom.Rect
	room  float64 // margin that the boxes contain
	lying geom.Index
	grid  grid // reused for its memory
	steps int  // steps that are left
}

// free reports whether the curve of a wire meets no obstacle.
func (p *planner) free(w *Wire) bool {
	const pieces, forward = 24, 8
	if w.Source == w.Target || w.To.X-w.From.X < forward {
		return false
	}
	curve := geom.WireCurve(w.From, w.To)
	at, free := w.From, true
	for i := 1; i <= pieces && free; i++ {
		next := geom.CurveAt(curve, float64(i)/pieces)
		p.lying.Within(geom.RectBetween(at, next), func(box int) {
			p.steps--
			free = free && (box == w.Source || box == w.Target || !crosses(p.boxes[box], at, next))
		})
		at = next
	}
	return free
}

// crosses reports whether a part of the line between two points is inside a box.
func crosses(box geom.Rect, from, to geom.Point) bool {
	first, last := 0.0, 1.0
	for _, side := range [2][4]float64{{from.X, to.X, box.Min.X, box.Max.X}, {from.Y, to.Y, box.Min.Y, box.Max.Y}} {
		from, along, low, high := side[0], side[1]-side[0], side[2], side[3]
		if along == 0 {
			if from <= low || from >= high {
				return false
			}
			continue
		}
		enter, leave := (low-from)/along, (high-from)/along
		first, last = max(first, min(enter, leave)), min(last, max(enter, leave))
	}
	return first < last
}

// around returns the bends of a wire that avoids all boxes; none if there is no way or the
// search takes too long. If boxes are close together, it uses their margins.
func (p *planner) around(w *Wire, lane geom.Point) []geom.Point {
	for _, less := range []float64{0, p.room / 2, p.room * 0.8} {
		if way := p.lead(w, lane, less, false); way != nil || p.steps <= 0 {
			return way
		}
		lane = geom.Point{X: 1, Y: 1}
	}
	return p.lead(w, lane, 0, true)
}

// lead returns the bends of a wire past boxes whose margins are reduced by less. It
// searches near the wire first. If an end of the way is inside a box, there is no way
// unless ignore is set.
func (p *planner) lead(w *Wire, lane geom.Point, less float64, ignore bool) []geom.Point {
	start := geom.Point{X: max(w.From.X, p.boxes[w.Source].Max.X-less) + lane.X, Y: w.From.Y}
	goal := geom.Point{X: min(w.To.X, p.boxes[w.Target].Min.X+less) - lane.X, Y: w.To.Y}
	for _, far := range []float64{120, 480, 1920} {
		near, covered := p.near(geom.RectBetween(start, goal).Grow(far), less, start, goal)
		if covered && !ignore {
			return nil
		}
		p.grid.reset(near, start, goal, lane)
		way := p.grid.search(min(p.steps, wireSteps))
		p.steps -= p.grid.steps
		if way != nil {
			return straighten(way, w)
		}
		if p.steps <= 0 {
			return nil
		}
	}
	return nil
}

// near returns the boxes in an area, the nearest first, without those that contain an end
// of the way. covered reports whether there are any of the latter.
func (p *planner) near(area geom.Rect, less float64, ends ...geom.Point) (near []geom.Rect, covered bool) {
	p.lying.Within(area, func(i int) {
		p.steps--
		box := p.boxes[i].Grow(-less)
		if slices.ContainsFunc(ends, func(end geom.Point) bool { return crosses(box, end, end.Add(geom.Point{X: 0.5})) }) {
			covered = true
			return
		}
		near = append(near, box)
	})
	middle := geom.RectBetween(ends[0], ends[1]).Center()
	slices.SortFunc(near, func(a, b geom.Rect) int {
		return cmp.Or(cmp.Compare(a.Center().Sub(middle).Length(), b.Center().Sub(middle).Length()), cmp.Compare(a.Min.X, b.Min.X), cmp.Compare(a.Min.Y, b.Min.Y))
	})
	return near, covered
}

// straighten returns the bends of a way, without its ends and the points between bends.
func straighten(way []geom.Point, w *Wire) []geom.Point {
	all := slices.Concat([]geom.Point{w.From}, way, []geom.Point{w.To})
	bends := all[:1]
	for i, at := range all[1 : len(all)-1] {
		before, next := bends[len(bends)-1], all[i+2]
		if before.X == at.X && at.X == next.X || before.Y == at.Y && at.Y == next.Y {
			continue
		}
		bends = append(bends, at)
	}
	return slices.Clone(bends[1:])
}
