package editor

// marquee selects what lies in a rectangle.
type marquee struct {
	from, to Point
	before   Set // what was selected, and stays so
}

func newMarquee(b *Board, from Point, mods Mods) *marquee {
	m := &marquee{from: from, to: from}
	if mods&(Shift|Ctrl) != 0 {
		m.before = b.Selection.Set()
	}
	return m
}

func (g *marquee) move(b *Board, p Pointer) {
	g.to = b.View.ToDocument(p.At)
	b.Selection.Replace(g.before)
	b.Selection.Add(b.Scene().Within(RectBetween(g.from, g.to)))
}

func (g *marquee) up(b *Board, _ Pointer) Request {
	b.doc.Seal()
	return Request{}
}

func (g *marquee) draw(_ *Board, p *Pen) {
	p.rect(RectBetween(g.from, g.to), Item{Fill: paint(InkAccent).faded(12), Stroke: paint(InkAccent), Width: 1})
}

// resizing changes the size of a note.
type resizing struct {
	id       string
	from, by Point
	size     Point
}

func newResizing(b *Board, from Point, id string) *resizing {
	r := b.doc.Around(Set{Notes: []string{id}})
	return &resizing{id: id, from: from, size: Point{r.W(), r.H()}}
}

func (g *resizing) move(b *Board, p Pointer) {
	g.by = b.View.ToDocument(p.At).Sub(g.from)
	if p.Mods&Alt == 0 {
		g.by = g.size.Add(g.by).Snap(GridPitch).Sub(g.size)
	}
}

func (g *resizing) up(b *Board, _ Pointer) Request {
	return tell(b.doc.ResizeNote(g.id, g.size.X+g.by.X, g.size.Y+g.by.Y))
}

func (g *resizing) draw(b *Board, p *Pen) {
	r := b.doc.Around(Set{Notes: []string{g.id}})
	r.Max = r.Max.Add(g.by)
	p.rect(r, Item{Stroke: paint(InkAccent), Width: 2, Radius: 8})
}
