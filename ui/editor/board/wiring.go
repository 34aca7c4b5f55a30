package board

import (
	"cmp"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// wiring draws a new wire, or moves one end of a wire.
type wiring struct {
	end    cards.PortRef // the fixed end
	moving *workflow.Connection
	judge  *doc.Judge
	made   int            // revision that the judge is valid for
	at     geom.Point     // position of the loose end
	target *cards.PortRef // the legal port to snap to
	refuse string         // why the port under the pointer is not possible
	keys   bool           // it was started by keyboard, so the pointer does not move it
}

// StartWire starts a wire at a port by keyboard. [Board.aimNext] walks through possible
// ports, [Board.Finish] connects, [Board.Cancel] cancels. It reports whether the port exists.
func (b *Board) StartWire(end cards.PortRef) bool {
	b.sync()
	w := b.newWiring(end, nil)
	if w == nil || b.ReadOnly {
		return false
	}
	w.keys = true
	b.gesture = w
	return true
}

// startAt starts a wire at a port. At an input with a single wire, it detaches that wire
// instead.
func (b *Board) startAt(end cards.PortRef) gesture {
	if w, ok := b.doc.SoleWire(end); ok {
		return orNil(b.newWiring(cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}, &w))
	}
	return orNil(b.newWiring(end, nil))
}

// startOn detaches the end of a wire that is nearer to a point, if that end is visible: an
// end that is out of view or below a card is never meant.
func (b *Board) startOn(w workflow.Connection, at geom.Point) gesture {
	scene := b.Scene()
	from, to := cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}, cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false}
	source, ok := scene.Anchor(from)
	target, also := scene.Anchor(to)
	if !ok || !also {
		return nil
	}
	near, stays := target, from
	if at.Sub(source.At).Length() < at.Sub(target.At).Length() {
		near, stays = source, to
	}
	if !b.endSeen(near) {
		return nil
	}
	return orNil(b.newWiring(stays, &w))
}

func (b *Board) endSeen(a *cards.Anchor) bool {
	on := b.Scene().CardAt(a.At)
	return b.View.Visible().Contains(a.At) && (on < 0 || b.Scene().Cards[on].Node.ID == a.Node)
}

// orNil returns a nil gesture for a nil *wiring.
func orNil(w *wiring) gesture {
	if w == nil {
		return nil
	}
	return w
}

func (b *Board) newWiring(end cards.PortRef, moving *workflow.Connection) *wiring {
	j, err := b.doc.Judge(end, moving)
	if err != nil {
		return nil
	}
	w := &wiring{end: end, moving: moving, judge: j, made: b.doc.Revision()}
	if a, ok := b.Scene().Anchor(end); ok {
		w.at = a.At
	}
	return w
}

// Verdict returns whether the wire that is being drawn could connect to a port. drawing is
// false while none is.
func (b *Board) Verdict(ref cards.PortRef) (v doc.Verdict, drawing bool) {
	w, ok := b.gesture.(*wiring)
	if !ok || ref == w.end {
		return doc.Verdict{}, false
	}
	return w.verdict(b.doc, ref), true
}

func (g *wiring) verdict(d *doc.Document, ref cards.PortRef) doc.Verdict {
	if g.made != d.Revision() { // a run or another view has changed the document
		j, err := d.Judge(g.end, g.moving)
		if err != nil {
			return doc.Verdict{Reason: err.Error()}
		}
		g.judge, g.made = j, d.Revision()
	}
	return g.judge.Verdict(ref)
}

func (g *wiring) move(b *Board, p Pointer) {
	if g.keys {
		return
	}
	const pixels = 24 // how near a legal port snaps
	scene := b.Scene()
	g.at, g.target, g.refuse = b.View.ToDocument(p.At), nil, ""
	legal := func(a *cards.Anchor) bool { return g.verdict(b.doc, a.PortRef).Legal() }
	near := scene.PortAt(g.at, cards.PortReach, nil)
	if a := scene.PortAt(g.at, pixels/b.View.Zoom, legal); a != nil && (near == nil || near == a || near.PortRef == g.end) {
		g.aim(a)
		return
	}
	if near != nil && near.PortRef != g.end {
		g.refuse = g.verdict(b.doc, near.PortRef).Reason
		return
	}
	g.moveOverCard(b, scene)
}

// moveOverCard snaps to the best port of the card at the loose end.
func (g *wiring) moveOverCard(b *Board, scene *scene.Scene) {
	i := scene.CardAt(g.at)
	if i < 0 || scene.Cards[i].Node.ID == g.end.Node {
		return
	}
	best, ok := b.doc.BestAt(cards.PortRef{Node: scene.Cards[i].Node.ID}, g.judge)
	if a, found := scene.Anchor(best); ok && found {
		g.aim(a)
		return
	}
	g.refuse = "no port of this node takes the wire"
	if g.end.Output {
		g.refuse = "no free input of this node takes " + g.judge.Type().String()
	}
}

