package geom

import "math"

// The control points of a wire are at least minReach and at most maxReach away from its
// ends, in dp.
const (
	minReach = 40
	maxReach = 240
)

// WireCurve returns the ends and the control points of a wire without obstacles: a cubic
// Bézier curve that leaves to the right and arrives from the left, even if the end is to
// the left of the beginning.
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

// CornerRadius is the radius of the corners of wires that are routed around cards.
// PointRadius is that of corners at points that a user has set; it is small, so that the
// wire touches the points. Both are in dp.
const (
	CornerRadius = 12.0
	PointRadius  = 10.0
)

// LedCurves returns a wire through points: straight lines, with round corners if there is
// room for them.
func LedCurves(points []Point, radius float64) [][4]Point {
	last := len(points) - 1
	curves, at := make([][4]Point, 0, 2*last), points[0]
	for i := 1; i < last; i++ {
		corner := points[i]
		enter, leave := toward(corner, points[i-1], radius), toward(corner, points[i+1], radius)
		if enter != at {
			curves = append(curves, straight(at, enter))
		}
		const control = 2.0 / 3 // converts a quadratic curve to a cubic one
		curves = append(curves, [4]Point{enter, enter.Add(corner.Sub(enter).Scale(control)), leave.Add(corner.Sub(leave).Scale(control)), leave})
		at = leave
	}
	if end := points[last]; end != at || len(curves) == 0 {
		curves = append(curves, straight(at, end))
	}
	return curves
}

// toward returns the point at distance far from a corner in the direction of another point,
// but at most half-way.
func toward(corner, other Point, far float64) Point {
	way := other.Sub(corner)
	length := way.Length()
	if length == 0 {
		return corner
	}
	return corner.Add(way.Scale(min(far, length/2) / length))
}

func straight(a, b Point) [4]Point {
	third := b.Sub(a).Scale(1.0 / 3)
	return [4]Point{a, a.Add(third), b.Sub(third), b}
}
