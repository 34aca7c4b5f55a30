package scene

import (
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Look is everything that Draw needs in addition to the scene: view, run, hover and gesture.
type Look struct {
	View     Viewport
	Path     []string // of the level
	Selected Selected
	Hover    Hit
	Run      *fold.State // nil if none is shown
	Problems *doc.Problems
	// Dragged are the nodes and notes that are dragged by a distance; nil if none are.
	Dragged map[string]bool
	By      geom.Point
	// Compared is the other state in a comparison; nil for none.
	Compared *Compared
	// Points are the points of wires that are dragged by the same distance.
	Points map[doc.Point]bool
	// Lifted is the wire whose end is being moved, which is not drawn; nil if none is.
	Lifted *workflow.Connection
	// Verdict returns whether the wire that is being drawn could connect to a port; drawing
	// is false for the port that it comes from. Nil while none is drawn.
	Verdict func(cards.PortRef) (v doc.Verdict, drawing bool)
	// Pointer is the position of the pointer in the document. Peek returns a few lines about
	// the values at a port in the run that is shown; it may be nil.
	Pointer geom.Point
	Peek    func(cards.PortRef) []string
	// Pane returns the value that the card of a node shows; it may be nil, and return nil.
	Pane func(id string) *Pane
	// Pinned reports whether a node is pinned; it may be nil.
	Pinned func(id string) bool
	// Bare means no grid.
	Bare bool
	// Stop returns the breakpoint at a node; it may be nil.
	Stop func(id string) Stop
	// Inside returns the body that is shown on a card moved by a distance, and its look; nil
	// without a body. Inside may be nil.
	Inside func(c *cards.Card, by geom.Point) (*Scene, *Look)
	// Entered is the container that the user's level is the body of; "" for none.
	Entered string
	// Front is the level that the user is on if it is not this one: hover and gestures are
	// drawn for it, on top of everything.
	Front *Front
	// Top draws the preview of a gesture on top of everything; nil without a gesture.
	Top func(*Pen)
}

// Front is the user's level and its look.
type Front struct {
	Scene *Scene
	Look  *Look
}

// Selected is the selection.
type Selected interface {
	Node(id string) bool
	Group(id string) bool
	Note(id string) bool
	Wire(w workflow.Connection) bool
	Point(p doc.Point) bool
}

// Draw returns the primitives to paint, in order. It contains only visible parts, and is
// valid until the next call.
func (p *Pen) Draw(s *Scene, look *Look) []Item {
	p.items, p.named = p.items[:0], p.named[:0]
	p.level(s, look)
	if look.Front != nil {
		s, p.look = look.Front.Scene, *look.Front.Look
	}
	if p.look.Top != nil {
		p.look.Top(p)
	} else {
		p.drawHover(s)
		p.drawHoverPlate()
	}
	return p.items
}

// level adds a level, with the bodies that are shown on its cards.
func (p *Pen) level(s *Scene, look *Look) {
	p.look, p.scene, p.counts = *look, s, p.counts[:0]
	p.cull(s)
	p.thinOut()
	if !look.Bare {
		p.grid()
	}
	for i := range s.Groups {
		p.drawGroup(&s.Groups[i])
	}
	for i, seen := range p.lines {
		if seen {
			p.drawWire(s, &s.Wires[i])
		}
	}
	for i := range s.Notes {
		p.drawNote(&s.Notes[i])
	}
	p.drawGone()
	for i, seen := range p.nodes {
		if seen {
			p.drawCard(&s.Cards[i], p.shift(s.Cards[i].Node.ID))
		}
	}
	p.drawGoneWires()
	p.farNamesOf(s)
	for _, c := range p.counts {
		p.count(c.at, c.items)
	}
}

// cull finds the cards and wires in view. Dragged ones are always included: the index has
// their old positions.
func (p *Pen) cull(s *Scene) {
	p.nodes, p.lines = cleared(p.nodes, len(s.Cards)), cleared(p.lines, len(s.Wires))
	seen := p.look.View.Visible().Grow(ringWidth)
	s.cells.Within(seen, func(i int) { p.nodes[i] = true })
	s.lines.Within(seen, func(i int) { p.lines[i] = true })
	for i := range s.Wires {
		p.lines[i] = p.lines[i] || len(p.look.Points) > 0 && s.Wires[i].Via != nil
	}
	if p.look.Dragged == nil {
		return
	}
	p.moved = cleared(p.moved, len(s.Cards))
	for id := range p.look.Dragged {
		if i, ok := s.byID[id]; ok {
			p.nodes[i] = s.Cards[i].Extent().Move(p.look.By).Overlaps(seen)
			p.moved[i] = true
		}
	}
	for i := range s.Wires {
		switch w := &s.Wires[i]; {
		case p.moved[w.From] && p.moved[w.To]:
			p.lines[i] = w.bounds.Move(p.look.By).Overlaps(seen)
		case p.moved[w.From] || p.moved[w.To]:
			p.lines[i] = true
		}
	}
}

// thinOut limits the cost of very many wires while cards are drawn as blocks: above one
// number of wires, they have no bends; above another, the shortest ones, between blocks that
// nearly touch, are left out.
func (p *Pen) thinOut() {
	const several, many, shortest = 300, 1000, 8
	p.least, p.plain = 0, false
	if p.look.View.Detail() != Blocks {
		return
	}
	seen := 0
	for _, in := range p.lines {
		if in {
			seen++
		}
	}
	p.plain = seen > several
	if seen > many {
		p.least = shortest
	}
}

// cleared returns n times false, in the memory of old if it suffices.
func cleared(old []bool, n int) []bool {
	if cap(old) < n {
		return make([]bool, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// shift returns how far a node is dragged from its position.
func (p *Pen) shift(id string) geom.Point {
	if p.look.Dragged == nil || !p.look.Dragged[id] {
		return geom.Point{}
	}
	return p.look.By
}

// grid draws the grid behind everything, with wider spacing at small zooms.
func (p *Pen) grid() {
	const pitch, closest = 24.0, 16.0
	step := pitch
	for step*p.look.View.Zoom < closest {
		step *= 4
	}
	seen := p.look.View.Visible()
	line := Item{Stroke: Plain(InkGrid), Width: float32(1 / p.look.View.Zoom)}
	for x := seen.Min.Snap(step).X; x <= seen.Max.X; x += step {
		p.line(geom.Point{X: x, Y: seen.Min.Y}, geom.Point{X: x, Y: seen.Max.Y}, line)
	}
	for y := seen.Min.Snap(step).Y; y <= seen.Max.Y; y += step {
		p.line(geom.Point{X: seen.Min.X, Y: y}, geom.Point{X: seen.Max.X, Y: y}, line)
	}
}

func (p *Pen) drawGroup(g *doc.Frame) {
	r := g.Rect
	for _, id := range g.NodeIDs {
		if by := p.shift(id); by != (geom.Point{}) && p.wholeGroup(g) {
			r = r.Move(by)
			break
		}
	}
	if !r.Overlaps(p.look.View.Visible()) {
		return
	}
	color := Exact(g.Color, Plain(InkList))
	frame := Item{Fill: color.Faded(6), Stroke: color, Width: 1, Radius: 12}
	if p.look.Selected.Group(g.ID) {
		frame.Stroke, frame.Width = Plain(InkAccent), 2
	}
	p.Rect(r, frame)
	p.drawChange(Hit{Kind: HitGroup, ID: g.ID}, r)
	if p.look.View.Detail() != Full {
		return // its name is drawn on top
	}
	label := geom.RectAt(r.Min.Add(geom.Point{X: cards.RowIndent, Y: 4}), r.W()-2*cards.RowIndent, layout.FrameHeader-4)
	color.Legible = true
	size := p.readable(cards.RowText)
	p.text(label, cards.Shorten(g.Label, size, label.W()), Item{Size: float32(size), Bold: true, Fill: color})
}

// wholeGroup reports whether all nodes of a group are being dragged.
func (p *Pen) wholeGroup(g *doc.Frame) bool {
	for _, id := range g.NodeIDs {
		if !p.look.Dragged[id] {
			return false
		}
	}
	return p.look.Dragged != nil
}
