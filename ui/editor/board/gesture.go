package board

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// Button is a button of the pointer.
type Button uint8

// The buttons.
const (
	Primary Button = iota
	Middle
	Secondary
)

// Mods are the modifier keys that are held.
type Mods uint8

// The modifiers. Alt disables snapping to the grid.
const (
	Shift Mods = 1 << iota
	Ctrl
	Alt
	Space
)

// Pointer is an event of the pointer.
type Pointer struct {
	At     geom.Point // on the screen
	Button Button
	Mods   Mods
	Double bool // the second press of a double click
}

// RequestKind is what a gesture requests of the view.
type RequestKind uint8

// The kinds of requests.
const (
	RequestNone    RequestKind = iota
	RequestPick                // a wire was dropped on empty canvas: let the user pick from Document.Partners(Port), then AddConnected
	RequestPalette             // empty canvas was double-clicked: let the user pick a node for At
	RequestOpen                // a node was double-clicked: enter its body or show its settings
	RequestEdit                // a note or group was double-clicked: let the user change its text
	RequestMenu                // show the menu for Hit
	RequestAct                 // the action of a card's value was clicked: run it
	RequestTell                // show the user why nothing happened: Text
)

// Request is what a gesture requests of the view. The zero Request is nothing.
type Request struct {
	Kind RequestKind
	At   geom.Point // in the document
	Hit  scene.Hit
	Port cards.PortRef
	Text string
}

// gesture is a gesture in progress.
type gesture interface {
	move(b *Board, p Pointer)
	// up ends the gesture and applies it.
	up(b *Board, p Pointer) Request
	// draw draws the gesture's preview on top of everything.
	draw(b *Board, p *scene.Pen)
}

// Down handles the press of a button.
func (b *Board) Down(p Pointer) Request {
	b.sync()
	if b.gesture != nil {
		return Request{} // a second button is ignored
	}
	b.pointer = p
	if p.Button != Middle && p.Mods&Space == 0 {
		b.follow(p.At)
	}
	hit := b.hit()
	if p.Double && p.Button == Primary {
		return b.double(hit)
	}
	if p.Button == Middle || p.Mods&Space != 0 {
		b.gesture = &panning{last: p.At}
		return Request{}
	}
	if p.Button == Primary && b.pressGone(hit, p.Mods) {
		return Request{}
	}
	press := &pressing{start: p, hit: hit}
	if p.Button == Primary && hit.Kind != scene.HitNothing && hit.Kind != scene.HitPort {
		press.selected = b.Selection.Has(hit)
		if !press.selected {
			b.pick(hit, p.Mods)
		}
	}
	b.gesture = press
	return Request{}
}

func (b *Board) double(hit scene.Hit) Request {
	r := Request{At: b.Pointer(), Hit: hit}
	switch hit.Kind {
	case scene.HitNothing:
		r.Kind = RequestPalette
	case scene.HitNode, scene.HitCardCorner:
		r.Kind = RequestOpen
	case scene.HitNote, scene.HitNoteCorner, scene.HitGroup:
		r.Kind = RequestEdit
	case scene.HitWire:
		return tell(b.AddPoint(hit.Wire, b.Pointer()))
	case scene.HitPoint:
		return tell(b.act(func(doc.Set) error { return b.doc.Delete(hit.Set()) }))
	default:
		return Request{}
	}
	return r
}

// Move handles a movement of the pointer, with or without a button.
func (b *Board) Move(p Pointer) {
	b.sync()
	b.pointer.At, b.pointer.Mods = p.At, p.Mods
	if b.gesture != nil {
		b.gesture.move(b, p)
		return
	}
	b.hover = b.hit()
}

// hit returns what is under the pointer, as it is drawn now.
func (b *Board) hit() scene.Hit {
	if !b.on(b.pointer.At) {
		return scene.Hit{}
	}
	if b.Pane != nil && b.View.Detail() == scene.Full {
		if id, ok := b.Scene().ActionAt(b.Pointer(), onLevel(b.doc.Path(), b.Pane)); ok {
			return scene.Hit{Kind: scene.HitAction, ID: id}
		}
	}
	return b.Scene().Hit(b.Pointer(), b.View.Zoom)
}

// Up handles the release of a button. Releases without a press are ignored: a toolkit may
// report the end of a drag twice.
func (b *Board) Up(p Pointer) Request {
	b.sync()
	if b.gesture == nil {
		return Request{}
	}
	b.pointer.At, b.pointer.Mods = p.At, p.Mods
	g := b.gesture
	g.move(b, p)
	if b.gesture != nil { // the press may have become another gesture
		g = b.gesture
	}
	b.gesture = nil
	return g.up(b, p)
}

// Cancel cancels the gesture in progress; without one, it clears the selection. It reports
// whether there was either.
func (b *Board) Cancel() bool {
	b.sync()
	if b.gesture != nil {
		b.gesture = nil
		return true
	}
	had := !b.Selection.Empty()
	b.Selection.Clear()
	b.doc.Seal()
	return had
}

// Busy reports whether a gesture is in progress.
func (b *Board) Busy() bool { return b.gesture != nil }

// Wheel zooms about the pointer by notches; with Ctrl or Shift it scrolls vertically or
// horizontally.
func (b *Board) Wheel(p Pointer, notches float64) {
	const distance = 48 // pixels per notch
	switch {
	case p.Mods&Shift != 0:
		b.View.PanBy(geom.Point{X: notches * distance, Y: 0})
	case p.Mods&Ctrl != 0:
		b.View.PanBy(geom.Point{X: 0, Y: notches * distance})
	default:
		b.View.Wheel(notches, p.At)
	}
	b.Move(p)
}

// Tick scrolls while something is dragged near an edge. seconds is the time since the last
// tick. It reports whether the view has moved; the caller calls it while [Board.Busy].
func (b *Board) Tick(seconds float64) bool {
	switch b.gesture.(type) {
	case nil, *pressing, *panning:
		return false
	}
	by := b.View.EdgePan(b.pointer.At).Scale(seconds)
	if by == (geom.Point{}) {
		return false
	}
	b.View.PanBy(by)
	b.gesture.move(b, b.pointer)
	return true
}

// tell returns the request to show an error; none if it is nil.
func tell(err error) Request {
	if err == nil {
		return Request{}
	}
	return Request{Kind: RequestTell, Text: err.Error()}
}
