package canvas

import (
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"github.com/svcflow/svc/engine/layout/geom"
	colors1 "github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

// brush makes a frame from the items of a draw list and the primitives of the last frame. It
// sets fields where Fyne would refresh: of Fyne's methods, only Move and Resize search for
// their window.
type brush struct {
	colors   colors
	room     fyne.Size // objects outside of it are invisible
	objects  []fyne.CanvasObject
	rects    pool[canvas.Rectangle]
	circles  pool[canvas.Circle]
	arcs     pool[canvas.Arc]
	lines    pool[canvas.Line]
	texts    pool[canvas.Text]
	polygons pool[canvas.Polygon]
	icons    map[iconKey]*pool[canvas.Image]
	pictures map[image.Image]*canvas.Image
}

// iconKey identifies an icon image.
type iconKey struct {
	name  string
	paint scene.Paint
}

// restyle adopts the colours of a scheme.
func (b *brush) restyle(p *theme.Palette) {
	b.colors = newColors(p)
	b.icons = map[iconKey]*pool[canvas.Image]{}
}

// begin starts a frame with its background.
func (b *brush) begin(ground fyne.CanvasObject) {
	b.room = ground.Size()
	clear(b.objects) // the list must not keep objects alive that are out of view
	b.objects = append(b.objects[:0], ground)
	b.rects.begin()
	b.circles.begin()
	b.arcs.begin()
	b.lines.begin()
	b.texts.begin()
	b.polygons.begin()
	for _, p := range b.icons {
		p.begin()
	}
	const most = 64 // pictures in the cache; more than that, and unused ones are dropped
	if len(b.pictures) > most {
		clear(b.pictures)
	}
}

// paint adds one item.
func (b *brush) paint(i *scene.Item) {
	switch i.Kind {
	case scene.ItemRect:
		b.rect(i)
	case scene.ItemCircle:
		b.circle(i.Box, i.Fill, i.Stroke, i.Width)
	case scene.ItemArc:
		b.ring(i.Box, i.Stroke, i.Width, 0, i.Sweep)
	case scene.ItemLine:
		b.line(i.Box.Min, i.Box.Max, i.Stroke, i.Width)
	case scene.ItemWire:
		b.wire(i)
	case scene.ItemText:
		b.text(i)
	case scene.ItemIcon:
		b.icon(i)
	case scene.ItemPort:
		b.port(i)
	case scene.ItemHatch:
		b.hatch(i)
	case scene.ItemPicture:
		b.picture(i)
	}
}

func (b *brush) add(o fyne.CanvasObject) { b.objects = append(b.objects, o) }

func (b *brush) rect(i *scene.Item) {
	stroke, width := i.Stroke, i.Width
	if i.Dashed {
		stroke, width = scene.Paint{}, 0
	}
	b.plate(i.Box, i.Radius, i.Fill, stroke, width)
	if i.Dashed {
		b.dashedEdge(i)
	}
}

func (b *brush) plate(box geom.Rect, radius float32, fill, stroke scene.Paint, width float32) {
	r := b.rects.take()
	r.StrokeWidth = 0 // Resize would refresh it
	r.Move(position(box.Min))
	r.Resize(size(box))
	r.FillColor, r.StrokeColor, r.CornerRadius = b.colors.of(fill), b.colors.of(stroke), 0
	if radius >= 1 { // a smaller one is invisible, and Fyne paints faster without it
		r.CornerRadius = radius
	}
	if stroke.Ink != scene.NoInk {
		r.StrokeWidth = atLeastAPixel(width)
	}
	b.add(r)
}

func (b *brush) circle(box geom.Rect, fill, stroke scene.Paint, width float32) {
	if fill.Ink == scene.NoInk {
		b.ring(box, stroke, width, 0, 360)
		return
	}
	c := b.circles.take()
	c.Position1, c.Position2 = position(box.Min), position(box.Max)
	c.FillColor, c.StrokeColor, c.StrokeWidth = b.colors.of(fill), b.colors.of(stroke), 0
	if stroke.Ink != scene.NoInk {
		c.StrokeWidth = atLeastAPixel(width)
	}
	b.add(c)
}

// ring draws an arc between two angles, in degrees clockwise from the top. Half of the stroke
// is outside of the box. A full circle is an arc, too: Fyne's painters disagree on where the
// stroke of a circle is.
func (b *brush) ring(box geom.Rect, stroke scene.Paint, width, from, to float32) {
	width = atLeastAPixel(width)
	box = box.Grow(float64(width) / 2)
	a := b.arcs.take()
	a.Move(position(box.Min))
	a.Resize(size(box))
	a.FillColor, a.StrokeColor = b.colors.of(stroke), color.Transparent
	a.StartAngle, a.EndAngle = from, to
	a.CutoutRatio = max(0, 1-2*width/float32(box.W()))
	b.add(a)
}

// line draws a straight line if it may be in view: most lines of a curve may not be, and Fyne
// would paint them, too.
func (b *brush) line(from, to geom.Point, stroke scene.Paint, width float32) {
	margin := float64(width)
	if max(from.X, to.X) < -margin || min(from.X, to.X) > float64(b.room.Width)+margin ||
		max(from.Y, to.Y) < -margin || min(from.Y, to.Y) > float64(b.room.Height)+margin {
		return
	}
	l := b.lines.take()
	l.Position1, l.Position2 = position(from), position(to)
	l.StrokeColor, l.StrokeWidth = b.colors.of(stroke), width
	b.add(l)
}

// text draws a text. It computes the position itself, because Fyne refreshes a text that is
// resized. Sizes are rounded to half pixels: Fyne renders a picture for each size.
func (b *brush) text(i *scene.Item) {
	if i.Text == "" {
		return
	}
	t := b.texts.take()
	t.Text, t.Color = i.Text, b.colors.ofText(i.Fill)
	t.TextSize = float32(math.Floor(float64(i.Size)*2) / 2)
	t.TextStyle = fyne.TextStyle{Bold: i.Bold, Monospace: i.Mono}
	t.Move(placed(i.Box, i.Align, t.MinSize()))
	b.add(t)
}

// placed returns where a text of that size begins in its box.
func placed(box geom.Rect, align scene.Align, text fyne.Size) fyne.Position {
	at := fyne.NewPos(float32(box.Min.X), float32(box.Center().Y)-text.Height/2)
	switch align {
	case scene.Centered:
		at.X = float32(box.Center().X) - text.Width/2
	case scene.Trailing:
		at.X = float32(box.Max.X) - text.Width
	case scene.Leading:
	}
	return at
}

// picture draws a picture in its box. Each has its own image object, so that Fyne keeps its
// texture.
func (b *brush) picture(i *scene.Item) {
	m := b.pictures[i.Picture]
	if m == nil {
		if b.pictures == nil {
			b.pictures = map[image.Image]*canvas.Image{}
		}
		m = canvas.NewImageFromImage(i.Picture)
		m.FillMode = canvas.ImageFillContain
		b.pictures[i.Picture] = m
	}
	m.Move(position(i.Box.Min))
	m.Resize(size(i.Box))
	b.add(m)
}

// icon draws an icon in the middle of its box. Icons grow in steps: Fyne renders them for
// each size.
func (b *brush) icon(i *scene.Item) {
	const step = 8
	side := max(math.Round(i.Box.W()/step)*step, step)
	key := iconKey{i.Text, i.Fill}
	images := b.icons[key]
	if images == nil {
		images = &pool[canvas.Image]{}
		b.icons[key] = images
	}
	m := images.take()
	if m.Resource == nil {
		fill := colors1.Color(i.Fill, b.colors.palette)
		m.Resource, m.Translucency = theme.Icon(i.Text, fill), 1-float64(fill.A)/0xFF
	}
	middle := i.Box.Center()
	m.Move(position(middle.Sub(geom.Point{X: side / 2, Y: side / 2}).Snap(1)))
	m.Resize(fyne.NewSquareSize(float32(side)))
	b.add(m)
}

// atLeastAPixel keeps strokes visible.
func atLeastAPixel(width float32) float32 { return max(width, 1) }

func position(p geom.Point) fyne.Position { return fyne.NewPos(float32(p.X), float32(p.Y)) }

func size(r geom.Rect) fyne.Size { return fyne.NewSize(float32(r.W()), float32(r.H())) }
