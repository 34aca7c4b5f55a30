package canvas

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/scene"
)

// press is the last press of the primary button, to detect a double click. Fyne's own double
// tap would delay every single one.
type press struct {
	at   geom.Point
	when time.Time
}

// MouseDown begins a gesture and focuses the canvas.
func (c *Canvas) MouseDown(e *desktop.MouseEvent) {
	if on := fyne.CurrentApp().Driver().CanvasForObject(c); on != nil {
		on.Focus(c)
	}
	p := c.pointerOf(e.Position, e.Modifier)
	p.Button = buttonOf(e.Button)
	if p.Button == board.Primary {
		p.Double = c.second(p.At)
	}
	c.pointer = p
	c.done(c.board.Down(p))
}

// second reports whether a press is the second of a double click.
func (c *Canvas) second(at geom.Point) bool {
	const slop = 4 // pixels
	now := time.Now()
	last := c.press
	c.press = press{at, now}
	if now.Sub(last.when) > fyne.CurrentApp().Driver().DoubleTapDelay() || at.Sub(last.at).Length() > slop {
		return false
	}
	c.press = press{} // a third press is a first one
	return true
}

// MouseUp ends a gesture.
func (c *Canvas) MouseUp(e *desktop.MouseEvent) {
	if c.board.Busy() && buttonOf(e.Button) != c.pointer.Button {
		return // not the button that began it
	}
	c.release(c.pointerOf(e.Position, e.Modifier))
}

// Dragged follows the pointer while a button is down, also outside of the widget.
func (c *Canvas) Dragged(e *fyne.DragEvent) {
	c.move(c.pointerOf(e.Position, c.modifiers()))
}

// DragEnd ends a gesture whose button was released outside of the widget. Inside, MouseUp has
// done so already or will have nothing to do.
func (c *Canvas) DragEnd() { c.release(c.pointer) }

// MouseIn follows the pointer into the widget.
func (c *Canvas) MouseIn(e *desktop.MouseEvent) { c.MouseMoved(e) }

// MouseMoved follows the pointer, also while the secondary button is held, which
// Fyne does not count as dragging.
func (c *Canvas) MouseMoved(e *desktop.MouseEvent) { c.move(c.pointerOf(e.Position, e.Modifier)) }

// MouseOut ends hovering.
func (c *Canvas) MouseOut() {
	const outside = -1e6
	if !c.board.Busy() {
		c.move(board.Pointer{At: geom.Point{X: outside, Y: outside}})
	}
}

// move handles a movement. Fyne reports each movement twice while something is dragged.
func (c *Canvas) move(p board.Pointer) {
	p.Button, p.Double = c.pointer.Button, false
	if p == c.pointer {
		return
	}
	before := c.board.Hover()
	c.pointer = p
	c.board.Move(p)
	switch {
	case c.board.Busy():
		c.moved(c.changed)
	case c.board.Hover() != before:
		c.Update()
	}
}

func (c *Canvas) release(p board.Pointer) {
	p.Button = c.pointer.Button
	c.pointer = p
	if c.board.Busy() {
		c.done(c.board.Up(p))
	}
}

// Scrolled zooms about the pointer, or with Ctrl or Shift scrolls. The distance of a wheel's
// notch differs between systems, so only its sign counts, except for less than a notch, as
// from a touchpad.
func (c *Canvas) Scrolled(e *fyne.ScrollEvent) {
	const notch = 10
	by := e.Scrolled.DY
	if by == 0 {
		by = e.Scrolled.DX
	}
	if by == 0 {
		return
	}
	c.pointer.At = pointOf(e.Position)
	c.pointer.Mods = c.held(c.modifiers())
	c.board.Wheel(c.pointer, float64(min(max(by/notch, -1), 1)))
	c.moved(c.looked)
}

// Cursor shows where a wire can be started, and what is a link.
func (c *Canvas) Cursor() desktop.Cursor {
	switch c.board.Hover().Kind {
	case scene.HitPort:
		return desktop.CrosshairCursor
	case scene.HitAction:
		return desktop.PointerCursor
	default:
		return desktop.DefaultCursor
	}
}

// watchEdge scrolls while something is dragged near the edge.
func (c *Canvas) watchEdge() {
	if !c.board.Busy() {
		c.edge.Stop()
		return
	}
	c.ticked = time.Now()
	c.edge.Start()
}

func (c *Canvas) tick(now time.Time) {
	const longest = 0.1 // seconds, so that the view does not jump after a pause
	seconds := now.Sub(c.ticked).Seconds()
	c.ticked = now
	if c.board.Tick(min(seconds, longest)) {
		c.moved(c.changed)
	}
}

func (c *Canvas) pointerOf(at fyne.Position, m fyne.KeyModifier) board.Pointer {
	return board.Pointer{At: pointOf(at), Mods: c.held(m)}
}

// modifiers returns the modifier keys that are held, for events without them.
func (c *Canvas) modifiers() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
}

// held converts modifiers, and adds the space bar.
func (c *Canvas) held(m fyne.KeyModifier) board.Mods {
	mods := modsOf(m)
	if c.space {
		mods |= board.Space
	}
	return mods
}

func pointOf(p fyne.Position) geom.Point { return geom.Point{X: float64(p.X), Y: float64(p.Y)} }

func buttonOf(b desktop.MouseButton) board.Button {
	switch b {
	case desktop.MouseButtonSecondary:
		return board.Secondary
	case desktop.MouseButtonTertiary:
		return board.Middle
	default:
		return board.Primary
	}
}

func modsOf(m fyne.KeyModifier) (mods board.Mods) {
	if m&fyne.KeyModifierShift != 0 {
		mods |= board.Shift
	}
	if m&fyne.KeyModifierShortcutDefault != 0 || m&fyne.KeyModifierControl != 0 {
		mods |= board.Ctrl
	}
	if m&fyne.KeyModifierAlt != 0 {
		mods |= board.Alt
	}
	return mods
}
