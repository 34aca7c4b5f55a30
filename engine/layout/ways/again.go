package ways

import "github.com/svcflow/svc/engine/layout/geom"

// wireKey tells wires apart from one plan to the next, in which boxes have other numbers.
type wireKey struct {
	from, to       geom.Point
	source, target geom.Rect
}

func (p *planner) keyOf(w *Wire) wireKey {
	return wireKey{w.From, w.To, p.boxes[w.Source], p.boxes[w.Target]}
}

// kept returns the bends of the wires that lie nowhere near a box that has come, gone or
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

// area returns the rectangle around a wire, both as it is led and as its curve would be.
func area(w *Wire, bends []geom.Point) geom.Rect {
	c := geom.WireCurve(w.From, w.To)
	r := geom.RectBetween(c[0], c[1]).Union(geom.RectBetween(c[2], c[3]).Grow(1)).Union(geom.RectBetween(c[0], c[3]).Grow(1))
	for _, at := range bends {
		r = r.Union(geom.RectBetween(at, at).Grow(1))
	}
	return r
}

// changed returns the boxes that are among one of both more often than among the other.
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