func (g *wiring) aim(a *cards.Anchor) {
	ref := a.PortRef
	g.target, g.at = &ref, a.At
}

func (g *wiring) up(b *Board, _ Pointer) Request {
	b.doc.Seal()
	switch {
	case g.target != nil && g.moving != nil:
		return tell(b.doc.Reconnect(*g.moving, *g.target))
	case g.target != nil:
		return tell(b.doc.Connect(g.end, *g.target))
	case g.refuse != "":
		return Request{Kind: RequestTell, Text: g.refuse}
	case g.moving != nil:
		return tell(b.doc.Disconnect(*g.moving))
	case g.keys || b.backHome(g):
		return Request{}
	}
	return Request{Kind: RequestPick, At: g.at, Port: g.end}
}

// backHome reports whether the loose end was dropped where it was detached.
func (b *Board) backHome(g *wiring) bool {
	i := b.Scene().CardAt(g.at)
	return i >= 0 && b.Scene().Cards[i].Node.ID == g.end.Node
}

// Targets returns the ports that the wire can connect to, nearest first; for a data wire,
// controls are last.
func (b *Board) Targets() []cards.PortRef {
	w, ok := b.gesture.(*wiring)
	if !ok {
		return nil
	}
	scene := b.Scene()
	start, ok := scene.Anchor(w.end)
	if !ok {
		return nil
	}
	var legal []*cards.Anchor
	for i := range scene.Cards {
		for k := range scene.Cards[i].Ports {
			if a := &scene.Cards[i].Ports[k]; w.verdict(b.doc, a.PortRef).Legal() {
				legal = append(legal, a)
			}
		}
		for k := range scene.Cards[i].Controls {
			if a := &scene.Cards[i].Controls[k]; w.verdict(b.doc, a.PortRef).Legal() {
				legal = append(legal, a)
			}
		}
	}
	slices.SortStableFunc(legal, func(x, y *cards.Anchor) int {
		if far := apart(x, w.end) - apart(y, w.end); far != 0 {
			return far
		}
		return cmp.Compare(x.At.Sub(start.At).Length(), y.At.Sub(start.At).Length())
	})
	refs := make([]cards.PortRef, len(legal))
	for i, a := range legal {
		refs[i] = a.PortRef
	}
	return refs
}

// apart returns 0 for ports of the same kind as the wire's, data or control, and 1 for
// others, which are rarely meant.
func apart(a *cards.Anchor, end cards.PortRef) int {
	if cards.IsControl(a.Port) == cards.IsControl(end.Port) {
		return 0
	}
	return 1
}

// aimNext snaps the wire to the next possible port, or with step -1 to the previous one.
func (b *Board) aimNext(step int) {
	w, wiring := b.gesture.(*wiring)
	targets := b.Targets()
	if !wiring || len(targets) == 0 {
		return
	}
	at := -1
	if w.target != nil {
		at = slices.Index(targets, *w.target)
	}
	if at < 0 && step < 0 {
		at = 0
	}
	ref := targets[(at+step+len(targets))%len(targets)]
	if a, found := b.Scene().Anchor(ref); found {
		w.aim(a)
		b.View.Reveal(geom.RectBetween(a.At, a.At).Grow(cards.PortReach))
	}
}

// Finish ends the gesture like a release of the button.
func (b *Board) Finish() Request {
	b.sync()
	g := b.gesture
	if g == nil {
		return Request{}
	}
	b.gesture = nil
	return g.up(b, b.pointer)
}

func (g *wiring) draw(b *Board, p *scene.Pen) {
	start, ok := b.Scene().Anchor(g.end)
	if !ok {
		return
	}
	ink := scene.InkOf(g.judge.Type())
	curve := scene.WireCurve(start.At, g.at)
	if !g.end.Output {
		curve = scene.WireCurve(g.at, start.At)
	}
	p.Way(scene.Way{curve}, nil, scene.Item{Stroke: scene.Plain(ink), Width: scene.WireWidth, Dashed: g.target == nil})
	if g.target != nil {
		p.Circle(g.at, cards.PortReach, scene.Item{Stroke: scene.Plain(scene.InkAccent), Width: 2})
		if a, ok := b.Scene().Anchor(*g.target); ok {
			p.NameOf(a, a.Port+"  "+a.Spec.Type.String())
		}
	}
	if g.refuse != "" {
		reason := g.refuse
		if b.Say != nil {
			reason = b.Say(reason)
		}
		p.Caption(g.at.Add(geom.Point{X: 16, Y: 16}), reason, scene.InkError)
	}
}
