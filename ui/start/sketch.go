package start

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/vector"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

// sketch paints the draw list of a board in small: without texts, icons and grid, and with a
// minimum width of lines.
type sketch struct {
	image  *image.RGBA
	colors *theme.Palette
	scale  float64 // dp of the picture to a dp of the document
	pixels float64 // to a dp of the picture
	pen    vector.Rasterizer
}

// shape is a closed polygon.
type shape []geom.Point

func (s *sketch) add(i *scene.Item) {
	const ports = 0.35 // below this scale ports would be specks
	switch i.Kind {
	case scene.ItemPort:
		if s.scale >= ports {
			s.oval(i)
		}
	case scene.ItemCircle:
		s.oval(i)
	case scene.ItemRect:
		s.plate(i)
	case scene.ItemWire:
		s.wire(i)
	case scene.ItemArc, scene.ItemLine, scene.ItemText, scene.ItemIcon, scene.ItemHatch:
	}
}

func (s *sketch) oval(i *scene.Item) {
	at, r := s.toPixels(i.Box.Center()), i.Box.W()/2*s.scale*s.pixels
	s.outlined(i, func(by float64) shape { return rounded(at.X-r-by, at.Y-r-by, at.X+r+by, at.Y+r+by, r+by) })
}

func (s *sketch) plate(i *scene.Item) {
	low, high := s.toPixels(i.Box.Min), s.toPixels(i.Box.Max)
	radius := max(float64(i.Radius)*s.scale, 2) * s.pixels
	radius = min(radius, (high.Y-low.Y)/2)
	s.outlined(i, func(by float64) shape {
		return rounded(low.X-by, low.Y-by, high.X+by, high.Y+by, max(radius+by, 0))
	})
}

// outlined fills a shape, which may be enlarged by some pixels, and draws its edge.
func (s *sketch) outlined(i *scene.Item, larger func(by float64) shape) {
	s.fill(i.Fill, larger(0))
	if i.Stroke.Ink != scene.NoInk {
		half := s.width(i) / 2
		s.fill(i.Stroke, larger(half), backwards(larger(-half)))
	}
}

// wire draws a curve as a ribbon: along one side of it, and back along the other.
func (s *sketch) wire(i *scene.Item) {
	const steps = 24
	half := s.width(i) / 2
	var there, back shape
	for k := range steps + 1 {
		t := float64(k) / steps
		at := s.toPixels(i.Curve.At(t))
		ahead := i.Curve.At(min(t+0.01, 1)).Sub(i.Curve.At(max(t-0.01, 0)))
		length := ahead.Length()
		if length == 0 {
			continue
		}
		side := geom.Point{X: -ahead.Y, Y: ahead.X}.Scale(half / length)
		there, back = append(there, at.Add(side)), append(back, at.Sub(side))
	}
	s.fill(i.Stroke, append(there, backwards(back)...))
}

// toPixels converts a point to pixels of the picture.
func (s *sketch) toPixels(p geom.Point) geom.Point { return p.Scale(s.scale * s.pixels) }

// width returns the width of a line in pixels.
func (s *sketch) width(i *scene.Item) float64 {
	const thinnest = 1.2
	return max(float64(i.Width)*s.scale, thinnest) * s.pixels
}

// fill fills shapes; those in the opposite direction are holes.
func (s *sketch) fill(p scene.Paint, shapes ...shape) {
	if p.Ink == scene.NoInk {
		return
	}
	low, high := geom.Point{X: math.Inf(1), Y: math.Inf(1)}, geom.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, one := range shapes {
		for _, at := range one {
			low.X, low.Y = min(low.X, at.X), min(low.Y, at.Y)
			high.X, high.Y = max(high.X, at.X), max(high.Y, at.Y)
		}
	}
	box := image.Rect(int(math.Floor(low.X)), int(math.Floor(low.Y)), int(math.Ceil(high.X)), int(math.Ceil(high.Y)))
	if !box.Overlaps(s.image.Rect) {
		return
	}
	s.pen.Reset(box.Dx(), box.Dy())
	for _, one := range shapes {
		for k, at := range one {
			x, y := float32(at.X-float64(box.Min.X)), float32(at.Y-float64(box.Min.Y))
			if k == 0 {
				s.pen.MoveTo(x, y)
			} else {
				s.pen.LineTo(x, y)
			}
		}
		s.pen.ClosePath()
	}
	s.pen.Draw(s.image, box, image.NewUniform(s.color(p)), image.Point{})
}

// rounded returns a rectangle with round corners, clockwise.
func rounded(x0, y0, x1, y1, r float64) shape {
	const steps = 6 // of a quarter of a circle
	corners := []geom.Point{{X: x1 - r, Y: y0 + r}, {X: x1 - r, Y: y1 - r}, {X: x0 + r, Y: y1 - r}, {X: x0 + r, Y: y0 + r}}
	var all shape
	for quarter, at := range corners {
		for k := range steps + 1 {
			sin, cos := math.Sincos((float64(quarter-1) + float64(k)/steps) * math.Pi / 2)
			all = append(all, at.Add(geom.Point{X: r * cos, Y: r * sin}))
		}
	}
	return all
}

func backwards(s shape) shape {
	all := make(shape, 0, len(s))
	for k := range s {
		all = append(all, s[len(s)-1-k])
	}
	return all
}

// color returns the colour of a paint. Hairlines would be invisible.
func (s *sketch) color(p scene.Paint) color.NRGBA {
	if p.Ink == scene.InkLine || p.Ink == scene.InkGrid {
		p.Ink = scene.InkDim
	}
	return colors.Color(p, s.colors)
}
