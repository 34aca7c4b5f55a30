package scene

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// Way is the path of a wire: curves, each beginning where the one before ends.
type Way []Curve

// bare returns the path of a wire without obstacles.
func bare(from, to geom.Point) Way { return Way{WireCurve(from, to)} }

// wayOver returns the path of a wire through points.
func wayOver(from, to geom.Point, via *workflow.Route) Way {
	points := []geom.Point{from}
	for _, at := range *via {
		points = append(points, geom.Point(at))
	}
	return led(append(points, to), geom.PointRadius)
}

func led(points []geom.Point, radius float64) Way {
	curves := geom.LedCurves(points, radius)
	w := make(Way, len(curves))
	for i, c := range curves {
		w[i] = c
	}
	return w
}

// Ends returns the ends of the wire.
func (w Way) Ends() (from, to geom.Point) { return w[0][0], w[len(w)-1][3] }

// Bounds returns a rectangle that contains the path. It may be larger than necessary.
func (w Way) Bounds() geom.Rect {
	r := w[0].Bounds()
	for _, c := range w[1:] {
		b := c.Bounds() // empty for a straight line
		r = geom.Rect{
			Min: geom.Point{X: min(r.Min.X, b.Min.X), Y: min(r.Min.Y, b.Min.Y)},
			Max: geom.Point{X: max(r.Max.X, b.Max.X), Y: max(r.Max.Y, b.Max.Y)},
		}
	}
	return r
}

// Middle returns the middle of the path.
func (w Way) Middle() geom.Point {
	if len(w) == 1 {
		return w[0].At(0.5)
	}
	length := 0.0
	for _, c := range w {
		length += c[3].Sub(c[0]).Length()
	}
	rest := length / 2
	for _, c := range w {
		piece := c[3].Sub(c[0]).Length()
		if rest <= piece && piece > 0 {
			return c.At(rest / piece)
		}
		rest -= piece
	}
	_, end := w.Ends()
	return end
}

// distance returns the distance of p from the path.
func (w Way) distance(p geom.Point) float64 {
	nearest := math.Inf(1)
	for _, c := range w {
		nearest = min(nearest, c.distance(p))
	}
	return nearest
}

func (w Way) moved(by geom.Point) Way {
	moved := make(Way, len(w))
	for i, c := range w {
		moved[i] = c.through(by.Add)
	}
	return moved
}

// MiddleOf returns the point in the middle of a wire.
func (s *Scene) MiddleOf(wire workflow.Connection) (at geom.Point, ok bool) {
	for i := range s.Wires {
		if s.Wires[i].Connection == wire {
			return s.Wires[i].Way.Middle(), true
		}
	}
	return at, false
}

// Via returns the points of a wire; none if it is routed automatically.
func Via(c workflow.Connection) []workflow.Position {
	if c.Via == nil {
		return nil
	}
	return *c.Via
}
