package ways

import (
	"cmp"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
)

// What leading wires may cost: looking at a box, or at a place that a wire may pass.
const (
	allSteps  = 500_000 // for all wires of a level
	wireSteps = 40_000  // for one of them
)

// lanes are how far wires of different ports keep from each other where they take the
// same way, in dp: beside boxes, and above and below them.
func lanes() [3]geom.Point { return [3]geom.Point{{X: 1, Y: 1}, {X: 6, Y: 4}, {X: 11, Y: 7}} }

// Wire leads from a port of one box to a port of another, or of the same.
type Wire struct {
	From, To       geom.Point
	Source, Target int // the boxes
}

// Plan is how the wires of a level are led. It is never changed: [Plan.Again] makes another.
type Plan struct {
	// Bends are those of each wire; none where nothing is in the way of its curve.
	Bends [][]geom.Point

	boxes []geom.Rect
	wires []Wire
}

// New leads wires. Boxes are what they have to keep out of, with the room that they leave
// around it, where there is so much.
func New(boxes []geom.Rect, room float64, wires []Wire) *Plan {
	var none *Plan
	return none.Again(boxes, room, wires)
}

// Again is New for what has become of a level: wires that nothing has changed near to keep
// their ways. A nil plan knows none.
func (before *Plan) Again(boxes []geom.Rect, room float64, wires []Wire) *Plan {
	p := &planner{boxes: boxes, room: room, lying: geom.NewIndex(len(boxes)), steps: allSteps}
	for i, box := range boxes {
		p.lying.Add(i, box)
	}
	bends := make([][]geom.Point, len(wires))
	ports := map[geom.Point]int{} // from which wires have been led, in which order
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

// planner leads one wire after the other.
type planner struct {
	boxes []geom.Rect
	room  float64 // that the boxes have around what they stand for
	lying geom.Index
	grid  grid // kept for its memory
	steps int  // that are left
}

// free reports whether nothing is in the way of the curve of a wire.
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

// crosses reports whether the line between two points has a part inside of a box.
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

// around returns the bends of a wire that keeps out of all boxes; none if there is no way,
// or it would take too long to find. Where boxes are near to each other it keeps less room.
func (p *planner) around(w *Wire, lane geom.Point) []geom.Point {
	for _, less := range []float64{0, p.room / 2, p.room * 0.8} {
		if way := p.lead(w, lane, less, false); way != nil || p.steps <= 0 {
			return way
		}
		lane = geom.Point{X: 1, Y: 1}
	}
	return p.lead(w, lane, 0, true)
}

// lead returns the bends of a wire past boxes that have less room. It looks near the wire
// first. Boxes that an end of the way lies in leave none, unless they are to be ignored.
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

// near returns the boxes of an area, the nearest first, without those that an end of the
// way lies in, and whether there are any of these.
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

// straighten returns the bends of a way, from which its ends and what lies between two
// bends is left out.
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
