package scene

import (
	"math"
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

// The sizes of names at small zooms, in pixels.
const (
	farText, farHeight, farPad = 11.5, 17.0, 5.0
	farNames                   = 120 // at most
	farLetters                 = 7   // a shorter name says nothing
	farLongest                 = 150 // of important names
	farWidest                  = 220 // of names of circles
)

// farNamesOf writes names in screen size where cards are too small for their texts: groups
// first, then important cards (selected, failed, running, removed), then all others that have
// room: on themselves or, if they are few, beside. Names never overlap.
func (p *Pen) farNamesOf(s *Scene) {
	if p.look.View.Detail() == Full {
		return
	}
	for i := range s.Groups {
		p.farGroup(&s.Groups[i])
	}
	few := 0
	for i, seen := range p.nodes {
		if seen && p.matters(s.Cards[i].Node.ID) {
			p.farCard(s, &s.Cards[i], true)
		}
		if seen {
			few++
		}
	}
	p.farGone(s)
	for i, seen := range p.nodes {
		if seen && !p.matters(s.Cards[i].Node.ID) {
			p.farCard(s, &s.Cards[i], false)
		}
	}
	if few <= farNames {
		p.farBeside(s)
	}
}

// leastFar is the minimum room for a name that is cut, in pixels.
const leastFar = farLetters*farText*0.58 + 2*farPad

// farWidth returns the width of a whole name, in pixels.
func farWidth(text string) float64 { return cards.TextWidth(text, farText) + 2*farPad }

// farRoom returns the room for the name of a card between its neighbours.
func (p *Pen) farRoom(s *Scene, c *cards.Card) float64 {
	const beside, apart = 4, 1
	z := p.look.View.Zoom
	if c.Circle {
		return s.roomBelow(c, (min(farWidth(c.Title()), farWidest)+apart)/z, (farHeight+1)/z)*z - apart
	}
	return c.Rect.W()*z - beside
}

// roomBelow returns the width for the name of a circle, at most wants, that avoids the cards
// beside it and the names of other circles.
func (s *Scene) roomBelow(circle *cards.Card, wants, height float64) float64 {
	middle, half := circle.Rect.Center().X, wants/2
	band := geom.Rect{Min: geom.Point{X: middle - wants, Y: circle.Rect.Max.Y}, Max: geom.Point{X: middle + wants, Y: circle.Rect.Max.Y + height}}
	s.cells.Within(band, func(k int) {
		other := &s.Cards[k]
		if other.Node.ID == circle.Node.ID {
			return
		}
		if other.Rect.Overlaps(band) {
			half = min(half, max(other.Rect.Min.X-middle, middle-other.Rect.Max.X, 0))
		}
		if other.Circle && math.Abs(other.Rect.Max.Y-circle.Rect.Max.Y) < height {
			half = min(half, math.Abs(other.Rect.Center().X-middle)/2)
		}
	})
	return 2 * half
}

// matters reports whether a node is one that users look for first.
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
	p.farName(farName{text: g.Label, at: corner.Sub(geom.Point{Y: farHeight + 1}), room: width, ink: ink, insists: true})
}

func (p *Pen) farCard(s *Scene, c *cards.Card, matters bool) {
	r := c.Rect.Move(p.shift(c.Node.ID))
	from, to := p.look.View.ToScreen(r.Min), p.look.View.ToScreen(r.Max)
	name := farName{text: c.Title(), room: p.farRoom(s, c), ink: Plain(InkText), centered: true}
	if matters {
		name.room, name.insists = max(name.room, farLongest), true
		if n := p.ran(c.Node.ID); n != nil && n.State() == engine.StatusFailed {
			name.ink = Plain(InkError)
		}
	}
	name.at = geom.Point{X: (from.X + to.X) / 2, Y: (from.Y+to.Y)/2 - farHeight/2}
	switch {
	case c.Circle:
		name.at.Y = to.Y + 1
	case c.Unfolded():
		name.at, name.centered = from.Sub(geom.Point{Y: farHeight + 1}), false
	}
	p.farName(name)
}

