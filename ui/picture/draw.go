package picture

import (
	"image"
	"image/color"
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

// stroke is how a shape is painted. Transparent colours paint nothing.
type stroke struct {
	fill, line color.NRGBA
	width      float64
	dashed     bool
}

// edge returns s without its fill.
func (s stroke) edge() stroke { return stroke{line: s.line, width: s.width, dashed: s.dashed} }

// writing is a text with its style. Its box gives the position; see [scene.Align].
type writing struct {
	ink        color.NRGBA
	size       float64
	bold, mono bool
	align      scene.Align
}

// paper takes primitives. Positions are in dp from the top left corner.
type paper interface {
	rect(box geom.Rect, radius float64, s stroke)
	circle(box geom.Rect, s stroke)
	arc(box geom.Rect, sweep float64, s stroke) // clockwise from the top, in degrees
	line(from, to geom.Point, s stroke)
	curve(c scene.Curve, s stroke)
	polygon(corners []geom.Point, s stroke)
	text(box geom.Rect, text string, w writing)
	icon(box geom.Rect, name string, ink color.NRGBA)
	picture(box geom.Rect, picture image.Image)
}

// draw draws items on paper.
func draw(on paper, items []scene.Item, p *theme.Palette) {
	for i := range items {
		drawItem(on, &items[i], p)
	}
}

func drawItem(on paper, i *scene.Item, p *theme.Palette) {
	s := stroke{colors.Color(i.Fill, p), colors.Color(i.Stroke, p), float64(i.Width), i.Dashed}
	switch i.Kind {
	case scene.ItemRect:
		on.rect(i.Box, float64(i.Radius), s)
	case scene.ItemCircle:
		on.circle(i.Box, s)
	case scene.ItemArc:
		if i.Sweep >= 360 {
			on.circle(i.Box, s)
		} else {
			on.arc(i.Box, float64(i.Sweep), s)
		}
	case scene.ItemLine:
		on.line(i.Box.Min, i.Box.Max, s)
	case scene.ItemWire:
		on.curve(i.Curve, s)
	case scene.ItemText:
		on.text(i.Box, i.Text, writing{s.fill, float64(i.Size), i.Bold, i.Mono, i.Align})
	case scene.ItemIcon:
		on.icon(i.Box, i.Text, s.fill)
	case scene.ItemPort:
		port(on, i, s)
	case scene.ItemHatch:
		s.width = 1
		for _, l := range scene.Hatching(i.Box, float64(i.Radius)) {
			on.line(l[0], l[1], s)
		}
	case scene.ItemPicture:
		on.picture(fitted(i.Box, i.Picture.Bounds()), i.Picture)
	}
}

// port draws the shape of a value type.
func port(on paper, i *scene.Item, s stroke) {
	switch i.Shape {
	case scene.Triangle:
		on.polygon(corners(i.Box, scene.TriangleScale, 3, 90), s)
	case scene.Diamond:
		on.polygon(corners(i.Box, scene.DiamondScale, 4, 0), s)
	case scene.Square:
		on.rect(i.Box.Scaled(scene.SquareScale), 1, s)
	case scene.Notched:
		on.circle(i.Box, s)
		on.line(geom.Point{X: i.Box.Center().X, Y: i.Box.Min.Y}, i.Box.Center(), stroke{line: s.line, width: max(s.width, 2)})
	case scene.Dot, scene.Ring:
		on.circle(i.Box, s)
	}
}

// corners returns the corners of a regular polygon; at an angle of 0 one points upwards.
func corners(box geom.Rect, scale float64, sides int, angle float64) []geom.Point {
	box = box.Scaled(scale)
	all := make([]geom.Point, sides)
	for k := range all {
		turn := (angle + 360*float64(k)/float64(sides)) * math.Pi / 180
		all[k] = box.Center().Add(geom.Point{X: math.Sin(turn), Y: -math.Cos(turn)}.Scale(box.W() / 2))
	}
	return all
}

// fitted returns the largest box with a picture's proportions within a box.
func fitted(box geom.Rect, picture image.Rectangle) geom.Rect {
	w, h := float64(max(picture.Dx(), 1)), float64(max(picture.Dy(), 1))
	scale := min(box.W()/w, box.H()/h)
	middle := box.Center()
	half := geom.Point{X: w * scale / 2, Y: h * scale / 2}
	return geom.Rect{Min: middle.Sub(half), Max: middle.Add(half)}
}

// baseline returns the baseline of a text that is centred vertically in its box.
func baseline(box geom.Rect, size float64) float64 {
	const rise = 0.36 // of Noto Sans: half the height of its capitals
	return box.Center().Y + rise*size
}
