package geom

import "math"

// The control points of a wire are at least minReach and at most maxReach away
// from its ends, in dp.
const (
	minReach = 40
	maxReach = 240
)

// WireCurve returns the ends and the control points of a wire that nothing is in the way
// of: a cubic Bézier curve that leaves to the right and arrives from the left, also where
// the end lies behind the beginning.
func WireCurve(from, to Point) [4]Point {
	reach := min(max(math.Abs(to.X-from.X)/2, minReach), maxReach)
	return [4]Point{from, {from.X + reach, from.Y}, {to.X - reach, to.Y}, to}
}

// CurveAt returns the point of a cubic Bézier curve at t, from 0 to 1.
func CurveAt(c [4]Point, t float64) Point {
	u := 1 - t
	a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return Point{
		a*c[0].X + b*c[1].X + d*c[2].X + e*c[3].X,
		a*c[0].Y + b*c[1].Y + d*c[2].Y + e*c[3].Y,
	}
}
