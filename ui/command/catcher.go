package command

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// catcher is an invisible widget that takes the pressed keys while it has the focus.
type catcher struct {
	widget.BaseWidget

	caught func(Shortcut) // called with the zero Shortcut for Backspace
	cancel func()         // Escape
	lost   func()         // the focus
}

var (
	_ fyne.Focusable    = (*catcher)(nil)
	_ fyne.Shortcutable = (*catcher)(nil)
)

func newCatcher() *catcher {
	c := &catcher{}
	c.ExtendBaseWidget(c)
	return c
}

func (c *catcher) FocusGained()   {}
func (c *catcher) FocusLost()     { c.lost() }
func (c *catcher) TypedRune(rune) {}

// TypedKey handles keys without a modifier, or with Shift. It never gets Tab, which moves to
// the next widget, as everywhere.
func (c *catcher) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyEscape:
		c.cancel()
	case fyne.KeyBackspace:
		c.caught(Shortcut{})
	case desktop.KeyShiftLeft, desktop.KeyShiftRight, desktop.KeyControlLeft, desktop.KeyControlRight,
		desktop.KeyAltLeft, desktop.KeyAltRight, desktop.KeySuperLeft, desktop.KeySuperRight,
		desktop.KeyMenu, desktop.KeyPrintScreen, desktop.KeyCapsLock, fyne.KeyUnknown:
		// A modifier alone, or a key that cannot be a shortcut.
	default:
		c.caught(Shortcut{Key: e.Name, Mods: modsOf(held())})
	}
}

// TypedShortcut takes keys with a modifier.
func (c *catcher) TypedShortcut(told fyne.Shortcut) {
	if k, ok := Of(told); ok {
		c.caught(k)
	}
}

// CreateRenderer implements fyne.Widget.
func (c *catcher) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(canvas.NewRectangle(color.Transparent))
}
