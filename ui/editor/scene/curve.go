package scene

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
)

// Curve is a cubic Bézier curve: two ends with their control points between.
type Curve [4]geom.Point

// WireCurve returns the curve of a wire from an output to an input; see [geom.WireCurve].
func WireCurve(from, to geom.Point) Curve { return geom.WireCurve(from, to) }

// At returns the point of c at t, from 0 to 1.
func (c Curve) At(t float64) geom.Point { return geom.CurveAt(c, t) }

// Bounds returns a rectangle that contains c. It may be larger than necessary.
func (c Curve) Bounds() geom.Rect {
	r := geom.RectBetween(c[0], c[1])
	for _, p := range c[2:] {
		r = geom.Rect{Min: geom.Point{X: min(r.Min.X, p.X), Y: min(r.Min.Y, p.Y)}, Max: geom.Point{X: max(r.Max.X, p.X), Y: max(r.Max.Y, p.Y)}}
	}
	return r
}

// Segments returns how many straight lines draw c well at that length on the screen: one per
// 14 pixels, but no more than are needed to stay within three quarters of a pixel of the
// curve, and at most 40. Adjacent lines differ by at most 30 degrees, because a larger angle
// is a visible kink in a wide wire. A straight c has one.
func (c Curve) Segments(zoom float64) int {
	const pixels, far, most, sharpest, wide = 14, 0.75, 40, 30 * math.Pi / 180, 0.5
	turn := turned(c[0], c[1], c[2]) + turned(c[1], c[2], c[3])
	if turn < 1e-9 {
		return 1
	}
	length := c[1].Sub(c[0]).Length() + c[2].Sub(c[1]).Length() + c[3].Sub(c[2]).Length()
	// A chord over 1/n of a curve is no further from it than its second derivative,
	// which is at most 6 times the bend, divided by 8 n².
	bend := max(c[0].Sub(c[1].Scale(2)).Add(c[2]).Length(), c[1].Sub(c[2].Scale(2)).Add(c[3]).Length())
	enough := math.Ceil(math.Sqrt(6 * bend * zoom / 8 / far))
	least := 2.0
	if zoom >= wide {
		least = max(least, math.Ceil(turn/sharpest))
	}
	return int(min(max(min(length*zoom/pixels, enough), least), most))
}

// turned returns the angle between the two lines through three points.
func turned(a, b, c geom.Point) float64 {
	in, out := b.Sub(a), c.Sub(b)
	return math.Abs(math.Atan2(in.X*out.Y-in.Y*out.X, in.X*out.X+in.Y*out.Y))
}

// farSegments is Segments for wires of a few pixels between blocks: one line per 24 pixels,
// at most 4.
func (c Curve) farSegments(zoom float64) int {
	const pixels, most = 24, 4
	return int(min(max(c[3].Sub(c[0]).Length()*zoom/pixels, 1), most))
}

// distance returns the distance of p from c.
func (c Curve) distance(p geom.Point) float64 {
	const pieces = 24
	if c.Segments(1) == 1 {
		return distanceToLine(p, c[0], c[3])
	}
	nearest := math.Inf(1)
	at := c[0]
	for i := 1; i <= pieces; i++ {
		next := c.At(float64(i) / pieces)
		nearest = min(nearest, distanceToLine(p, at, next))
		at = next
	}
	return nearest
}

// through returns c with f applied to its points.
func (c Curve) through(f func(geom.Point) geom.Point) Curve {
	return Curve{f(c[0]), f(c[1]), f(c[2]), f(c[3])}
}

// distanceToLine returns the distance of p from the line between a and b.
func distanceToLine(p, a, b geom.Point) float64 {
	along, to := b.Sub(a), p.Sub(a)
	length := along.X*along.X + along.Y*along.Y
	if length == 0 {
		return to.Length()
	}
	t := min(max((to.X*along.X+to.Y*along.Y)/length, 0), 1)
	return p.Sub(a.Add(along.Scale(t))).Length()
}
