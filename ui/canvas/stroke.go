package canvas

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
)

// dash is the length of dashes and of the gaps between, in pixels.
const dash = 5

// wire draws a curve as straight lines; if it is dashed, only every other one.
func (b *brush) wire(i *scene.Item) {
	if i.Dashed {
		b.dashedCurve(i)
		return
	}
	pieces := float64(max(i.Segments, 1))
	from := i.Curve.At(0).Snap(1)
	for k := 1.0; k < pieces; k++ {
		if to, ok := joint(&i.Curve, k/pieces, 0.5/pieces); ok {
			b.piece(from, to, i)
			from = to
		}
	}
	b.piece(from, i.Curve.At(1).Snap(1), i)
}

// piece draws one line of a wire. Painters round the ends of lines to whole pixels and smooth
// their edges, which makes slanting lines half a pixel thicker and horizontal and vertical
// ones half a pixel thinner. So the latter are drawn as rectangles, with a translucent one
// beside.
func (b *brush) piece(from, to geom.Point, i *scene.Item) {
	const thin = 2 // pixels; below it the difference is invisible
	if i.Width < thin || from.X != to.X && from.Y != to.Y || from == to {
		b.line(from, to, i.Stroke, i.Width)
		return
	}
	whole := math.Round(float64(i.Width)+0.5) - 1
	side := geom.Point{X: 1}
	if from.Y == to.Y {
		side = geom.Point{Y: 1}
	}
	r := geom.RectBetween(from, to)
	if !r.Grow(whole).Overlaps(geom.Rect{Max: geom.Point{X: float64(b.room.Width), Y: float64(b.room.Height)}}) {
		return
	}
	low := r.Min.Sub(side.Scale(math.Floor(whole / 2)))
	b.plate(geom.Rect{Min: low, Max: r.Max.Add(low.Sub(r.Min)).Add(side.Scale(whole))}, 0, i.Stroke, scene.Paint{}, 0)
	edge := low.Add(side.Scale(whole))
	b.plate(geom.Rect{Min: edge, Max: r.Max.Add(edge.Sub(r.Min)).Add(side)}, 0, i.Stroke.Faded(50), scene.Paint{}, 0)
}

// dashedCurve draws a curve as dashes of equal length, measured along the curve.
func (b *brush) dashedCurve(i *scene.Item) {
	const slowest = 20 // pixels for the whole curve, so that the loop ends
	drawn := true
	for t := 0.0; t < 1; drawn = !drawn {
		end := min(t+dash/max(speed(&i.Curve, t).Length(), slowest), 1)
		if drawn {
			b.line(i.Curve.At(t), i.Curve.At(end), i.Stroke, i.Width)
		}
		t = end
	}
}

// speed returns the derivative of a curve at t.
func speed(c *scene.Curve, t float64) geom.Point {
	const tiny = 1e-3
	return c.At(t + tiny).Sub(c.At(t - tiny)).Scale(1 / (2 * tiny))
}

// joint returns where two segments of a curve should meet: near t, where the curve crosses
// the middle of a pixel. Painters round the ends of lines to whole pixels, so a flat curve
// with arbitrary joints would look like stairs. ok is false if no such point is within reach
// of t; then the segment continues.
func joint(c *scene.Curve, t, reach float64) (p geom.Point, ok bool) {
	p = c.At(t)
	along := speed(c, t)
	off, pace := math.Round(p.Y)-p.Y, along.Y
	if math.Abs(along.Y) > math.Abs(along.X) {
		off, pace = math.Round(p.X)-p.X, along.X
	}
	if math.Abs(off) > math.Abs(pace)*reach {
		return p, false
	}
	if pace != 0 {
		p = c.At(t + off/pace)
	}
	return p.Snap(1), true
}

// dashedEdge draws the dashed edge of a rectangle, with a dash at each corner.
func (b *brush) dashedEdge(i *scene.Item) {
	radius := float64(i.Radius)
	in := i.Box.Grow(-radius)
	corners := [4]geom.Point{{X: in.Max.X, Y: in.Min.Y}, in.Max, {X: in.Min.X, Y: in.Max.Y}, in.Min}
	outwards := [4]geom.Point{{X: radius}, {Y: radius}, {X: -radius}, {Y: -radius}}
	for k, corner := range corners {
		b.dashes(corner.Add(outwards[k]), corners[(k+1)%4].Add(outwards[k]), i)
		const quarter, gap = 90, 20 // degrees
		from := float32(k * quarter)
		b.ring(geom.RectBetween(corner, corner).Grow(radius), i.Stroke, i.Width, from+gap, from+quarter-gap)
	}
}

// dashes draws a line that begins and ends with a dash.
func (b *brush) dashes(from, to geom.Point, i *scene.Item) {
	way := to.Sub(from)
	pairs := math.Max(math.Round(way.Length()/(2*dash)), 1)
	pieces := 2*pairs - 1
	for k := 0.0; k < pieces; k += 2 {
		b.line(from.Add(way.Scale(k/pieces)), from.Add(way.Scale((k+1)/pieces)), i.Stroke, atLeastAPixel(i.Width))
	}
}

// hatch hatches a box with round corners.
func (b *brush) hatch(i *scene.Item) {
	for _, l := range scene.Hatching(i.Box, float64(i.Radius)) {
		b.line(l[0], l[1], i.Stroke, 1)
	}
}
