package editor

import "github.com/svcflow/svc/engine/workflow"

// Draw returns what to paint, in order, for the view as it is. Only what is seen is
// in the list. It is valid until the next call.
func (b *Board) Draw() []Item {
	b.sync()
	s := b.doc.Scene()
	p := &b.pen
	p.view, p.items = b.View, p.items[:0]
	b.cull(p, s)
	p.crowd()
	p.grid()
	for i := range s.Groups {
		b.drawGroup(p, &s.Groups[i])
	}
	for i, seen := range p.lines {
		if seen {
			b.drawWire(p, s, &s.Wires[i])
		}
	}
	for i := range s.Notes {
		b.drawNote(p, &s.Notes[i])
	}
	for i, seen := range p.nodes {
		if seen {
			b.drawCard(p, &s.Cards[i], b.shift(s.Cards[i].Node.ID))
		}
	}
	if b.gesture != nil {
		b.gesture.draw(b, p)
	} else {
		b.drawHover(p, s)
	}
	return p.items
}

// cull finds the cards and wires that are in view. What is being dragged counts
// always: the index knows it where it was.
func (b *Board) cull(p *pen, s *Scene) {
	p.nodes, p.lines = cleared(p.nodes, len(s.Cards)), cleared(p.lines, len(s.Wires))
	seen := b.View.Visible().Grow(ringWidth)
	s.cells.within(seen, func(i int) { p.nodes[i] = true })
	s.lines.within(seen, func(i int) { p.lines[i] = true })
	g, dragged := b.gesture.(*dragging)
	if !dragged {
		return
	}
	for id := range g.nodes {
		if i, ok := s.byID[id]; ok {
			p.nodes[i] = s.Cards[i].Extent().Move(g.by).Overlaps(seen)
		}
		for _, w := range b.doc.lookup().into[id] {
			p.mark(s, w)
		}
		for _, w := range b.doc.lookup().out[id] {
			p.mark(s, w)
		}
	}
}

// crowd leaves out the shortest wires where there are so many that painting them all
// would take longer than a frame: those between blocks that nearly touch.
func (p *pen) crowd() {
	const many, shortest = 1000, 8
	p.least = 0
	if p.view.Detail() != Blocks {
		return
	}
	seen := 0
	for _, in := range p.lines {
		if in {
			seen++
		}
	}
	if seen > many {
		p.least = shortest
	}
}

// mark shows the wire at that place of the document.
func (p *pen) mark(s *Scene, w int) {
	if i, ok := s.byWire[w]; ok {
		p.lines[i] = true
	}
}

// cleared returns n times false, in the memory of old if it has enough.
func cleared(old []bool, n int) []bool {
	if cap(old) < n {
		return make([]bool, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// shift returns how far a node is from its place while it is dragged.
func (b *Board) shift(id string) Point {
	if g, ok := b.gesture.(*dragging); ok && g.nodes[id] {
		return g.by
	}
	return Point{}
}

// grid draws the lines behind everything, wider where they would stand too close.
func (p *pen) grid() {
	const pitch, closest = 24.0, 16.0
	step := pitch
	for step*p.view.Zoom < closest {
		step *= 4
	}
	seen := p.view.Visible()
	line := Item{Stroke: paint(InkGrid), Width: float32(1 / p.view.Zoom)}
	for x := seen.Min.Snap(step).X; x <= seen.Max.X; x += step {
		p.line(Point{x, seen.Min.Y}, Point{x, seen.Max.Y}, line)
	}
	for y := seen.Min.Snap(step).Y; y <= seen.Max.Y; y += step {
		p.line(Point{seen.Min.X, y}, Point{seen.Max.X, y}, line)
	}
}

func (b *Board) drawGroup(p *pen, g *Frame) {
	r := g.Rect
	for _, id := range g.NodeIDs {
		if by := b.shift(id); by != (Point{}) && b.wholeGroup(g) {
			r = r.Move(by)
			break
		}
	}
	if !r.Overlaps(b.View.Visible()) {
		return
	}
	color := exact(g.Color, paint(InkList))
	frame := Item{Fill: color.faded(6), Stroke: color, Width: 1, Radius: 12}
	if b.Selection.groups[g.ID] {
		frame.Stroke, frame.Width = paint(InkAccent), 2
	}
	p.rect(r, frame)
	label := RectAt(r.Min.Add(Point{rowIndent, 4}), r.W()-2*rowIndent, groupHeader-4)
	color.Legible = true
	p.text(label, shorten(g.Label, rowText, label.W()), Item{Size: rowText, Bold: true, Fill: color})
}

// wholeGroup reports whether all nodes of a group are being dragged.
func (b *Board) wholeGroup(g *Frame) bool {
	drag, ok := b.gesture.(*dragging)
	for _, id := range g.NodeIDs {
		ok = ok && drag.nodes[id]
	}
	return ok
}

func (b *Board) drawNote(p *pen, n *Sticky) {
	r := n.Rect
	if g, ok := b.gesture.(*dragging); ok && b.Selection.notes[n.ID] {
		r = r.Move(g.by)
	}
	if !r.Overlaps(b.View.Visible()) {
		return
	}
	color := exact(n.Color, paint(InkRunning))
	plate := Item{Fill: color.faded(14), Stroke: color.faded(60), Width: 1, Radius: 8}
	if b.Selection.notes[n.ID] {
		plate.Stroke, plate.Width = paint(InkAccent), 2
	}
	p.rect(r, plate)
	p.paragraph(r, n.Note)
}

// paragraph writes the text of a note, as many lines as there is room for.
func (p *pen) paragraph(r Rect, n *workflow.Note) {
	const margin, lineHeight = 10, 18
	rest := n.Text
	for y := r.Min.Y + margin/2; rest != "" && y+lineHeight <= r.Max.Y; y += lineHeight {
		var line string
		line, rest = wrap(rest, r.W()-2*margin)
		p.text(RectAt(Point{r.Min.X + margin, y}, r.W()-2*margin, lineHeight), line, Item{Size: rowText, Fill: paint(InkText)})
	}
}
