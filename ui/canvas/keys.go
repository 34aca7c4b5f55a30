package canvas

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"github.com/svcflow/svc/ui/editor/board"
)

// AcceptsTab implements fyne.Tabbable: Tab moves through the nodes.
func (c *Canvas) AcceptsTab() bool { return true }

// FocusGained implements fyne.Focusable.
func (c *Canvas) FocusGained() {
	if c.OnFocus != nil {
		c.OnFocus()
	}
}

// FocusLost forgets that the space bar is down: another widget will get its release.
func (c *Canvas) FocusLost() { c.space = false }

// TypedRune implements fyne.Focusable; the canvas ignores letters.
func (c *Canvas) TypedRune(rune) {}

// KeyDown records that the space bar is down.
func (c *Canvas) KeyDown(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace {
		c.space = true
	}
}

// KeyUp records that the space bar is up.
func (c *Canvas) KeyUp(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace {
		c.space = false
	}
}

// TypedKey passes a key to the board, and to OnKey if the board does not handle it.
func (c *Canvas) TypedKey(e *fyne.KeyEvent) {
	if !c.key(e.Name, c.modifiers()) && c.OnKey != nil {
		c.OnKey(e.Name, c.modifiers())
	}
}

// TypedShortcut passes keys with Ctrl to the board, and all other shortcuts to OnShortcut.
func (c *Canvas) TypedShortcut(s fyne.Shortcut) {
	if custom, ok := s.(*desktop.CustomShortcut); ok && c.key(custom.KeyName, custom.Modifier) {
		return
	}
	if c.OnShortcut != nil {
		c.OnShortcut(s)
	}
}

func (c *Canvas) key(name fyne.KeyName, m fyne.KeyModifier) (handled bool) {
	k, ok := keyOf(name)
	if !ok {
		return false
	}
	r, handled := c.board.Key(k, modsOf(m))
	if handled {
		c.done(r)
	}
	return handled
}

func keyOf(name fyne.KeyName) (k board.Key, ok bool) {
	switch name {
	case fyne.KeyLeft:
		return board.KeyLeft, true
	case fyne.KeyRight:
		return board.KeyRight, true
	case fyne.KeyUp:
		return board.KeyUp, true
	case fyne.KeyDown:
		return board.KeyDown, true
	case fyne.KeyTab:
		return board.KeyTab, true
	case fyne.KeyReturn, fyne.KeyEnter:
		return board.KeyEnter, true
	case fyne.KeyEscape:
		return board.KeyEscape, true
	case fyne.KeyDelete, fyne.KeyBackspace:
		return board.KeyDelete, true
	}
	return 0, false
}
