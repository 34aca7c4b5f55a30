package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

// drawGone draws removed parts, and the former positions of nodes, below the present ones.
func (p *Pen) drawGone() {
	c := p.look.Compared
	if c == nil {
		return
	}
	for i := range c.Before.Groups {
		g := &c.Before.Groups[i]
		p.ghost(g.Rect, c.Groups[g.ID].Change, c.Marked.Group(g.ID), g.Label)
	}
	for i := range c.Before.Notes {
		n := &c.Before.Notes[i]
		p.ghost(n.Rect, c.Notes[n.ID].Change, c.Marked.Note(n.ID), firstLine(n.Text))
	}
	for i := range c.Before.Cards {
		card := &c.Before.Cards[i]
		p.ghost(card.Rect, c.Nodes[card.Node.ID].Change, c.Marked.Node(card.Node.ID), card.Title())
	}
}

// drawGoneWires draws the removed wires, on top of everything.
func (p *Pen) drawGoneWires() {
	if p.look.Compared == nil {
		return
	}
	line := Item{Stroke: Plain(InkError).Faded(70), Width: WireWidth, Dashed: p.look.View.Detail() != Blocks}
	seen := p.look.View.Visible()
	for i := range p.look.Compared.wires {
		w := &p.look.Compared.wires[i]
		if way, bends := p.wayOf(w); way.Bounds().Grow(WireWidth).Overlaps(seen) {
			p.Way(way, bends, line)
		}
	}
}

// ghost marks the former position of a removed or moved part.
func (p *Pen) ghost(r geom.Rect, change doc.Change, marked bool, name string) {
	ghost := Item{Width: 1.5, Radius: 10, Dashed: true}
	switch change {
	case doc.Removed:
		ghost.Stroke, ghost.Fill = Plain(InkError), Plain(InkError).Faded(10)
		if marked {
			ghost.Stroke, ghost.Width, ghost.Dashed = Plain(InkAccent), 2, false
		}
	case doc.Moved:
		ghost.Stroke, ghost.Width = Plain(InkDim), 1
	default:
		return
	}
	if !r.Overlaps(p.look.View.Visible()) {
		return
	}
	p.Rect(r, ghost)
	if change != doc.Removed || p.look.View.Detail() != Full {
		return
	}
	title := geom.RectAt(r.Min.Add(geom.Point{X: cards.RowGap, Y: 7}), r.W()-2*cards.RowGap, 20)
	p.text(title, cards.Shorten(name, cards.TitleText, title.W()), Item{Size: cards.TitleText, Bold: true, Fill: Plain(InkDim)})
	p.changePlate(r, "removed", InkError)
}

// drawChange marks a rectangle that was added, changed or moved.
func (p *Pen) drawChange(h Hit, r geom.Rect) {
	if p.look.Compared == nil {
		return
	}
	ink, word := InkOK, "added"
	switch p.look.Compared.of(h).Change {
	case doc.Added:
	case doc.Changed:
		ink, word = InkRunning, "changed"
	case doc.Moved:
		ink, word = InkDim, "moved"
	default:
		return
	}
	p.Rect(r.Grow(5), Item{Stroke: Plain(ink), Width: 2.5, Radius: 14})
	if p.look.View.Detail() == Full {
		p.changePlate(r, word, ink)
	}
}

// changePlate writes the kind of a change at the right of the part's upper edge.
func (p *Pen) changePlate(r geom.Rect, word string, ink Ink) {
	const height, inset = 16.0, 12.0
	width := cards.TextWidth(word, cards.CaptionText) + height
	plate := geom.RectAt(geom.Point{X: r.Max.X - inset - width, Y: r.Min.Y - height/2 - 3}, width, height)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(ink), Width: 1, Radius: height / 2})
	p.text(plate, word, Item{Size: cards.CaptionText - 1, Bold: true, Align: Centered, Fill: Plain(ink)})
}

// changes lists the changed fields of what is under the pointer. ok is false without changes.
func (p *Pen) changes() (lines []string, ok bool) {
	if p.look.Compared == nil {
		return nil, false
	}
	diff := p.look.Compared.of(p.look.Hover)
	if len(diff.Fields) == 0 {
		return nil, false
	}
	lines = append(lines, "Before and now")
	for _, f := range diff.Fields {
		lines = append(lines, f.Name, "− "+brief(f.Before), "+ "+brief(f.After))
	}
	return lines, true
}

// brief returns the beginning of a text, in one line.
func brief(text string) string { return cards.Shorten(text, cards.ValueSpace, 2*peekWidth) }
