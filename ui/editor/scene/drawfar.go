package scene

import (
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

// The measures of names that are read from afar, in pixels.
const (
	farText, farHeight, farPad = 11.5, 17.0, 5.0
	farNames                   = 120 // at most
	farLetters                 = 7   // with less room a name says nothing
	farLongest                 = 150 // of names that matter more than their neighbours
)

// farNamesOf writes who is who where cards are too small for their texts, in the size of
// the screen: groups first, then the cards that matter (selected, failed, running), then
// all others that have the room. No name lies over another.
func (p *Pen) farNamesOf(s *Scene) {
	if p.look.View.Detail() == Full {
		return
	}
	p.named = p.named[:0]
	for i := range s.Groups {
		p.farGroup(&s.Groups[i])
	}
	for i, seen := range p.nodes {
		if seen && p.matters(s.Cards[i].Node.ID) {
			p.farCard(&s.Cards[i], true)
		}
	}
	for i, seen := range p.nodes {
		if seen && p.farRoom(&s.Cards[i]) >= leastFar && !p.matters(s.Cards[i].Node.ID) {
			p.farCard(&s.Cards[i], false)
		}
	}
}

// leastFar is the least room that a name needs, in pixels.
const leastFar = farLetters*farText*0.58 + 2*farPad

// farRoom returns how much room a card has for its name, without its neighbours' being in
// the way.
func (p *Pen) farRoom(c *cards.Card) float64 {
	const beside = 4
	if c.Circle {
		return 3*c.Rect.W()*p.look.View.Zoom - beside
	}
	return c.Rect.W()*p.look.View.Zoom - beside
}

// matters reports whether somebody looks for a node first.
func (p *Pen) matters(id string) bool {
	if p.look.Selected.Node(id) {
		return true
	}
	if p.look.Run == nil {
		return false
	}
	n := p.ran(id)
	return n != nil && (n.State() == engine.StatusFailed || n.State() == engine.StatusRunning)
}

func (p *Pen) farGroup(g *doc.Frame) {
	r := g.Rect
	if len(g.NodeIDs) > 0 && p.wholeGroup(g) {
		r = r.Move(p.shift(g.NodeIDs[0]))
	}
	if g.Label == "" || !r.Overlaps(p.look.View.Visible()) {
		return
	}
	corner := p.look.View.ToScreen(r.Min)
	width := max(p.look.View.ToScreen(r.Max).X-corner.X, farLongest)
	ink := Exact(g.Color, Plain(InkList))
	ink.Legible = true
	p.farName(corner.Sub(geom.Point{Y: farHeight + 1}), g.Label, width, ink, false)
}

func (p *Pen) farCard(c *cards.Card, matters bool) {
	r := c.Rect.Move(p.shift(c.Node.ID))
	from, to := p.look.View.ToScreen(r.Min), p.look.View.ToScreen(r.Max)
	room, ink := p.farRoom(c), Plain(InkText)
	if matters {
		room = max(room, farLongest)
		if n := p.ran(c.Node.ID); n != nil && n.State() == engine.StatusFailed {
			ink = Plain(InkError)
		}
	}
	middle := geom.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}
	if c.Circle {
		middle.Y = to.Y + farHeight/2 + 1
	}
	p.farName(middle.Sub(geom.Point{Y: farHeight / 2}), c.Title(), room, ink, true)
}

// farName writes a name on a plate, in the middle of a place of the screen or to the right
// of it, unless another name is there already.
func (p *Pen) farName(at geom.Point, text string, room float64, ink Paint, centered bool) {
	if len(p.named) >= farNames || room < leastFar {
		return
	}
	text = cards.Shorten(text, farText, room-2*farPad)
	width := cards.TextWidth(text, farText) + 2*farPad
	if centered {
		at.X -= width / 2
	}
	plate := geom.RectAt(at, width, farHeight)
	for _, other := range p.named {
		if other.Overlaps(plate) {
			return
		}
	}
	p.named = append(p.named, plate)
	z := p.look.View.Zoom
	on := geom.Rect{Min: p.look.View.ToDocument(plate.Min), Max: p.look.View.ToDocument(plate.Max)}
	p.Rect(on, Item{Fill: Plain(InkPanel), Radius: float32(4 / z)})
	p.text(on, text, Item{Size: float32(farText / z), Bold: true, Align: Centered, Fill: ink})
}
