package scene

import (
	"strconv"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
)

// drawFrame draws the second edge of a container, which for a loop looks like a stack of
// cards.
func (p *Pen) drawFrame(c *cards.Card, r geom.Rect, seen uint8) {
	const out = 4
	if c.Node.Body == nil || p.look.View.Detail() == Blocks {
		return
	}
	edge := Item{Stroke: colorOf(c).Faded(70).Faded(seen), Width: 1.5, Radius: 13}
	p.Rect(r.Grow(out), edge)
	if c.Spec != nil && c.Spec.Loop != nil {
		edge.Stroke = edge.Stroke.Faded(50)
		p.Rect(r.Grow(2*out-1), edge)
	}
}

// inside draws the body that is shown on a card, and its frame.
func (p *Pen) inside(c *cards.Card, by geom.Point) {
	if p.look.Inside == nil || !c.Unfolded() {
		return
	}
	ground := Item{Fill: Plain(InkCanvas), Stroke: Plain(InkLine), Width: 1, Radius: 6}
	if p.look.Entered == c.Node.ID {
		ground.Stroke, ground.Width = Plain(InkAccent), 2
	}
	p.Rect(c.Pane.Move(by), ground)
	body, look := p.look.Inside(c, by)
	if body == nil {
		return
	}
	if p.inner == nil {
		p.inner = &Pen{}
	}
	p.inner.items, p.inner.named = p.items, p.named
	p.inner.level(body, look)
	p.items, p.named = p.inner.items, p.inner.named
}

// within writes on the lower edge of a card the number of its nodes, and the present or total
// number of iterations of a loop.
func (p *Pen) within(c *cards.Card, n *fold.Node, by geom.Point) {
	const height, inset = 16.0, 12.0
	if c.Node.Body == nil || p.look.View.Detail() != Full {
		return
	}
	text := insideOf(c, n)
	r := c.Rect.Move(by)
	width := cards.TextWidth(text, cards.CaptionText) + height
	plate := geom.RectAt(geom.Point{X: r.Min.X + inset, Y: r.Max.Y - height/2 + 2}, width, height)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: colorOf(c).Faded(70), Width: 1, Radius: height / 2})
	p.text(plate, text, Item{Size: cards.CaptionText - 1, Bold: true, Align: Centered, Fill: Plain(InkDim)})
}

// insideOf returns "3 nodes", and in a run "3 nodes · round 2 of 5" or "3 nodes · 5 rounds".
func insideOf(c *cards.Card, n *fold.Node) string {
	text := counting(len(c.Node.Body.Nodes), "node")
	switch {
	case n == nil || c.Spec == nil || c.Spec.Loop == nil || n.Rounds() == 0:
	case n.Over():
		text += " · " + counting(n.Rounds(), "round")
	default:
		text += " · round " + strconv.Itoa(min(n.Step+1, n.Rounds()))
		if n.Total > 0 {
			text += " of " + strconv.Itoa(n.Total)
		}
	}
	return text
}

// counting returns "1 node" or "3 nodes".
func counting(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
