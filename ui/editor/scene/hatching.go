package scene

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
)

// Hatching returns the slanting lines of a box, clipped at its round corners.
func Hatching(r geom.Rect, radius float64) (lines [][2]geom.Point) {
	const pitch = 8 // pixels
	for d := r.Min.X - r.H() + pitch; d < r.Max.X; d += pitch {
		low, high := math.Max(d, r.Min.X), math.Min(d+r.H(), r.Max.X)
		at := func(x float64) geom.Point { return geom.Point{X: x, Y: r.Max.Y - (x - d)} }
		middle := at((low + high) / 2)
		if high <= low || !inside(r, radius, middle) {
			continue
		}
		lines = append(lines, [2]geom.Point{toEdge(r, radius, middle, at(low)), toEdge(r, radius, middle, at(high))})
	}
	return lines
}

// toEdge returns the last inside point on the line from an inside point to another.
func toEdge(r geom.Rect, radius float64, in, out geom.Point) geom.Point {
	const halvings = 7
	if inside(r, radius, out) {
		return out
	}
	for range halvings {
		middle := in.Add(out).Scale(0.5)
		if inside(r, radius, middle) {
			in = middle
		} else {
			out = middle
		}
	}
	return in
}

// inside reports whether a point is in a rectangle with round corners.
func inside(r geom.Rect, radius float64, p geom.Point) bool {
	dx := math.Max(math.Max(r.Min.X+radius-p.X, p.X-r.Max.X+radius), 0)
	dy := math.Max(math.Max(r.Min.Y+radius-p.Y, p.Y-r.Max.Y+radius), 0)
	return dx*dx+dy*dy <= radius*radius || radius == 0 && r.Contains(p)
}
