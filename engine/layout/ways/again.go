package ways

import "github.com/svcflow/svc/engine/layout/geom"

// wireKey identifies a wire across plans, in which boxes have different numbers.
type wireKey struct {
	from, to       geom.Point
	source, target geom.Rect
}

func (p *planner) keyOf(w *Wire) wireKey {
	return wireKey{w.From, w.To, p.boxes[w.Source], p.boxes[w.Target]}
}

// kept returns the bends of the wires that are not near a box that was added, removed or
// moved.
func (before *Plan) kept(boxes []geom.Rect, room float64) map[wireKey][]geom.Point {
	if before == nil {
		return nil
	}
	moved := changed(before.boxes, boxes)
	lying := geom.NewIndex(len(moved))
	for i, box := range moved {
		lying.Add(i, box)
	}
	kept := make(map[wireKey][]geom.Point, len(before.wires))
	old := &planner{boxes: before.boxes}
	for i := range before.wires {
		w, near := &before.wires[i], false
		lying.Within(area(w, before.Bends[i]).Grow(room), func(int) { near = true })
		if !near {
			kept[old.keyOf(w)] = before.Bends[i]
		}
	}
	return kept
}

// area returns the rectangle around a wire, both as it is routed and as a curve.
func area(w *Wire, bends []geom.Point) geom.Rect {
	c := geom.WireCurve(w.From, w.To)
	r := geom.RectBetween(c[0], c[1]).Union(geom.RectBetween(c[2], c[3]).Grow(1)).Union(geom.RectBetween(c[0], c[3]).Grow(1))
	for _, at := range bends {
		r = r.Union(geom.RectBetween(at, at).Grow(1))
	}
	return r
}

// changed returns the boxes that do not occur equally often in before and now.
func changed(before, now []geom.Rect) (boxes []geom.Rect) {
	more := make(map[geom.Rect]int, len(now))
	for _, box := range now {
		more[box]++
	}
	for _, box := range before {
		more[box]--
	}
	for box, n := range more {
		if n != 0 {
			boxes = append(boxes, box)
		}
	}
	return boxes
}
