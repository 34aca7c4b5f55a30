// Package geom has points, rectangles and the grid of the canvas, in dp, and a spatial
// index.
package geom

import "math"

// Pitch is the grid spacing that nodes and notes snap to, in dp.
const Pitch = 8

// Point is a position or a distance; y grows downwards.
type Point struct{ X, Y float64 }

// Add returns p moved by q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub returns p minus q, the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Scale returns p with both coordinates multiplied by f.
func (p Point) Scale(f float64) Point { return Point{p.X * f, p.Y * f} }

// Length returns the distance of p from the origin.
func (p Point) Length() float64 { return math.Hypot(p.X, p.Y) }

// Snap returns the nearest point on a grid with the given spacing.
func (p Point) Snap(pitch float64) Point {
	return Point{math.Round(p.X/pitch) * pitch, math.Round(p.Y/pitch) * pitch}
}

// SnapUp returns the next point on a grid to the lower right.
func (p Point) SnapUp(pitch float64) Point {
	return Point{math.Ceil(p.X/pitch) * pitch, math.Ceil(p.Y/pitch) * pitch}
}

// Rect is an axis-aligned rectangle. The zero value is empty.
type Rect struct{ Min, Max Point }

// RectAt returns the rectangle with its top left corner at p.
func RectAt(p Point, w, h float64) Rect { return Rect{p, Point{p.X + w, p.Y + h}} }

// RectBetween returns the rectangle with a and b as opposite corners.
func RectBetween(a, b Point) Rect {
	return Rect{Point{min(a.X, b.X), min(a.Y, b.Y)}, Point{max(a.X, b.X), max(a.Y, b.Y)}}
}

// W returns the width of r.
func (r Rect) W() float64 { return r.Max.X - r.Min.X }

// H returns the height of r.
func (r Rect) H() float64 { return r.Max.Y - r.Min.Y }

// Center returns the center of r.
func (r Rect) Center() Point { return Point{(r.Min.X + r.Max.X) / 2, (r.Min.Y + r.Max.Y) / 2} }

// Empty reports whether r has no area.
func (r Rect) Empty() bool { return r.Max.X <= r.Min.X || r.Max.Y <= r.Min.Y }

// Contains reports whether p lies in r or on its edge.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.Min.X && p.X <= r.Max.X && p.Y >= r.Min.Y && p.Y <= r.Max.Y
}

// Overlaps reports whether r and s share a point.
func (r Rect) Overlaps(s Rect) bool {
	return r.Min.X <= s.Max.X && s.Min.X <= r.Max.X && r.Min.Y <= s.Max.Y && s.Min.Y <= r.Max.Y
}

// Union returns the smallest rectangle around both; an empty one is ignored.
func (r Rect) Union(s Rect) Rect {
	switch {
	case r.Empty():
		return s
	case s.Empty():
		return r
	}
	return Rect{Point{min(r.Min.X, s.Min.X), min(r.Min.Y, s.Min.Y)}, Point{max(r.Max.X, s.Max.X), max(r.Max.Y, s.Max.Y)}}
}

// Grow returns r with each edge moved outwards by d.
func (r Rect) Grow(d float64) Rect {
	return Rect{Point{r.Min.X - d, r.Min.Y - d}, Point{r.Max.X + d, r.Max.Y + d}}
}

// Scaled returns r grown equally on all sides so that its width is multiplied by by. A
// square keeps its center and shape.
func (r Rect) Scaled(by float64) Rect { return r.Grow(r.W() * (by - 1) / 2) }

// Move returns r moved by d.
func (r Rect) Move(d Point) Rect { return Rect{r.Min.Add(d), r.Max.Add(d)} }
