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

// Extend makes p the base of self. pressed, which may be nil, is called when self is pressed.
func (p *Pressable) Extend(self fyne.Widget, pressed func()) {
	p.pressed = pressed
	p.extend(self)
}

// OnPressed changes the callback.
func (p *Pressable) OnPressed(pressed func()) { p.pressed = pressed }

// SetTip sets the text of the tip; "" is none.
func (p *Pressable) SetTip(text string) {
	p.tip.Hide()
	p.text = text
}

// Tip returns the text of the tip.
func (p *Pressable) Tip() string { return p.text }

// Lit reports whether the pointer is over an enabled widget.
func (p *Pressable) Lit() bool { return p.lit && !p.disabled }

// Focused reports whether the widget has the focus.
func (p *Pressable) Focused() bool { return p.focused }

// Enable enables the widget.
func (p *Pressable) Enable() { p.set(&p.disabled, false) }

// Disable ignores presses from now on.
func (p *Pressable) Disable() { p.set(&p.disabled, true) }

// Disabled reports whether the widget is disabled.
func (p *Pressable) Disabled() bool { return p.disabled }

// Tapped presses it.
func (p *Pressable) Tapped(*fyne.PointEvent) {
	p.tip.Hide()
	if !p.disabled && p.pressed != nil {
		p.pressed()
	}
}

// TypedKey implements fyne.Focusable.
func (p *Pressable) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		p.Tapped(nil)
	} else {
		HandOn(p.self, e)
	}
}

// TypedRune implements fyne.Focusable.
func (p *Pressable) TypedRune(rune) {}

// FocusGained implements fyne.Focusable.
func (p *Pressable) FocusGained() { p.set(&p.focused, true) }

// FocusLost implements fyne.Focusable.
func (p *Pressable) FocusLost() { p.set(&p.focused, false) }

// MouseIn implements desktop.Hoverable.
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

// come highlights the widget, and shows a tip after a while; "" is none.
func (h *hovered) come(tip string) {
	h.set(&h.lit, true)
	h.tip.Rest(h.self, tip)
}

// MouseMoved implements desktop.Hoverable.
func (h *hovered) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (h *hovered) MouseOut() {
	h.set(&h.lit, false)
	h.tip.Hide()
}

// set changes a state and refreshes the widget.
func (h *hovered) set(state *bool, on bool) {
	if *state != on {
		*state = on
		h.Refresh()
	}
}

// Touch is content that can be clicked without looking different. Tab skips it: it is for
// actions that keys have elsewhere; all others embed [Pressable]. The zero value is not
// usable; see [NewTouch].
type Touch struct {
	widget.BaseWidget

	// Idle reports that a click would do nothing now; nil means never.
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

// Tapped implements fyne.Tappable.
func (t *Touch) Tapped(*fyne.PointEvent) {
	if !t.idle() {
		t.tapped()
	}
}

// Cursor implements desktop.Cursorable.
func (t *Touch) Cursor() desktop.Cursor {
	if t.idle() {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

func (t *Touch) idle() bool { return t.Idle != nil && t.Idle() }

// CreateRenderer implements fyne.Widget.
func (t *Touch) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.content) }
