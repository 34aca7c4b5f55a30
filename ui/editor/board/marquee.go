package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// marquee selects what lies in a rectangle.
type marquee struct {
	from, to geom.Point
	before   doc.Set // what was selected, and stays so
}

func newMarquee(b *Board, from geom.Point, mods Mods) *marquee {
	m := &marquee{from: from, to: from}
	if mods&(Shift|Ctrl) != 0 {
		m.before = b.Selection.Set()
	}
	return m
}

func (g *marquee) move(b *Board, p Pointer) {
	g.to = b.View.ToDocument(p.At)
	b.Selection.Replace(g.before)
	b.Selection.Add(b.Scene().Within(geom.RectBetween(g.from, g.to)))
}

func (g *marquee) up(b *Board, _ Pointer) Request {
	b.doc.Seal()
	return Request{}
}

func (g *marquee) draw(_ *Board, p *scene.Pen) {
	p.Rect(geom.RectBetween(g.from, g.to), scene.Item{Fill: scene.Plain(scene.InkAccent).Faded(12), Stroke: scene.Plain(scene.InkAccent), Width: 1})
}

// resizing changes the size of a note.
type resizing struct {
	id       string
	from, by geom.Point
	size     geom.Point
}

func newResizing(b *Board, from geom.Point, id string) *resizing {
	r := b.doc.Around(doc.Set{Notes: []string{id}})
	return &resizing{id: id, from: from, size: geom.Point{X: r.W(), Y: r.H()}}
}

func (g *resizing) move(b *Board, p Pointer) {
	g.by = b.View.ToDocument(p.At).Sub(g.from)
	if p.Mods&Alt == 0 {
		g.by = g.size.Add(g.by).Snap(geom.Pitch).Sub(g.size)
	}
}

func (g *resizing) up(b *Board, _ Pointer) Request {
	return tell(b.doc.ResizeNote(g.id, g.size.X+g.by.X, g.size.Y+g.by.Y))
}

func (g *resizing) draw(b *Board, p *scene.Pen) {
	r := b.doc.Around(doc.Set{Notes: []string{g.id}})
	r.Max = r.Max.Add(g.by)
	p.Rect(r, scene.Item{Stroke: scene.Plain(scene.InkAccent), Width: 2, Radius: 8})
}
