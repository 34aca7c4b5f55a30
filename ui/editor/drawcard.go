package editor

import (
	"strconv"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// cardState is what is known of a card beyond the document.
type cardState struct {
	run      *fold.Node // nil if no run is shown or it has not come there
	problems int
	selected bool
	quiet    bool // skipped by the run shown, or disabled and too small for hatching
}

func (p *Pen) stateOf(c *Card) cardState {
	s := cardState{
		problems: p.look.Problems.Count(p.look.Path, c.Node.ID), selected: p.look.Selected.Node(c.Node.ID),
		quiet: c.Node.Disabled && p.look.View.Detail() == Blocks,
	}
	s.run = p.ran(c.Node.ID)
	skipped := s.run != nil && s.run.State() == engine.StatusSkipped
	s.quiet = s.quiet || skipped && !c.Node.Disabled // what is disabled is hatched already
	return s
}

// ran returns what the run shown has done at a node of the open level; nil if nothing.
func (p *Pen) ran(id string) *fold.Node { return p.look.Run.Node(fold.Join(p.look.Path, id)) }

// drawCard draws a node, moved by a distance.
func (p *Pen) drawCard(c *Card, by Point) {
	s := p.stateOf(c)
	if c.Circle {
		p.drawCircle(c, s, by)
	} else {
		p.drawRows(c, s, by)
	}
	if p.look.View.Detail() == Blocks {
		return
	}
	for i := range c.Ports {
		p.drawPort(&c.Ports[i], by)
	}
	if s.problems > 0 {
		p.circle(c.Rect.Move(by).Min.Add(Point{2, 2}), 7, Item{Fill: paint(InkError), Stroke: paint(InkCanvas), Width: 2})
	}
}

// drawRows draws a card with its title and a row for each port.
func (p *Pen) drawRows(c *Card, s cardState, by Point) {
	r := c.Rect.Move(by)
	color := colorOf(c)
	plate := Item{Fill: paint(InkCard), Stroke: paint(InkLine), Width: 1, Radius: 10}
	if c.Spec == nil { // a hairline cannot be seen as dashes
		plate.Stroke, plate.Dashed = paint(InkDim), true
	}
	switch {
	case s.selected:
		plate.Stroke, plate.Width = paint(InkAccent), 2
	case s.run != nil && inkOf(s.run.State()) != NoInk:
		plate.Stroke, plate.Width = paint(inkOf(s.run.State())), 1.5
	case s.problems > 0:
		plate.Stroke, plate.Width = paint(InkError), 1.5
	case p.look.Hover.Kind == HitNode && p.look.Hover.ID == c.Node.ID:
		plate.Stroke = paint(InkDim)
	}
	seen := uint8(100)
	if s.quiet {
		seen = quiet
	}
	plate.Fill, plate.Stroke = plate.Fill.faded(seen), plate.Stroke.faded(seen)
	if p.look.View.Detail() == Blocks {
		plate.Fill = color.faded(seen)
		p.rect(r, plate)
		return
	}
	p.rect(r, plate)
	if c.Node.Disabled {
		p.hatch(r, 10, paint(InkDim))
	}
	p.rect(RectAt(r.Min.Add(Point{10, 13}), 8, 8), Item{Fill: color.faded(seen), Radius: 2})
	if p.look.View.Detail() != Full {
		return
	}
	p.cardTexts(c, s, r, seen)
	if len(c.Ports) > 0 {
		y, edge := r.Min.Y+headerHeight-1, float64(plate.Width)
		p.line(Point{r.Min.X + edge, y}, Point{r.Max.X - edge, y}, Item{Stroke: paint(InkLine), Width: 1})
	}
}

// hatch marks what is disabled. It lies below all texts.
func (p *Pen) hatch(r Rect, radius float32, color Paint) {
	const faint = 28 // percent
	p.add(ItemHatch, r, Item{Stroke: color.faded(faint), Radius: radius})
}

// cardTexts writes the title, the badge and the rows.
func (p *Pen) cardTexts(c *Card, s cardState, r Rect, seen uint8) {
	room := r.W() - titleIndent - rowGap
	if badge, ink := badgeOf(s.run); badge != "" {
		room -= badgeRoom
		plate := RectAt(Point{r.Max.X - badgeWidth - 10, r.Min.Y + 8}, badgeWidth, 18)
		p.rect(plate, Item{Fill: paint(ink).faded(18), Radius: 9})
		p.text(plate, badge, Item{Size: 11, Bold: true, Align: Centered, Fill: paint(ink)})
	}
	title := RectAt(r.Min.Add(Point{titleIndent, 7}), room, 20)
	p.text(title, shorten(c.Title(), titleText, room), Item{Size: titleText, Bold: true, Fill: paint(InkText).faded(seen)})
	by, inputs := r.Min.Sub(c.Rect.Min), c.inputs()
	for i := range c.Ports {
		a, right := &c.Ports[i], r.Max.X-rowIndent
		if beside := inputs + i; !a.Output && beside < len(c.Ports) {
			right -= textWidth(c.Ports[beside].Port, rowText) + rowGap
		}
		y := a.At.Add(by).Y
		p.row(a, Rect{Point{r.Min.X + rowIndent, y - rowHeight/2}, Point{right, y + rowHeight/2}}, seen)
	}
}

// row writes the name of a port and the value of an input.
func (p *Pen) row(a *Anchor, row Rect, seen uint8) {
	label := Item{Size: rowText, Fill: paint(InkDim).faded(seen)}
	if a.Output {
		label.Align = Trailing
	}
	name := shorten(a.Port, rowText, row.W())
	p.text(row, name, label)
	row.Min.X += textWidth(name, rowText) + rowGap
	if a.Value != "" && row.W() > 0 {
		p.text(row, shorten(a.Value, valueSpace, row.W()), Item{Size: valueText, Mono: true, Align: Trailing, Fill: paint(InkText).faded(seen)})
	}
}

// colorOf returns the colour of a card's type.
func colorOf(c *Card) Paint {
	if c.Spec == nil {
		return paint(InkDim)
	}
	return exact(c.Spec.Card.Color, paint(InkDim))
}

// badgeOf returns what a run says of a node in a few letters.
func badgeOf(n *fold.Node) (text string, ink Ink) {
	if n == nil {
		return "", NoInk
	}
	switch state := n.State(); state {
	case engine.StatusRunning:
		return progressOf(n), InkRunning
	case engine.StatusSucceeded, engine.StatusFailed:
		return Briefly(n.Last.Duration), inkOf(state)
	case engine.StatusSkipped, engine.StatusCancelled:
		return state.String(), InkDim
	default:
		return "", NoInk
	}
}

// progressOf returns "3 of 5", or what else is known.
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
