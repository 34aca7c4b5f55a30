package scene

import (
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/value"
)

// drawCircle draws a service node: a circle with an icon, the state of the run as a ring,
// name and state below.
func (p *Pen) drawCircle(c *cards.Card, s cardState, by geom.Point) {
	r := c.Rect.Move(by)
	middle := r.Center()
	body := Item{Fill: colorOf(c)}
	if body.Fill.Dark() {
		body.Stroke, body.Width = Plain(InkHairline), 1
	}
	white := Paint{Ink: InkExact, RGB: 0xFFFFFF}
	seen := uint8(100)
	if s.quiet {
		seen = quiet
	}
	body.Fill = body.Fill.Faded(seen)
	p.Circle(middle, cards.CircleSize/2, body)
	if c.Node.Disabled && p.look.View.Detail() != Blocks {
		p.hatch(r, cards.CircleSize/2, white)
	}
	p.ring(middle, s)
	if p.look.View.Detail() == Blocks {
		return
	}
	p.add(ItemIcon, r.Grow(-16), Item{Text: c.Spec.Card.Icon, Fill: white.Faded(seen)})
	if p.look.View.Detail() != Full {
		return // its name is drawn on top
	}
	width := c.Extent().W()
	size := p.readable(cards.TitleText)
	more := size - cards.TitleText
	if wants := cards.TextWidth(c.Title(), size); wants > width && p.look.Dragged == nil {
		width = max(width, p.scene.roomBelow(c, wants+cards.RowGap, 8+18+more)-cards.RowGap)
	}
	name := geom.RectAt(geom.Point{X: middle.X - width/2, Y: r.Max.Y + 8}, width, 18+more)
	p.text(name, cards.Shorten(c.Title(), size, width), Item{Size: float32(size), Bold: true, Align: Centered, Fill: Plain(InkText).Faded(seen)})
	if !p.smallTextReadable() {
		return
	}
	state := geom.RectAt(geom.Point{X: middle.X - cards.MaxWidth/2, Y: r.Max.Y + 26 + more}, cards.MaxWidth, 16)
	p.text(state, cards.Shorten(p.stateLine(c, s.run), cards.CaptionText, cards.MaxWidth), Item{Size: cards.CaptionText, Align: Centered, Fill: Plain(InkDim)})
}

// ring draws the states of the run, selection and validation around a circle.
func (p *Pen) ring(middle geom.Point, s cardState) {
	const ring, outer = cards.CircleSize/2 + 5, cards.CircleSize/2 + 8
	if s.run != nil && inkOf(s.run.State()) != NoInk {
		arc := Item{Stroke: Plain(inkOf(s.run.State())), Width: ringWidth, Sweep: 360}
		if s.run.State() == engine.StatusRunning && s.run.Total > 0 {
			arc.Sweep = 360 * float32(min(max(s.run.Step, 0), s.run.Total)) / float32(s.run.Total)
		}
		p.add(ItemArc, geom.RectBetween(middle, middle).Grow(ring), arc)
	}
	switch {
	case s.selected:
		p.Circle(middle, outer, Item{Stroke: Plain(InkAccent), Width: 2})
	case s.problems > 0 && s.run == nil:
		p.Circle(middle, outer, Item{Stroke: Plain(InkError), Width: 1.5})
	}
}

// stateLine describes a node's state in a run in one line: "12 posts · 342 ms".
func (p *Pen) stateLine(c *cards.Card, n *fold.Node) string {
	if n == nil {
		return ""
	}
	switch state := n.State(); {
	case state == engine.StatusRunning && n.Message != "":
		return n.Message
	case state == engine.StatusFailed && n.Error != nil:
		return n.Error.Message
	default:
		text, _ := badgeOf(n)
		if made := made(c, n); made != "" && state == engine.StatusSucceeded {
			return made + " · " + text
		}
		return text
	}
}

// made returns how many items the first list has that a node put out in a run.
func made(c *cards.Card, n *fold.Node) string {
	for i := range c.Ports {
		a := &c.Ports[i]
		if !a.Output || a.Spec.Type.Kind() != value.KindList {
			continue
		}
		if items, known := n.Items[a.Port]; known && items != fold.Unknown {
			return strconv.Itoa(items) + " " + a.Port
		}
	}
	return ""
}
