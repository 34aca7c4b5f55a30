package board

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// Board is a view of a document: the visible part, the selection, and the gestures of pointer
// and keys. The zero value is not usable; see [New].
type Board struct {
	View      scene.Viewport
	Selection *Selection
	// Run is the run that is shown on the nodes; nil for none.
	Run *fold.State
	// Peek returns a few lines about the values at a port in that run; it may be nil.
	Peek func(cards.PortRef) []string
	// Pane returns the value that the card of a node shows, by the node's path, "loop/fmt";
	// it may be nil.
	Pane func(path string) *scene.Pane
	// Pinned reports whether a node is pinned; it may be nil.
	Pinned func(path string) bool
	// Stop returns the breakpoint at a node; it may be nil.
	Stop func(path string) scene.Stop
	// Say translates why a wire is not possible; it may be nil.
	Say func(reason string) string
	// ReadOnly keeps gestures and keys from changing the document, as for a past run.
	ReadOnly bool

	doc      *doc.Document
	scene    *scene.Scene
	drawn    int // revision of the document that the scene shows
	problems *doc.Problems
	hints    []engine.Hint
	gesture  gesture // nil without one
	pointer  Pointer // its last event
	hover    scene.Hit
	seen     int                       // revision of the document that the selection was checked against
	at       string                    // the level that the user is on
	spot     spot                      // its position on the screen
	levels   levels                    // the other visible levels
	nothing  *Selection                // an empty selection, for other levels
	views    map[string]scene.Viewport // of the outermost levels that were left
	pen      scene.Pen                 // reused for its memory
	look     scene.Look                // of the user's level, at the last Draw
	within   bodies                    // draws the bodies on the cards of the user's level
	bare     bool                      // without a grid
	compare  *comparing                // nil without a comparison
	opened   scene.Viewport            // the view as the document was opened
}

// New returns a board for a document, with a view of that size in pixels. If possible, the
// whole document is visible.
func New(d *doc.Document, w, h float64) *Board {
	b := &Board{
		View: scene.NewViewport(w, h), Selection: newSelection(), nothing: newSelection(), doc: d,
		problems: doc.NewProblems(nil), views: map[string]scene.Viewport{}, levels: levels{made: map[string]*level{}},
	}
	b.Open()
	b.within = b.inside(&b.look)
	b.seen, b.at, b.spot = d.Revision(), strings.Join(d.Path(), "/"), b.locate()
	return b
}

// Document returns the document of the board.
func (b *Board) Document() *doc.Document { return b.doc }

// Problems returns the problems of validation.
func (b *Board) Problems() *doc.Problems { return b.problems }

// SetProblems sets the problems of validation.
func (b *Board) SetProblems(errs engine.ValidationErrors) { b.problems = doc.NewProblems(errs) }

// Hints returns hints about valid but probably unintended parts.
func (b *Board) Hints() []engine.Hint { return b.hints }

// SetHints sets the hints of validation.
func (b *Board) SetHints(hints []engine.Hint) { b.hints = hints }

// Scene returns the present scene of the level.
func (b *Board) Scene() *scene.Scene {
	if b.scene == nil || b.drawn != b.doc.Revision() {
		b.scene, b.drawn = b.scene.Again(b.doc), b.doc.Revision()
	}
	return b.scene
}

// Pointer returns the position of the pointer in the document.
func (b *Board) Pointer() geom.Point { return b.View.ToDocument(b.pointer.At) }

// Hover returns what is under the pointer.
func (b *Board) Hover() scene.Hit { return b.hover }

// sync adapts to changes of the document: after an undo, the selection may contain deleted
// parts, and the level may be another.
func (b *Board) sync() {
	if b.seen == b.doc.Revision() {
		return
	}
	b.seen = b.doc.Revision()
	at := strings.Join(b.doc.Path(), "/")
	if at == b.at {
		b.Selection.prune(b.doc)
		b.spot = b.locate()
		return
	}
	b.gesture, b.hover = nil, scene.Hit{}
	b.Selection.Clear()
	b.arrive(at)
}

