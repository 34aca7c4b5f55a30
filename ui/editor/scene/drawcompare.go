package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Compared is the state of a level that it is compared with.
type Compared struct {
	*doc.Differences

	Before *Scene
	Marked map[string]bool // nodes that are gone and were clicked
}

// GoneAt returns the node that is not there any more and lay at a place.
func (c *Compared) GoneAt(at geom.Point) (id string, ok bool) {
	for i := range c.Before.Cards {
		card := &c.Before.Cards[i]
		if c.Nodes[card.Node.ID].Change == doc.Removed && card.Rect.Contains(at) {
			id, ok = card.Node.ID, true
		}
	}
	return id, ok
}

// drawGone draws what is not there any more, and where nodes were before, below what there
// is now.
func (p *Pen) drawGone(s *Scene) {
	c := p.look.Compared
	if c == nil {
		return
	}
	for _, w := range c.Gone {
		for i := range c.Before.Wires {
			if c.Before.Wires[i].Bare() != w {
				continue
			}
			from, to := c.Before.Wires[i].Way.Ends()
			if a, ok := s.Anchor(cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}); ok {
				from = a.At
			}
			if a, ok := s.Anchor(cards.PortRef{Node: w.ToNodeID, Port: w.ToPort}); ok {
				to = a.At
			}
			p.Way(bare(from, to), nil, Item{Stroke: Plain(InkError).Faded(70), Width: WireWidth, Dashed: p.look.View.Detail() != Blocks})
			break
		}
	}
	for i := range c.Before.Cards {
		card := &c.Before.Cards[i]
		ghost := Item{Width: 1.5, Radius: 10, Dashed: true}
		switch c.Nodes[card.Node.ID].Change {
		case doc.Removed:
			ghost.Stroke, ghost.Fill = Plain(InkError), Plain(InkError).Faded(10)
			if c.Marked[card.Node.ID] {
				ghost.Stroke, ghost.Width, ghost.Dashed = Plain(InkAccent), 2, false
			}
		case doc.Moved:
			ghost.Stroke, ghost.Width = Plain(InkDim), 1
		default:
			continue
		}
		if card.Rect.Overlaps(p.look.View.Visible()) {
			p.Rect(card.Rect, ghost)
			p.goneTexts(card, c.Nodes[card.Node.ID].Change)
		}
	}
}

func (p *Pen) goneTexts(c *cards.Card, change doc.Change) {
	if change != doc.Removed || p.look.View.Detail() != Full {
		return
	}
	title := geom.RectAt(c.Rect.Min.Add(geom.Point{X: cards.RowGap, Y: 7}), c.Rect.W()-2*cards.RowGap, 20)
	p.text(title, cards.Shorten(c.Title(), cards.TitleText, title.W()), Item{Size: cards.TitleText, Bold: true, Fill: Plain(InkDim)})
	p.changePlate(c.Rect, "removed", InkError)
}

// drawChange marks a card that has come, has been changed or was moved.
func (p *Pen) drawChange(c *cards.Card, by geom.Point) {
	if p.look.Compared == nil {
		return
	}
	ink, word := InkOK, "added"
	switch p.look.Compared.Nodes[c.Node.ID].Change {
	case doc.Added:
	case doc.Changed:
		ink, word = InkRunning, "changed"
	case doc.Moved:
		ink, word = InkDim, "moved"
	default:
		return
	}
	r := c.Rect.Move(by)
	p.Rect(r.Grow(5), Item{Stroke: Plain(ink), Width: 2.5, Radius: 14})
	if p.look.View.Detail() == Full {
		p.changePlate(r, word, ink)
	}
}

// changePlate writes what has become of a card on the right of its upper edge.
func (p *Pen) changePlate(r geom.Rect, word string, ink Ink) {
	const height, inset = 16.0, 12.0
	width := cards.TextWidth(word, cards.CaptionText) + height
	plate := geom.RectAt(geom.Point{X: r.Max.X - inset - width, Y: r.Min.Y - height/2 - 3}, width, height)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(ink), Width: 1, Radius: height / 2})
	p.text(plate, word, Item{Size: cards.CaptionText - 1, Bold: true, Align: Centered, Fill: Plain(ink)})
}

// changes tells field by field what has become of the node under the pointer. ok is false
// if there is nothing to tell.
func (p *Pen) changes() (lines []string, ok bool) {
	if p.look.Compared == nil || p.look.Hover.Kind != HitNode {
		return nil, false
	}
	diff := p.look.Compared.Nodes[p.look.Hover.ID]
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