// farGone names the removed nodes.
func (p *Pen) farGone(s *Scene) {
	c := p.look.Compared
	if c == nil {
		return
	}
	for i := range c.Before.Cards {
		card := &c.Before.Cards[i]
		if c.Nodes[card.Node.ID].Change == doc.Removed && card.Rect.Overlaps(p.look.View.Visible()) {
			p.farCard(s, card, true)
		}
	}
}

// farBeside names the cards and notes that have no room on themselves, if there is free room
// beside.
func (p *Pen) farBeside(s *Scene) {
	for i, seen := range p.nodes {
		c := &s.Cards[i]
		if seen && !p.matters(c.Node.ID) && !c.Unfolded() && p.farRoom(s, c) < min(farWidth(c.Title()), leastFar) {
			p.farFree(s, i, c.Rect.Move(p.shift(c.Node.ID)), c.Title())
		}
	}
	for i := range s.Notes {
		n := &s.Notes[i]
		if n.Rect.Overlaps(p.look.View.Visible()) && !p.holds(n.Rect) {
			p.farFree(s, -1, n.Rect, firstLine(n.Text))
		}
	}
}

// farFree writes the name of a rectangle, a card or not, below, above or beside it, if no
// other card is there.
func (p *Pen) farFree(s *Scene, card int, r geom.Rect, text string) {
	from, to := p.look.View.ToScreen(r.Min), p.look.View.ToScreen(r.Max)
	name := farName{text: text, room: farLongest, ink: Plain(InkText), centered: true}
	width, middle := min(farWidth(text), farLongest), (from.X+to.X)/2
	for _, name.at = range []geom.Point{
		{X: middle, Y: to.Y + 1}, {X: middle, Y: from.Y - farHeight - 1}, {X: to.X + 2 + width/2, Y: (from.Y + to.Y - farHeight) / 2},
	} {
		plate := p.onDocument(geom.RectAt(name.at.Sub(geom.Point{X: width / 2}), width, farHeight))
		free := true
		s.cells.Within(plate, func(k int) { free = free && (k == card || !s.Cards[k].Rect.Overlaps(plate)) })
		if free && p.farName(name) {
			return
		}
	}
}

// farName is a name at a small zoom, and the position of its plate: the upper edge, centred
// or at the left.
type farName struct {
	text     string
	at       geom.Point
	room     float64
	ink      Paint
	centered bool
	insists  bool // tries another position if another name is there already
}

// farName writes a name on a plate, unless another name is there. It reports whether it did.
func (p *Pen) farName(n farName) bool {
	if len(p.named) >= farNames || n.text == "" || n.room < min(farWidth(n.text), leastFar) {
		return false
	}
	n.text = cards.Shorten(n.text, farText, n.room-2*farPad)
	width := farWidth(n.text)
	if n.centered {
		n.at.X -= width / 2
	}
	places := []float64{0, 1, -1, 2, -2}
	if !n.insists {
		places = places[:1]
	}
	for _, lines := range places {
		plate := geom.RectAt(n.at.Add(geom.Point{Y: lines * (farHeight + 1)}), width, farHeight)
		if slices.ContainsFunc(p.named, plate.Overlaps) {
			continue
		}
		p.named = append(p.named, plate)
		on, z := p.onDocument(plate), p.look.View.Zoom
		p.Rect(on, Item{Fill: Plain(InkPanel), Radius: float32(4 / z)})
		p.text(on, n.text, Item{Size: float32(farText / z), Bold: true, Align: Centered, Fill: n.ink})
		return true
	}
	return false
}

// onDocument converts a rectangle of the screen to one of the document.
func (p *Pen) onDocument(r geom.Rect) geom.Rect {
	return geom.Rect{Min: p.look.View.ToDocument(r.Min), Max: p.look.View.ToDocument(r.Max)}
}

// readable returns a size in dp that is at least the size of names at small zooms.
func (p *Pen) readable(size float64) float64 { return max(size, farText/p.look.View.Zoom) }
