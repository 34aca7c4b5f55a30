package board

import (
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// levels are the other visible levels: those around the user's level, on whose cards it is
// shown, and bodies that are shown on cards.
type levels struct {
	made map[string]*level // by path
	at   int               // revision of the document that they were made for
}

// level is one of them; its scene is made on demand.
type level struct {
	doc   *doc.Document // nil if it is out of date
	scene *scene.Scene
}

// spot is the position of a level on the screen: base is the outermost level that is visible,
// and origin the level's origin on that.
type spot struct {
	base   string
	origin geom.Point
}

// level returns a level of the document.
func (b *Board) level(path []string) *level {
	if slices.Equal(path, b.doc.Path()) {
		return &level{b.doc, b.Scene()}
	}
	if b.levels.at != b.doc.Revision() {
		b.levels.at = b.doc.Revision()
		maps.DeleteFunc(b.levels.made, func(_ string, l *level) bool { return l.doc == nil }) // it is not in use
		for _, l := range b.levels.made {
			l.doc = nil
		}
	}
	key := strings.Join(path, "/")
	l := b.levels.made[key]
	if l == nil {
		l = &level{}
		b.levels.made[key] = l
	}
	if l.doc == nil {
		there, err := b.doc.At(path)
		if err != nil {
			there = doc.New(&workflow.Definition{}, b.doc.Specs())
		}
		l.doc, l.scene = there, l.scene.Again(there)
	}
	return l
}

// depth returns the number of containers around the outermost visible level.
func (b *Board) depth(path []string) int {
	k := len(path)
	for !b.bare && k > 0 && b.level(path[:k-1]).doc.Unfolded(path[k-1]) {
		k--
	}
	return k
}

// Inside reports whether the user is in a body that is shown on a card.
func (b *Board) Inside() bool {
	path := b.doc.Path()
	return b.depth(path) < len(path)
}

// bodyAt returns the origin, on its level, of a body that is shown on a card.
func (b *Board) bodyAt(container *cards.Card, body []string) geom.Point {
	return container.BodyAt(b.level(body).scene.Bounds)
}

// locate returns the position of the level that the user is on.
func (b *Board) locate() (s spot) {
	path := b.doc.Path()
	k := b.depth(path)
	s.base = strings.Join(path[:k], "/")
	for i := k; i < len(path); i++ {
		if card, ok := b.level(path[:i]).scene.Card(path[i]); ok {
			s.origin = s.origin.Add(b.bodyAt(card, path[:i+1]))
		}
	}
	return s
}

// seenFrom returns the view of a level whose origin is at a point of the level of v.
func seenFrom(v scene.Viewport, origin geom.Point) scene.Viewport {
	v.Pan = v.Pan.Add(origin.Scale(v.Zoom))
	return v
}

// Base returns the outermost visible level, and its view.
func (b *Board) Base() (*scene.Scene, scene.Viewport) {
	b.sync()
	path := b.doc.Path()
	return b.level(path[:b.depth(path)]).scene, seenFrom(b.View, b.spot.origin.Scale(-1))
}

// under returns the level at a point of the screen: the innermost body that is shown there,
// or the outermost visible level.
func (b *Board) under(at geom.Point) []string {
	path := b.doc.Path()
	path = path[:b.depth(path)]
	view := seenFrom(b.View, b.spot.origin.Scale(-1))
	for p := view.ToDocument(at); ; {
		shown := b.level(path).scene
		i := shown.CardAt(p)
		if i < 0 || !shown.Cards[i].Unfolded() || !shown.Cards[i].Pane.Contains(p) {
			return path
		}
		path = append(slices.Clone(path), shown.Cards[i].Node.ID)
		p = p.Sub(b.bodyAt(&shown.Cards[i], path))
	}
}

// on reports whether the level that the user is on is at a point of the screen.
func (b *Board) on(at geom.Point) bool { return slices.Equal(b.under(at), b.doc.Path()) }

// follow enters the level at a point of the screen without moving the view.
func (b *Board) follow(at geom.Point) {
	if to := b.under(at); !slices.Equal(to, b.doc.Path()) {
		g := b.gesture
		_ = b.doc.GoTo(to) // it exists, because it is visible
		b.sync()
		b.gesture = g
	}
}

// arrive adopts the view of the level that the user has entered; the picture stays if the
// level was visible already.
func (b *Board) arrive(at string) {
	was := b.spot
	around := seenFrom(b.View, was.origin.Scale(-1))
	b.at, b.spot = at, b.locate()
	if was.base == b.spot.base {
		b.View = seenFrom(around, b.spot.origin)
		return
	}
	b.views[was.base] = around
	if known, ok := b.views[b.spot.base]; ok {
		known.Size, known.Top = b.View.Size, b.View.Top
		b.View = seenFrom(known, b.spot.origin)
	} else {
		b.FitAll()
	}
}

// bodies returns the bodies on the cards of a level, as [scene.Look.Inside].
type bodies func(c *cards.Card, by geom.Point) (*scene.Scene, *scene.Look)

// inside returns the bodies on the cards of a level with that view.
func (b *Board) inside(outer *scene.Look) bodies {
	return func(c *cards.Card, by geom.Point) (*scene.Scene, *scene.Look) {
		path := append(slices.Clone(outer.Path), c.Node.ID)
		if slices.Equal(path, b.look.Path) {
			return b.Scene(), &b.look
		}
		view := seenFrom(outer.View, b.bodyAt(c, path).Add(by))
		return b.level(path).scene, b.aside(path, view)
	}
}

// aside returns the look of a level that is not the user's.
func (b *Board) aside(path []string, view scene.Viewport) *scene.Look {
	look := &scene.Look{
		View: view, Path: path, Selected: b.nothing, Run: b.Run, Problems: b.problems, Bare: true,
		Pane: onLevel(path, b.Pane), Pinned: onLevel(path, b.Pinned), Stop: onLevel(path, b.Stop),
	}
	look.Inside = b.inside(look)
	if on := b.look.Path; len(path) < len(on) && slices.Equal(path, on[:len(path)]) {
		look.Entered = on[len(path)]
	}
	return look
}

// onLevel converts a function of the path of a node to one of the node's id on a level.
func onLevel[T any](path []string, told func(path string) T) func(id string) T {
	if told == nil || len(path) == 0 {
		return told
	}
	return func(id string) T { return told(fold.Join(path, id)) }
}
