package scene

import (
	"strconv"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
)

// cardState is the state of a card beyond the document.
type cardState struct {
	run      *fold.Node // nil without a run, or if the run has not reached the node
	problems int
	selected bool
	quiet    bool // skipped by the run, or disabled and too small for hatching
}

func (p *Pen) stateOf(c *cards.Card) cardState {
	s := cardState{
		problems: p.look.Problems.Count(p.look.Path, c.Node.ID), selected: p.look.Selected.Node(c.Node.ID),
		quiet: c.Node.Disabled && p.look.View.Detail() == Blocks,
	}
	s.run = p.ran(c.Node.ID)
	skipped := s.run != nil && s.run.State() == engine.StatusSkipped
	s.quiet = s.quiet || skipped && !c.Node.Disabled // disabled cards are hatched already
	return s
}

// ran returns the state of a node of the open level in the run; nil without one.
func (p *Pen) ran(id string) *fold.Node { return p.look.Run.Node(fold.Join(p.look.Path, id)) }

// drawCard draws a node, moved by a distance.
func (p *Pen) drawCard(c *cards.Card, by geom.Point) {
	s := p.stateOf(c)
	if c.Circle {
		p.drawCircle(c, s, by)
	} else {
		p.drawRows(c, s, by)
	}
	p.drawChange(Hit{Kind: HitNode, ID: c.Node.ID}, c.Rect.Move(by))
	p.inside(c, by)
	if p.look.View.Detail() == Blocks {
		return
	}
	if p.look.View.Detail() == Full && !c.Circle {
		p.pane(c, by)
	}
	for i := range c.Ports {
		p.drawPort(&c.Ports[i], cards.PortRadius, by)
	}
	about := s.selected || p.look.Hover.ID == c.Node.ID && (p.look.Hover.Kind == HitNode || p.look.Hover.Kind == HitPort || p.look.Hover.Kind == HitCardCorner || p.look.Hover.Kind == HitAction)
	for i := range c.Controls {
		a := &c.Controls[i]
		if about || a.Wires > 0 || p.look.Verdict != nil {
			p.drawPort(a, cards.ControlRadius, by)
		}
	}
	p.within(c, s.run, by)
	if about {
		p.grip(c, by)
	}
	if p.look.Pinned != nil && p.look.Pinned(c.Node.ID) {
		p.pinned(c, by)
	}
	if p.look.Stop != nil {
		p.stop(c, by)
	}
	if s.problems > 0 {
		p.Circle(c.Rect.Move(by).Min.Add(geom.Point{X: 2, Y: 2}), 7, Item{Fill: Plain(InkError), Stroke: Plain(InkCanvas), Width: 2})
	}
}

// pinned marks a pinned node: a plate on its upper edge, with a pin and, if it is readable, a
// word.
func (p *Pen) pinned(c *cards.Card, by geom.Point) {
	const width, height, inset = 58.0, 16.0, 12.0
	plate := geom.RectAt(c.Rect.Move(by).Min.Add(geom.Point{X: inset, Y: -height / 2}), width, height)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(InkAccent), Width: 1, Radius: height / 2})
	pin := plate.Min.Add(geom.Point{X: height / 2, Y: height / 2})
	p.Circle(pin, 3, Item{Fill: Plain(InkAccent)})
	plate.Min.X = pin.X + 5
	p.text(plate, "pinned", Item{Size: cards.CaptionText - 1, Bold: true, Fill: Plain(InkAccent)})
}

// drawRows draws a card with its title and a row for each port.
func (p *Pen) drawRows(c *cards.Card, s cardState, by geom.Point) {
	r := c.Rect.Move(by)
	color := colorOf(c)
	plate := Item{Fill: Plain(InkCard), Stroke: Plain(InkLine), Width: 1, Radius: 10}
	if c.Spec == nil { // a dashed hairline would be invisible
		plate.Stroke, plate.Dashed = Plain(InkDim), true
	}
	switch {
	case s.selected:
		plate.Stroke, plate.Width = Plain(InkAccent), 2
	case s.run != nil && inkOf(s.run.State()) != NoInk:
		plate.Stroke, plate.Width = Plain(inkOf(s.run.State())), 1.5
	case s.problems > 0:
		plate.Stroke, plate.Width = Plain(InkError), 1.5
	case p.look.Hover.Kind == HitNode && p.look.Hover.ID == c.Node.ID:
		plate.Stroke = Plain(InkDim)
	}
	seen := uint8(100)
	if s.quiet {
		seen = quiet
	}
	plate.Fill, plate.Stroke = plate.Fill.Faded(seen), plate.Stroke.Faded(seen)
	if p.look.View.Detail() == Blocks {
		plate.Fill = color.Faded(seen)
		if c.Unfolded() { // the nodes on it are visible, too
			plate.Fill = color.Faded(min(seen, quiet))
		}
		p.Rect(r, plate)
		return
	}
	p.drawFrame(c, r, seen)
	p.Rect(r, plate)
	if c.Node.Disabled {
		p.hatch(r, 10, Plain(InkDim))
	}
	p.Rect(geom.RectAt(r.Min.Add(geom.Point{X: 10, Y: 13}), 8, 8), Item{Fill: color.Faded(seen), Radius: 2})
	if p.look.View.Detail() != Full {
		return
	}
	p.cardTexts(c, s, r, seen)
	if len(c.Ports) > 0 {
		y, edge := r.Min.Y+cards.HeaderHeight-1, float64(plate.Width)
		p.line(geom.Point{X: r.Min.X + edge, Y: y}, geom.Point{X: r.Max.X - edge, Y: y}, Item{Stroke: Plain(InkLine), Width: 1})
	}
}

