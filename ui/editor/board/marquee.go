package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// marquee selects what is in a rectangle.
type marquee struct {
	from, to geom.Point
	before   doc.Set // the selection before, which stays
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

// resizing changes the size of a note, or of a card that shows a value.
type resizing struct {
	hit      scene.Hit
	from, by geom.Point
	size     geom.Point
}

func newResizing(b *Board, from geom.Point, hit scene.Hit) *resizing {
	g := &resizing{hit: hit, from: from}
	r := g.rect(b)
	g.size = geom.Point{X: r.W(), Y: r.H()}
	return g
}

// rect returns the rectangle of the part that is being resized.
func (g *resizing) rect(b *Board) geom.Rect {
	if g.hit.Kind != scene.HitCardCorner {
		return b.doc.Around(g.hit.Set())
	}
	if card, ok := b.doc.Card(g.hit.ID); ok {
		return card.Rect
	}
	return geom.Rect{}
}

func (g *resizing) move(b *Board, p Pointer) {
	g.by = b.View.ToDocument(p.At).Sub(g.from)
	if p.Mods&Alt == 0 {
		g.by = g.size.Add(g.by).Snap(geom.Pitch).Sub(g.size)
	}
}

func (g *resizing) up(b *Board, _ Pointer) Request {
	to := g.size.Add(g.by)
	if g.hit.Kind == scene.HitCardCorner {
		return tell(b.doc.ResizeNode(g.hit.ID, to.X, to.Y))
	}
	return tell(b.doc.ResizeNote(g.hit.ID, to.X, to.Y))
}

func (g *resizing) draw(b *Board, p *scene.Pen) {
	r := g.rect(b)
	r.Max = r.Max.Add(g.by)
	p.Rect(r, scene.Item{Stroke: scene.Plain(scene.InkAccent), Width: 2, Radius: 8})
}
