package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// writing is a text field: an [entry] or a [combo].
type writing interface {
	fyne.CanvasObject
	fyne.Focusable
	fyne.Disableable
	core() *widget.Entry
}

// entry is Fyne's entry with the keys of a form: Tab moves to the next field, Escape leaves,
// and undo is that of the document.
type entry struct {
	plainEntry
	manners

	rows int
}

// plainEntry and plainCombo embed Fyne's widgets one level deeper than manners, so that the
// methods of manners win.
type (
	plainEntry struct{ widget.Entry }
	plainCombo struct{ widget.SelectEntry }
)

// newEntry returns an entry with a number of rows; 1 is a single line.
func newEntry(d *editor, rows int, mono bool) *entry {
	e := &entry{rows: rows}
	e.manners = manners{editor: d, widget: e, below: &e.Entry}
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

// combo is an entry with a list of proposals.
type combo struct {
	plainCombo
	manners

	proposed []proposal
	// ask loads the proposals on demand; nil if they are known.
	ask func(then func([]proposal))
}

// proposal is a value to pick, and its label.
type proposal struct{ label, text string }

func newCombo(d *editor, mono bool) *combo {
	c := &combo{}
	c.manners = manners{editor: d, widget: c, below: &c.SelectEntry}
	c.TextStyle.Monospace = mono
	c.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	c.ActionItem = kit.NewButtonWithIcon("", fynetheme.MenuDropDownIcon(), func() { kit.IfShown(c, c.offer) })
	c.ActionItem.(*kit.Button).Importance = widget.LowImportance
	c.ExtendBaseWidget(c)
	return c
}

// offer shows the list.
func (c *combo) offer() {
	if c.ask == nil {
		c.list(c.proposed)
		return
	}
	c.ask(c.list)
}

func (c *combo) list(proposed []proposal) {
	items := make([]*fyne.MenuItem, len(proposed))
	for i, p := range proposed {
		items[i] = fyne.NewMenuItem(p.label, func() { c.SetText(p.text) })
	}
	if len(items) == 0 || canvasOf(c) == nil {
		return
	}
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), canvasOf(c))
	menu.ShowAtPosition(fyne.CurrentApp().Driver().AbsolutePositionForObject(c).AddXY(0, c.Size().Height))
	menu.Resize(fyne.NewSize(c.Size().Width, menu.MinSize().Height))
}

// propose sets the proposals.
func (c *combo) propose(options []string) {
	c.proposed = c.proposed[:0]
	for _, text := range options {
		c.proposed = append(c.proposed, proposal{text, text})
	}
}

func (c *combo) core() *widget.Entry { return &c.Entry }

// manners is the behaviour of entry and combo in a form.
type manners struct {
	editor *editor
	widget fyne.CanvasObject
	below  input  // Fyne's part of the widget
	left   func() // called when the focus is lost; may be nil
	// keys is offered each key first; tab reports whether it handles Tab. Both may be nil.
	keys func(*fyne.KeyEvent) bool
	tab  func() bool
	// asked is called when Ctrl+Space requests proposals; it may be nil.
	asked func()
}

// input has the methods by which Fyne sends events to an entry.
type input interface {
	fyne.Focusable
	fyne.Shortcutable
	fyne.SecondaryTappable
}

// AcceptsTab implements fyne.Tabbable: Tab moves to the next field, unless there is a
// proposal to accept.
func (m *manners) AcceptsTab() bool { return m.tab != nil && m.tab() }

// TappedSecondary shows Fyne's menu.
func (m *manners) TappedSecondary(at *fyne.PointEvent) {
	kit.IfShown(m.widget, func() { m.below.TappedSecondary(at) })
}

// FocusGained scrolls to the entry.
func (m *manners) FocusGained() {
	m.below.FocusGained()
	m.editor.reveal(m.widget)
}

// FocusLost ends the undo step.
func (m *manners) FocusLost() {
	m.below.FocusLost()
	if m.left != nil {
		m.left()
	}
	m.editor.seal()
}

// TypedKey leaves the field at Escape, and passes function keys to the window.
func (m *manners) TypedKey(key *fyne.KeyEvent) {
	if m.keys != nil && m.keys(key) {
		return
	}
	if key.Name == fyne.KeyEscape {
		m.editor.cfg.Leave()
		return
	}
	if !kit.HandOn(m.widget, key) {
		m.below.TypedKey(key)
	}
}

// TypedShortcut passes shortcuts that do not edit text to the window.
func (m *manners) TypedShortcut(s fyne.Shortcut) {
	if custom, ok := s.(*desktop.CustomShortcut); ok && m.asked != nil && custom.KeyName == fyne.KeySpace && custom.Modifier == fyne.KeyModifierControl {
		m.asked()
		return
	}
	if aboutText(s) {
		m.below.TypedShortcut(s)
		return
	}
	m.editor.cfg.Shortcut(s)
}

func aboutText(s fyne.Shortcut) bool {
	switch s := s.(type) {
	case *fyne.ShortcutCut, *fyne.ShortcutCopy, *fyne.ShortcutPaste, *fyne.ShortcutSelectAll:
		return true
	case *desktop.CustomShortcut:
		switch s.KeyName {
		case fyne.KeyLeft, fyne.KeyRight, fyne.KeyBackspace, fyne.KeyDelete:
			return true
		}
	}
	return false
}