// hatch marks a disabled part. It is below all texts.
func (p *Pen) hatch(r geom.Rect, radius float32, color Paint) {
	const faint = 28 // percent
	p.add(ItemHatch, r, Item{Stroke: color.Faded(faint), Radius: radius})
}

// smallTextReadable reports whether small texts can be read: where they cannot, names have their room.
func (p *Pen) smallTextReadable() bool { return p.look.View.Zoom >= 0.7 }

// badgeFits reports whether a badge fits beside the title of a card in the given room. A
// title that is larger than the card, to be readable, wins.
func (p *Pen) badgeFits(c *cards.Card, size, room float64) bool {
	return size <= cards.TitleText || p.smallTextReadable() && cards.TextWidth(c.Title(), size) <= room
}

// cardTexts writes the title, the badge and the rows.
func (p *Pen) cardTexts(c *cards.Card, s cardState, r geom.Rect, seen uint8) {
	room, size := r.W()-cards.TitleIndent-cards.RowGap, p.readable(cards.TitleText)
	if badge, ink := badgeOf(s.run); badge != "" && p.badgeFits(c, size, room-cards.BadgeRoom) {
		room -= cards.BadgeRoom
		plate := geom.RectAt(geom.Point{X: r.Max.X - cards.BadgeWidth - 10, Y: r.Min.Y + 8}, cards.BadgeWidth, 18)
		p.Rect(plate, Item{Fill: Plain(ink).Faded(18), Radius: 9})
		p.text(plate, badge, Item{Size: 11, Bold: true, Align: Centered, Fill: Plain(ink)})
	}
	title := geom.RectAt(r.Min.Add(geom.Point{X: cards.TitleIndent, Y: 7}), room, 20)
	p.text(title, cards.Shorten(c.Title(), size, room), Item{Size: float32(size), Bold: true, Fill: Plain(InkText).Faded(seen)})
	by, inputs := r.Min.Sub(c.Rect.Min), c.Inputs()
	for i := range c.Ports {
		a, right := &c.Ports[i], r.Max.X-cards.RowIndent
		if beside := inputs + i; !a.Output && beside < len(c.Ports) {
			right -= cards.TextWidth(c.Ports[beside].Port, cards.RowText) + cards.RowGap
		}
		y := a.At.Add(by).Y
		p.row(a, geom.Rect{Min: geom.Point{X: r.Min.X + cards.RowIndent, Y: y - cards.RowHeight/2}, Max: geom.Point{X: right, Y: y + cards.RowHeight/2}}, seen)
	}
}

// row writes the name of a port and the value of an input.
func (p *Pen) row(a *cards.Anchor, row geom.Rect, seen uint8) {
	label := Item{Size: cards.RowText, Fill: Plain(InkDim).Faded(seen)}
	if a.Output {
		label.Align = Trailing
	}
	name := cards.Shorten(a.Port, cards.RowText, row.W())
	p.text(row, name, label)
	row.Min.X += cards.TextWidth(name, cards.RowText) + cards.RowGap
	if a.Value != "" && row.W() > 0 {
		p.text(row, cards.Shorten(a.Value, cards.ValueSpace, row.W()), Item{Size: cards.ValueText, Mono: true, Align: Trailing, Fill: Plain(InkText).Faded(seen)})
	}
}

// colorOf returns the colour of a card's type.
func colorOf(c *cards.Card) Paint {
	if c.Spec == nil {
		return Plain(InkDim)
	}
	return Exact(c.Spec.Card.Color, Plain(InkDim))
}

// badgeOf returns the short text for the state of a node in a run.
func badgeOf(n *fold.Node) (text string, ink Ink) {
	if n == nil {
		return "", NoInk
	}
	switch state := n.State(); state {
	case engine.StatusRunning:
		return progressOf(n), InkRunning
	case engine.StatusSucceeded, engine.StatusFailed:
		if n.Warnings > 0 && state == engine.StatusSucceeded {
			return warningsText(n.Warnings), InkRunning
		}
		return Briefly(n.Last.Duration), inkOf(state)
	case engine.StatusSkipped, engine.StatusCancelled:
		return state.String(), InkDim
	default:
		return "", NoInk
	}
}

func warningsText(n int) string {
	if n == 1 {
		return "1 warning"
	}
	return strconv.Itoa(n) + " warnings"
}

// progressOf returns "3 of 5", or less if less is known.
func progressOf(n *fold.Node) string {
	switch {
	case n.Total > 0:
		return strconv.Itoa(n.Step) + " of " + strconv.Itoa(n.Total)
	case n.Done > 0:
		return strconv.Itoa(n.Done) + " done"
	}
	return "running"
}

// Briefly prints a duration in at most seven letters: "<0.1 ms", "0.1 ms", "342 ms",
// "1.24 s", "12 min".
func Briefly(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 0.05:
		return "<0.1 ms"
	case ms < 9.95:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 999.5:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	case ms < 99_995:
		return strconv.FormatFloat(ms/1000, 'f', 2, 64) + " s"
	}
	return strconv.FormatFloat(d.Minutes(), 'f', 0, 64) + " min"
}
