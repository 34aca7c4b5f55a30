package editor

import "github.com/svcflow/svc/engine/workflow"

// The widths of lines, in dp.
const (
	wireWidth = 2.5
	ringWidth = 4.0
)

// Pen draws a scene: it adds items to a list. It takes places and sizes of the document
// and puts them on the screen. Its zero value is ready to use; it keeps its memory from
// one drawing to the next.
type Pen struct {
	look  Look
	items []Item
	nodes []bool // which cards are in view
	lines []bool // which wires are
	moved []bool // which cards are being dragged
	// least is how long a wire has to be, in pixels, to be drawn.
	least float64
}

// add adds an item whose box, stroke and text are given in dp.
func (p *Pen) add(kind ItemKind, box Rect, i Item) {
	z := float32(p.look.View.Zoom)
	i.Kind, i.Box = kind, Rect{p.look.View.ToScreen(box.Min), p.look.View.ToScreen(box.Max)}
	i.Width, i.Radius, i.Size = i.Width*z, i.Radius*z, i.Size*z
	p.items = append(p.items, i)
}

func (p *Pen) rect(r Rect, i Item) { p.add(ItemRect, r, i) }

func (p *Pen) circle(middle Point, radius float64, i Item) {
	p.add(ItemCircle, RectBetween(middle, middle).Grow(radius), i)
}

func (p *Pen) line(a, b Point, i Item) { p.add(ItemLine, Rect{a, b}, i) }

func (p *Pen) wire(c Curve, i Item) {
	if c[3].Sub(c[0]).Length()*p.look.View.Zoom < p.least {
		return
	}
	i.Kind, i.Curve = ItemWire, c.through(p.look.View.ToScreen)
	i.Segments = uint8(c.Segments(p.look.View.Zoom))
	if p.look.View.Detail() == Blocks {
		i.Segments = min(i.Segments, uint8(c.farSegments(p.look.View.Zoom)))
	}
	i.Width = max(i.Width*float32(p.look.View.Zoom), 1)
	p.items = append(p.items, i)
}

// text writes into a box, unless nobody could read it.
func (p *Pen) text(box Rect, text string, i Item) {
	const legible = 6 // pixels
	if text == "" || float64(i.Size)*p.look.View.Zoom < legible {
		return
	}
	i.Text = text
	p.add(ItemText, box, i)
}

// caption writes a line on a plate of its own, in the size of the screen.
func (p *Pen) caption(at Point, text string, ink Ink) {
	const height, padding = 22, 8
	z := p.look.View.Zoom
	plate := RectAt(at, (textWidth(text, rowText)+2*padding)/z, height/z)
	p.rect(plate, Item{Fill: paint(InkPanel), Stroke: paint(InkLine), Width: float32(1 / z), Radius: float32(6 / z)})
	inner := Rect{plate.Min.Add(Point{padding / z, 0}), plate.Max}
	p.text(inner, text, Item{Size: float32(rowText / z), Fill: paint(ink)})
}

// lit marks a wire that something would be put into.
func (p *Pen) lit(s *Scene, w *workflow.Connection) {
	if w == nil {
		return
	}
	for i := range s.Wires {
		if s.Wires[i].Connection == *w {
			p.wire(s.Wires[i].Curve, Item{Stroke: paint(InkAccent), Width: 2 * wireWidth})
			return
		}
	}
}
