package inspector

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// writing is a text that the user edits: an [entry] or a [combo].
type writing interface {
	fyne.CanvasObject
	fyne.Focusable
	fyne.Disableable
	core() *widget.Entry
}

// entry is Fyne's, made for a form: Tab goes on to the next field, Escape leaves,
// and undo is that of the document.
type entry struct {
	widget.Entry

	manners

	rows int
}

// newEntry returns an entry of so many rows; 1 is a single line.
func newEntry(d *desk, rows int, mono bool) *entry {
	e := &entry{rows: rows}
	e.manners = manners{desk: d, widget: e}
	e.TextStyle.Monospace = mono
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	if rows > 1 {
		e.MultiLine = true
		e.Wrapping = fyne.TextWrapWord
		e.SetMinRowsVisible(rows)
	}
	e.ExtendBaseWidget(e)
	return e
}

func (e *entry) core() *widget.Entry { return &e.Entry }

// AcceptsTab says that Tab goes on to the next field.
func (e *entry) AcceptsTab() bool { return false }

// FocusGained scrolls to the entry.
func (e *entry) FocusGained() {
	e.Entry.FocusGained()
	e.arrived()
}

// FocusLost ends what typing has begun.
func (e *entry) FocusLost() {
	e.Entry.FocusLost()
	e.gone()
}

// TypedKey leaves at Escape.
func (e *entry) TypedKey(key *fyne.KeyEvent) {
	if !e.escapes(key) {
		e.Entry.TypedKey(key)
	}
}

// TypedShortcut hands on what is not about text.
func (e *entry) TypedShortcut(s fyne.Shortcut) {
	if !e.hands(s) {
		e.Entry.TypedShortcut(s)
	}
}

// combo is an entry with a list of proposals.
type combo struct {
	widget.SelectEntry

	manners

	proposed []string
}

func newCombo(d *desk, mono bool) *combo {
	c := &combo{}
	c.manners = manners{desk: d, widget: c}
	c.TextStyle.Monospace = mono
	c.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	c.ExtendBaseWidget(c)
	c.SetOptions(nil)
	return c
}

// propose lists what can be picked instead of typed.
func (c *combo) propose(options []string) {
	if !slices.Equal(options, c.proposed) {
		c.proposed = options
		c.SetOptions(options)
	}
}

func (c *combo) core() *widget.Entry { return &c.Entry }

// FocusGained scrolls to the entry.
func (c *combo) FocusGained() {
	c.SelectEntry.FocusGained()
	c.arrived()
}

// FocusLost ends what typing has begun.
func (c *combo) FocusLost() {
	c.SelectEntry.FocusLost()
	c.gone()
}

// TypedKey leaves at Escape.
func (c *combo) TypedKey(key *fyne.KeyEvent) {
	if !c.escapes(key) {
		c.SelectEntry.TypedKey(key)
	}
}

// TypedShortcut hands on what is not about text.
func (c *combo) TypedShortcut(s fyne.Shortcut) {
	if !c.hands(s) {
		c.SelectEntry.TypedShortcut(s)
	}
}

// manners is what entry and combo have in common.
type manners struct {
	desk   *desk
	widget fyne.CanvasObject
	left   func() // called when the focus is lost; may be nil
}

func (m *manners) arrived() { m.desk.reveal(m.widget) }

func (m *manners) gone() {
	if m.left != nil {
		m.left()
	}
	m.desk.seal()
}

func (m *manners) escapes(key *fyne.KeyEvent) bool {
	if key.Name != fyne.KeyEscape {
		return false
	}
	m.desk.cfg.Leave()
	return true
}

// hands gives a shortcut that is not about text to the window.
func (m *manners) hands(s fyne.Shortcut) bool {
	switch s := s.(type) {
	case *fyne.ShortcutCut, *fyne.ShortcutCopy, *fyne.ShortcutPaste, *fyne.ShortcutSelectAll:
		return false
	case *desktop.CustomShortcut:
		switch s.KeyName {
		case fyne.KeyLeft, fyne.KeyRight, fyne.KeyBackspace, fyne.KeyDelete:
			return false
		}
	}
	m.desk.cfg.Shortcut(s)
	return true
}
