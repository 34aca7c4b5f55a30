package canvas

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
)

// port draws the shape that stands for a type. Fyne draws strokes within the bounds of
// a shape; half of this one is to lie outside, so the shape is drawn larger.
func (b *brush) port(i *scene.Item) {
	const triangle, diamond, square = 1.3, 1.25, 0.85 // so that all look equally large
	half := float64(i.Width) / 2
	switch i.Shape {
	case scene.Triangle:
		b.polygon(scaled(i.Box, triangle).Grow(2*half), 3, 90, i)
	case scene.Diamond:
		b.polygon(scaled(i.Box, diamond).Grow(math.Sqrt2*half), 4, 0, i)
	case scene.Square:
		b.plate(scaled(i.Box, square).Grow(half), 1, i.Fill, i.Stroke, i.Width)
	case scene.Notched:
		b.disc(i, half)
		b.notch(i)
	case scene.Dot, scene.Ring:
		b.disc(i, half)
	}
}

// disc draws a circle with its edge, as a plate that is all corners: Fyne's painters do
// not agree where the stroke of its own circles lies.
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

// scaled returns a box of another size about the same middle.
func scaled(box geom.Rect, by float64) geom.Rect { return box.Grow(box.W() * (by - 1) / 2) }