// Draw returns the primitives to paint, in order. It contains only visible parts, and is
// valid until the next call.
func (b *Board) Draw() []scene.Item {
	b.sync()
	path := b.doc.Path()
	b.look = scene.Look{
		View: b.View, Path: path, Selected: b.Selection, Hover: b.hover, Run: b.Run, Problems: b.problems, Pointer: b.Pointer(),
		Pane: onLevel(path, b.Pane), Pinned: onLevel(path, b.Pinned), Stop: onLevel(path, b.Stop), Bare: b.bare, Compared: b.compared(),
	}
	look := &b.look
	look.Inside = b.within
	if b.Run != nil {
		look.Peek = b.Peek
	}
	switch g := b.gesture.(type) {
	case *dragging:
		look.Dragged, look.By, look.Points = g.nodes, g.by, g.points
	case *wiring:
		look.Lifted, look.Verdict = g.moving, b.Verdict
	}
	if b.gesture != nil {
		look.Top = func(p *scene.Pen) { b.gesture.draw(b, p) }
	}
	k := b.depth(path)
	if k == len(path) {
		return b.pen.Draw(b.Scene(), look)
	}
	look.Bare = true
	base := b.aside(path[:k], seenFrom(b.View, b.spot.origin.Scale(-1)))
	base.Bare, base.Front = false, &scene.Front{Scene: b.Scene(), Look: look}
	return b.pen.Draw(b.level(path[:k]).scene, base)
}

// Show selects a node of the level and reveals it.
func (b *Board) Show(id string) bool {
	b.sync()
	card, ok := b.Scene().Card(id)
	if ok {
		b.doc.Seal()
		b.Selection.Replace(doc.Set{Nodes: []string{id}})
		b.View.Reveal(card.Extent())
	}
	return ok
}

// ShowPath is Show for a node of any level, by its path as in events and problems:
// "loop/fmt".
func (b *Board) ShowPath(at string) bool {
	path, id := fold.Split(at)
	if b.doc.GoTo(path) != nil {
		return false
	}
	return b.Show(id)
}

// NextProblem selects the node or wire of the next problem, or with step -1 of the previous
// one. ok is false without problems.
func (b *Board) NextProblem(step int) (e *engine.ValidationError, ok bool) {
	e, ok = b.problems.Next(step)
	if !ok {
		return nil, false
	}
	if e.NodeID != "" {
		b.ShowPath(e.NodeID)
	}
	if w, found := b.wireOf(e); found {
		b.Selection.Add(doc.Set{Wires: []workflow.Connection{w}})
	}
	return e, true
}

// wireOf returns the wire that a problem is about.
func (b *Board) wireOf(e *engine.ValidationError) (w workflow.Connection, ok bool) {
	if path, _ := fold.Split(e.NodeID); e.Connection == nil || !slices.Equal(path, b.doc.Path()) && e.NodeID != "" {
		return w, false
	}
	if i := *e.Connection; i >= 0 && i < len(b.doc.Connections()) {
		return b.doc.Connections()[i], true
	}
	return w, false
}

// SelectAll selects all nodes and notes of the level.
func (b *Board) SelectAll() {
	b.sync()
	var all doc.Set
	for i := range b.doc.Nodes() {
		all.Nodes = append(all.Nodes, b.doc.Nodes()[i].ID)
	}
	for i := range b.doc.Notes() {
		all.Notes = append(all.Notes, b.doc.Notes()[i].ID)
	}
	b.Selection.Replace(all)
}

// SelectUpstream adds all nodes that lead to the selected ones.
func (b *Board) SelectUpstream() {
	b.sync()
	b.Selection.Add(doc.Set{Nodes: b.doc.Upstream(idsOf(b.Selection.nodes)...)})
}

// SelectDownstream adds all nodes that the selected ones lead to.
func (b *Board) SelectDownstream() {
	b.sync()
	b.Selection.Add(doc.Set{Nodes: b.doc.Downstream(idsOf(b.Selection.nodes)...)})
}

// Nudge moves the selection by a step of the grid.
func (b *Board) Nudge(d scene.Direction) error {
	b.sync()
	return b.doc.Nudge(b.Selection.Set(), d.Vector().Scale(geom.Pitch))
}
