package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
)

// pick selects the hit part; with Shift or Ctrl it adds it to the selection.
func (b *Board) pick(hit scene.Hit, mods Mods) {
	b.doc.Seal()
	if mods&(Shift|Ctrl) != 0 {
		b.Selection.Toggle(hit.Set())
		return
	}
	b.Selection.Replace(hit.Set())
}

// pressing is a pressed button without movement so far.
type pressing struct {
	start    Pointer
	hit      scene.Hit
	selected bool // whether the part was selected before
}

func (g *pressing) move(b *Board, p Pointer) {
	const slop = 4 // pixels
	if p.At.Sub(g.start.At).Length() < slop {
		return
	}
	if b.gesture = g.becomes(b); b.gesture != nil {
		b.gesture.move(b, p)
	}
}

// becomes returns the gesture that a press becomes when the pointer moves.
func (g *pressing) becomes(b *Board) gesture {
	from := b.View.ToDocument(g.start.At)
	switch {
	case g.start.Button == Secondary:
		return &panning{last: g.start.At}
	case b.ReadOnly:
		return newMarquee(b, from, g.start.Mods)
	}
	switch g.hit.Kind {
	case scene.HitPort:
		if w := b.startAt(g.hit.Port); w != nil {
			return w
		}
	case scene.HitWire:
		if w := b.startOn(g.hit.Wire, from); w != nil {
			return w
		}
	case scene.HitNode, scene.HitNote, scene.HitGroup, scene.HitPoint, scene.HitAction:
		if !b.Selection.Has(g.hit) {
			b.Selection.Add(g.hit.Set()) // Shift has removed it, but it is dragged
		}
		return newDragging(b, from, g.hit)
	case scene.HitNoteCorner, scene.HitCardCorner:
		return newResizing(b, from, g.hit)
	case scene.HitNothing:
	}
	return newMarquee(b, from, g.start.Mods)
}

func (g *pressing) up(b *Board, _ Pointer) Request {
	switch {
	case g.start.Button == Secondary:
		if g.hit.Kind != scene.HitNothing && !b.Selection.Has(g.hit) {
			b.pick(g.hit, 0)
		}
		return Request{Kind: RequestMenu, At: b.Pointer(), Hit: g.hit}
	case g.hit.Kind == scene.HitNothing:
		if g.start.Mods&(Shift|Ctrl) == 0 {
			b.doc.Seal()
			b.Selection.Clear()
		}
	case g.hit.Kind == scene.HitAction:
		return Request{Kind: RequestAct, At: b.Pointer(), Hit: g.hit}
	case g.selected || g.hit.Kind == scene.HitPort:
		b.pick(g.hit, g.start.Mods)
	}
	return Request{}
}

func (*pressing) draw(*Board, *scene.Pen) {}

// panning moves the view.
type panning struct{ last geom.Point }

func (g *panning) move(b *Board, p Pointer) {
	b.View.PanBy(p.At.Sub(g.last))
	g.last = p.At
}

func (*panning) up(*Board, Pointer) Request { return Request{} }
func (*panning) draw(*Board, *scene.Pen)    {}
