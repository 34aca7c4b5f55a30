package canvas

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
)

// port draws the shape of a value type. Fyne draws strokes within the bounds of a shape, but
// half of this one must be outside, so the shape is drawn larger.
func (b *brush) port(i *scene.Item) {
	half := float64(i.Width) / 2
	switch i.Shape {
	case scene.Triangle:
		b.polygon(i.Box.Scaled(scene.TriangleScale).Grow(2*half), 3, 90, i)
	case scene.Diamond:
		b.polygon(i.Box.Scaled(scene.DiamondScale).Grow(math.Sqrt2*half), 4, 0, i)
	case scene.Square:
		b.plate(i.Box.Scaled(scene.SquareScale).Grow(half), 1, i.Fill, i.Stroke, i.Width)
	case scene.Notched:
		b.disc(i, half)
		b.notch(i)
	case scene.Dot, scene.Ring:
		b.disc(i, half)
	}
}

// disc draws a circle with its edge, as a rectangle with round corners: Fyne's painters
// disagree on where the stroke of a circle is.
func (b *brush) disc(i *scene.Item, half float64) {
	box := i.Box.Grow(half)
	b.plate(box, float32(box.W()/2), i.Fill, i.Stroke, i.Width)
}

// polygon draws a regular polygon; at an angle of 0 one corner points upwards.
func (b *brush) polygon(box geom.Rect, sides uint, angle float32, i *scene.Item) {
	p := b.polygons.take()
	p.StrokeWidth = 0 // Resize would refresh it
	p.Move(position(box.Min))
	p.Resize(size(box))
	p.Sides, p.Angle = sides, angle
	p.FillColor, p.StrokeColor, p.StrokeWidth = b.colors.of(i.Fill), b.colors.of(i.Stroke), i.Width
	b.add(p)
}

// notch cuts into a dot from above.
func (b *brush) notch(i *scene.Item) {
	top := geom.Point{X: i.Box.Center().X, Y: i.Box.Min.Y}
	b.line(top, i.Box.Center(), i.Stroke, max(i.Width, 2))
}
