package editor

import (
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/value"
)

// drawCircle draws a service node: a circle with an icon, the state of the run as a
// ring around it, name and state below.
func (p *Pen) drawCircle(c *Card, s cardState, by Point) {
	r := c.Rect.Move(by)
	middle := r.Center()
	body := Item{Fill: colorOf(c)}
	if body.Fill.dark() {
		body.Stroke, body.Width = paint(InkHairline), 1
	}
	white := Paint{Ink: InkExact, RGB: 0xFFFFFF}
	seen := uint8(100)
	if s.quiet {
		seen = quiet
	}
	body.Fill = body.Fill.faded(seen)
	p.circle(middle, circleSize/2, body)
	if c.Node.Disabled && p.look.View.Detail() != Blocks {
		p.hatch(r, circleSize/2, white)
	}
	p.ring(middle, s)
	if p.look.View.Detail() == Blocks {
		return
	}
	p.add(ItemIcon, r.Grow(-16), Item{Text: c.Spec.Card.Icon, Fill: white.faded(seen)})
	width := c.Extent().W()
	name := RectAt(Point{middle.X - width/2, r.Max.Y + 8}, width, 18)
	p.text(name, shorten(c.Title(), titleText, width), Item{Size: titleText, Bold: true, Align: Centered, Fill: paint(InkText).faded(seen)})
	state := RectAt(Point{middle.X - maxCardWidth/2, r.Max.Y + 26}, maxCardWidth, 16)
	p.text(state, shorten(p.stateLine(c, s.run), captionText, maxCardWidth), Item{Size: captionText, Align: Centered, Fill: paint(InkDim)})
}

// ring draws what the run, the selection and validation say around a circle.
func (p *Pen) ring(middle Point, s cardState) {
	const ring, outer = circleSize/2 + 5, circleSize/2 + 8
	if s.run != nil && inkOf(s.run.State()) != NoInk {
		arc := Item{Stroke: paint(inkOf(s.run.State())), Width: ringWidth, Sweep: 360}
		if s.run.State() == engine.StatusRunning && s.run.Total > 0 {
			arc.Sweep = 360 * float32(min(max(s.run.Step, 0), s.run.Total)) / float32(s.run.Total)
		}
		p.add(ItemArc, RectBetween(middle, middle).Grow(ring), arc)
	}
	switch {
	case s.selected:
		p.circle(middle, outer, Item{Stroke: paint(InkAccent), Width: 2})
	case s.problems > 0 && s.run == nil:
		p.circle(middle, outer, Item{Stroke: paint(InkError), Width: 1.5})
	}
}

// stateLine says in one line what a run has done at a node: "12 posts · 342 ms".
func (p *Pen) stateLine(c *Card, n *fold.Node) string {
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

// made says how many items the first list has that a node put out in a run.
func made(c *Card, n *fold.Node) string {
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
