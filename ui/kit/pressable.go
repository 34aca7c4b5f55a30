package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// Pressable is what all has in common that can be pressed, however it looks: it knows
// whether the pointer is over it, Tab reaches it, Space and Enter press it, and it can
// have a tip. A widget embeds it in place of Fyne's BaseWidget, and calls Extend.
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

// SetTip says what the tip says; "" is none.
func (p *Pressable) SetTip(text string) {
	p.tip.Leave()
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

// Disable lets nobody press it.
func (p *Pressable) Disable() { p.set(&p.disabled, true) }

// Disabled reports whether it cannot be pressed.
func (p *Pressable) Disabled() bool { return p.disabled }

// Tapped presses it.
func (p *Pressable) Tapped(*fyne.PointEvent) {
	p.tip.Leave()
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
