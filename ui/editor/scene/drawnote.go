package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

func (p *Pen) drawNote(n *doc.Sticky) {
	r := n.Rect
	if p.look.Dragged != nil && p.look.Selected.Note(n.ID) {
		r = r.Move(p.look.By)
	}
	if !r.Overlaps(p.look.View.Visible()) {
		return
	}
	color := Exact(n.Color, Plain(InkRunning))
	plate := Item{Fill: color.Faded(14), Stroke: color.Faded(60), Width: 1, Radius: 8}
	if p.look.Selected.Note(n.ID) {
		plate.Stroke, plate.Width = Plain(InkAccent), 2
	}
	p.Rect(r, plate)
	p.drawChange(Hit{Kind: HitNote, ID: n.ID}, r)
	p.paragraph(r, n.Text)
}

// The measures of the text of a note, in dp, in its size.
const noteMargin, noteLine = 10, 18

// lineOf returns the line height of a readable note, and its font size, in dp.
func (p *Pen) lineOf() (height, size float64) {
	size = p.readable(cards.RowText)
	return noteLine * size / cards.RowText, size
}

// holds reports whether a note has room for some of its text.
func (p *Pen) holds(r geom.Rect) bool {
	height, size := p.lineOf()
	return r.H() >= height+noteMargin/2 && r.W()-2*noteMargin >= cards.TextWidth("1234567", size)
}

// paragraph writes as many lines of a note's text as fit.
func (p *Pen) paragraph(r geom.Rect, text string) {
	if !p.holds(r) {
		return // it is written beside, if there is room
	}
	height, size := p.lineOf()
	room := (r.W() - 2*noteMargin) * cards.RowText / size
	for y := r.Min.Y + noteMargin/2; text != "" && y+height <= r.Max.Y; y += height {
		var line string
		line, text = wrap(text, room)
		p.text(geom.RectAt(geom.Point{X: r.Min.X + noteMargin, Y: y}, r.W()-2*noteMargin, height), line, Item{Size: float32(size), Fill: Plain(InkText)})
	}
}
