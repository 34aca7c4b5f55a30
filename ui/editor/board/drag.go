package board

import (
	"errors"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// dragging moves the selection. The document changes when the drag ends.
type dragging struct {
	set    doc.Set
	nodes  map[string]bool
	points map[doc.Point]bool
	from   geom.Point
	corner geom.Point // the top left corner of the part under the pointer, which snaps to the grid
	by     geom.Point
	loose  string // the single dragged node, if it has no wires
	into   *workflow.Connection
}

func newDragging(b *Board, from geom.Point, hit scene.Hit) *dragging {
	set := b.Selection.Set()
	g := &dragging{set: set, nodes: b.doc.Moving(set), from: from, corner: b.doc.Around(hit.Set()).Min}
	for _, p := range set.Points {
		if g.points == nil {
			g.points = map[doc.Point]bool{}
		}
		g.points[p] = true
	}
	if hit.Kind == scene.HitPoint {
		g.corner = geom.Point(scene.Via(hit.Wire)[hit.At])
		return g
	}
	held := g.nodes
	if hit.Kind == scene.HitNode || hit.Kind == scene.HitAction {
		held = map[string]bool{hit.ID: true}
	}
	if cards := b.doc.Among(idsOf(held)); len(cards) > 0 && hit.Kind != scene.HitNote {
		g.corner = cards[0].Rect.Min
	}
	if len(g.nodes) == 1 && len(set.Notes)+len(set.Points) == 0 {
		id := idsOf(g.nodes)[0]
		if !b.doc.Wired(id) {
			g.loose = id
		}
	}
	return g
}

func (g *dragging) move(b *Board, p Pointer) {
	at := b.View.ToDocument(p.At)
	g.by = at.Sub(g.from)
	if p.Mods&Alt == 0 {
		g.by = g.corner.Add(g.by).Snap(geom.Pitch).Sub(g.corner)
	}
	g.into = nil
	if n, ok := b.doc.Node(g.loose); ok {
		g.into = b.wireFor(n.Type, at)
	}
	if card, ok := b.doc.Card(g.loose); ok && g.into != nil {
		g.by = b.doc.RoomIn(*g.into, card.Extent().Move(g.by), card.Rect.Min.Add(g.by), g.loose).At.Sub(card.Rect.Min)
	}
}

// wireFor returns the wire at a point that a node of a type can be inserted into.
func (b *Board) wireFor(typ string, at geom.Point) *workflow.Connection {
	shown := b.Scene()
	i := shown.WireAt(at, b.View.Zoom, func(w *scene.Wire) bool { return b.doc.CanInsert(typ, w.Connection) })
	if i < 0 {
		return nil
	}
	return &shown.Wires[i].Connection
}

func (g *dragging) up(b *Board, _ Pointer) Request {
	b.doc.Seal()
	if g.into != nil {
		return tell(b.doc.MoveInto(g.loose, g.by, *g.into))
	}
	return tell(b.doc.Move(g.set, g.by))
}

func (g *dragging) draw(b *Board, p *scene.Pen) { p.Lit(b.Scene(), g.into) }

// ErrReadOnly reports that the board shows a past run.
var ErrReadOnly = errors.New("this is a run that is over: go back to the draft to change it")

// Drop adds a node of a type centred at a point of the screen, as when it is dragged from the
// palette: into the wire at that point, if it can be, and into the body that is shown there.
// The new node is selected.
func (b *Board) Drop(typ string, at geom.Point) (id string, err error) {
	b.sync()
	if b.ReadOnly {
		return "", ErrReadOnly
	}
	b.follow(at)
	place := b.View.ToDocument(at)
	ghost := b.doc.Ghost(typ)
	corner := cornerAt(ghost, place)
	if into := b.wireFor(typ, place); into != nil {
		id, err = b.doc.InsertNew(typ, corner, *into)
	} else {
		id, err = b.doc.Add(typ, corner)
	}
	if err == nil {
		b.doc.Seal()
		b.Selection.Replace(doc.Set{Nodes: []string{id}})
	}
	return id, err
}

// cornerAt returns the top left corner of a new card whose centre is at a point.
func cornerAt(ghost *cards.Card, place geom.Point) geom.Point {
	return place.Sub(ghost.Rect.Center()).Snap(geom.Pitch)
}

// Carry previews a node of a type at the pointer while it is dragged from the palette; the
// release calls [Board.Drop].
func (b *Board) Carry(typ string) { b.gesture = &carrying{typ: typ} }

// carrying is a drag of a node type from the palette.
type carrying struct {
	typ  string
	into *workflow.Connection
}

func (g *carrying) move(b *Board, p Pointer) {
	b.follow(p.At)
	g.into = b.wireFor(g.typ, b.View.ToDocument(p.At))
}

func (g *carrying) up(b *Board, p Pointer) Request {
	_, err := b.Drop(g.typ, p.At)
	return tell(err)
}

func (g *carrying) draw(b *Board, p *scene.Pen) {
	p.Lit(b.Scene(), g.into)
	ghost := b.doc.Ghost(g.typ)
	at := cornerAt(ghost, b.Pointer())
	if g.into != nil {
		at = b.doc.RoomIn(*g.into, ghost.Extent().Move(at), at, "").At
	} else {
		at = b.doc.FreePlace(g.typ, at)
	}
	p.Rect(ghost.Rect.Move(at), scene.Item{Fill: scene.Plain(scene.InkCard).Faded(60), Stroke: scene.Plain(scene.InkAccent), Width: 1, Radius: 10, Dashed: true})
}
