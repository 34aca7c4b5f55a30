package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Pressable is the base of widgets that can be pressed: it handles hover, Tab, Space, Enter
// and the tip. A widget embeds it instead of Fyne's BaseWidget, and calls Extend.
type Pressable struct {
	hovered

	pressed           func()
	text              string // of the tip
	focused, disabled bool
}

var (
	_ fyne.Tappable     = (*Pressable)(nil)
	_ fyne.Focusable    = (*Pressable)(nil)
	_ fyne.Disableable  = (*Pressable)(nil)
	_ desktop.Hoverable = (*Pressable)(nil)
)

// Extend makes p the base of self. pressed, which may be nil, is called when self is
// pressed.
func (p *Pressable) Extend(self fyne.Widget, pressed func()) {
	p.pressed = pressed
	p.extend(self)
}

// OnPressed changes what is called.
func (p *Pressable) OnPressed(pressed func()) { p.pressed = pressed }

// SetTip sets the text of the tip; "" is none.
func (p *Pressable) SetTip(text string) {
	p.tip.Hide()
	p.text = text
}

// Tip returns what the tip says.
func (p *Pressable) Tip() string { return p.text }

// Lit reports whether the pointer is over it, and it can be pressed.
func (p *Pressable) Lit() bool { return p.lit && !p.disabled }

// Focused reports whether it has the keyboard.
func (p *Pressable) Focused() bool { return p.focused }

// Enable lets it be pressed.
func (p *Pressable) Enable() { p.set(&p.disabled, false) }

// Disable ignores presses from now on.
func (p *Pressable) Disable() { p.set(&p.disabled, true) }

// Disabled reports whether it cannot be pressed.
func (p *Pressable) Disabled() bool { return p.disabled }

// Tapped presses it.
func (p *Pressable) Tapped(*fyne.PointEvent) {
	p.tip.Hide()
	if !p.disabled && p.pressed != nil {
		p.pressed()
	}
}

// TypedKey is for Fyne.
func (p *Pressable) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		p.Tapped(nil)
	} else {
		HandOn(p.self, e)
	}
}

// TypedRune is for Fyne.
func (p *Pressable) TypedRune(rune) {}

// FocusGained is for Fyne.
func (p *Pressable) FocusGained() { p.set(&p.focused, true) }

// FocusLost is for Fyne.
func (p *Pressable) FocusLost() { p.set(&p.focused, false) }

// MouseIn is for Fyne.
func (p *Pressable) MouseIn(*desktop.MouseEvent) { p.come(p.text) }

// hovered is the base of widgets that light up under the pointer, whether they can be pressed
// or not. A widget embeds it instead of Fyne's BaseWidget, calls extend, and calls come in
// its MouseIn.
type hovered struct {
	widget.BaseWidget

	self fyne.Widget
	lit  bool // the pointer is over it
	tip  Tip
}

func (h *hovered) extend(self fyne.Widget) {
	h.self = self
	h.ExtendBaseWidget(self)
}

// come lights it up, and shows a tip of that text after a while; "" is none.
func (h *hovered) come(tip string) {
	h.set(&h.lit, true)
	h.tip.Rest(h.self, tip)
}

// MouseMoved is for Fyne.
func (h *hovered) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is for Fyne.
func (h *hovered) MouseOut() {
	h.set(&h.lit, false)
	h.tip.Hide()
}

// set changes what the widget shows of its state.
func (h *hovered) set(state *bool, on bool) {
	if *state != on {
		*state = on
		h.Refresh()
	}
}

// Touch is content that can be clicked and looks as it does without. Tab passes it by:
// it is for what can also be done otherwise by keys; all else embeds [Pressable]. Its
// zero value is of no use; see [NewTouch].
type Touch struct {
	widget.BaseWidget

	// Idle reports that a click does nothing just now; nil is never.
	Idle func() bool

	content fyne.CanvasObject
	tapped  func()
}

var (
	_ fyne.Tappable      = (*Touch)(nil)
	_ desktop.Cursorable = (*Touch)(nil)
)

// NewTouch returns content that calls tapped. Parts of it that take clicks still get them.
func NewTouch(content fyne.CanvasObject, tapped func()) *Touch {
	t := &Touch{content: content, tapped: tapped}
	t.ExtendBaseWidget(t)
	return t
}

// Tapped is for Fyne.
func (t *Touch) Tapped(*fyne.PointEvent) {
	if !t.idle() {
		t.tapped()
	}
}

// Cursor is for Fyne.
func (t *Touch) Cursor() desktop.Cursor {
	if t.idle() {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

func (t *Touch) idle() bool { return t.Idle != nil && t.Idle() }

// CreateRenderer is for Fyne.
func (t *Touch) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.content) }
