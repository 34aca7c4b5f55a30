package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// The widths of lines, in dp.
const (
	WireWidth = 2.5
	ringWidth = 4.0
)

// Pen draws a scene: it adds items to a list, converting positions and sizes of the document
// to the screen. Its zero value is ready to use; it reuses its memory.
type Pen struct {
	look  Look
	scene *Scene // the level that is drawn
	items []Item
	nodes []bool // which cards are in view
	lines []bool // which wires are
	moved []bool // which cards are being dragged
	// counts are how much the wires have carried; they are drawn above the cards.
	counts []counted
	named  []geom.Rect // where far names are
	inner  *Pen        // draws the bodies on cards
	// plain draws wires without their bends.
	plain bool
	// least is the minimum length of a wire to be drawn, in pixels.
	least float64
}

// counted is the number of items that a wire has carried, and its position.
type counted struct {
	at    geom.Point
	items int
}

// add adds an item with its box, stroke and text size in dp.
func (p *Pen) add(kind ItemKind, box geom.Rect, i Item) {
	z := float32(p.look.View.Zoom)
	i.Kind, i.Box = kind, geom.Rect{Min: p.look.View.ToScreen(box.Min), Max: p.look.View.ToScreen(box.Max)}
	i.Width, i.Radius, i.Size = i.Width*z, i.Radius*z, i.Size*z
	p.items = append(p.items, i)
}

// Rect adds a rectangle of the document, with stroke and corners in dp.
func (p *Pen) Rect(r geom.Rect, i Item) { p.add(ItemRect, r, i) }

// Circle adds a circle.
func (p *Pen) Circle(middle geom.Point, radius float64, i Item) {
	p.add(ItemCircle, geom.RectBetween(middle, middle).Grow(radius), i)
}

func (p *Pen) line(a, b geom.Point, i Item) { p.add(ItemLine, geom.Rect{Min: a, Max: b}, i) }

// Way adds a wire, unless it is too short. At small zooms its corners are sharp.
func (p *Pen) Way(w Way, bends []geom.Point, i Item) {
	from, to := w.Ends()
	if to.Sub(from).Length()*p.look.View.Zoom < p.least {
		return
	}
	switch {
	case p.look.View.Detail() != Blocks || len(w) == 1:
		for _, c := range w {
			p.curve(c, i)
		}
		return
	case p.plain:
		p.curve(WireCurve(from, to), i)
		return
	}
	for _, next := range bends {
		p.curve(Curve{from, from, next, next}, i)
		from = next
	}
	p.curve(Curve{from, from, to, to}, i)
}

func (p *Pen) curve(c Curve, i Item) {
	i.Kind, i.Curve = ItemWire, c.through(p.look.View.ToScreen)
	i.Segments = uint8(c.Segments(p.look.View.Zoom))
	if p.look.View.Detail() == Blocks {
		i.Segments = min(i.Segments, uint8(c.farSegments(p.look.View.Zoom)))
	}
	i.Width = max(i.Width*float32(p.look.View.Zoom), 1)
	p.items = append(p.items, i)
}

// text writes into a box, unless the text would be unreadably small.
func (p *Pen) text(box geom.Rect, text string, i Item) {
	const legible = 6 // pixels
	if text == "" || float64(i.Size)*p.look.View.Zoom < legible {
		return
	}
	i.Text = text
	p.add(ItemText, box, i)
}

// Caption writes a line on a plate, in screen size.
func (p *Pen) Caption(at geom.Point, text string, ink Ink) {
	const height, padding = 22, 8
	z := p.look.View.Zoom
	plate := geom.RectAt(at, (cards.TextWidth(text, cards.RowText)+2*padding)/z, height/z)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(InkLine), Width: float32(1 / z), Radius: float32(6 / z)})
	inner := geom.Rect{Min: plate.Min.Add(geom.Point{X: padding / z, Y: 0}), Max: plate.Max}
	p.text(inner, text, Item{Size: float32(cards.RowText / z), Fill: Plain(ink)})
}

// Lit highlights a wire that a node would be inserted into.
func (p *Pen) Lit(s *Scene, w *workflow.Connection) {
	if w == nil {
		return
	}
	for i := range s.Wires {
		if s.Wires[i].Connection == *w {
			p.Way(s.Wires[i].Way, nil, Item{Stroke: Plain(InkAccent), Width: 2 * WireWidth})
			return
		}
	}
}
