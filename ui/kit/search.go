package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Search is a field that filters the [List] below it. While the user types, the arrow keys,
// Page Up, Page Down and Enter control the list. The zero value is not usable; see
// [NewSearch].
type Search struct {
	widget.Entry

	// Escaped is called for the Escape key. If it is nil, Escape clears the field; if that is
	// empty, the window gets the key.
	Escaped func()

	list    *List
	holdTab bool // Tab moves to the next row instead of leaving the field
}

// NewSearch returns a field above a list. changed is called with each new query.
func NewSearch(placeholder string, list *List, changed func(query string)) *Search {
	s := &Search{list: list}
	s.ExtendBaseWidget(s)
	s.SetPlaceHolder(placeholder)
	s.OnChanged = changed
	return s
}

// AcceptsTab implements fyne.Tabbable.
func (s *Search) AcceptsTab() bool { return s.holdTab }

// TypedKey implements fyne.Focusable.
func (s *Search) TypedKey(e *fyne.KeyEvent) {
	switch {
	case s.list.lead(e.Name):
	case e.Name == fyne.KeyTab && s.holdTab:
		s.list.lead(fyne.KeyDown)
	case e.Name == fyne.KeyEscape && s.Escaped != nil:
		s.Escaped()
	case e.Name == fyne.KeyEscape && s.Text != "":
		s.SetText("")
	case !HandOn(s, e):
		s.Entry.TypedKey(e)
	}
}

// TappedSecondary shows Fyne's menu.
func (s *Search) TappedSecondary(at *fyne.PointEvent) {
	IfShown(s, func() { s.Entry.TappedSecondary(at) })
}

// FocusGained implements fyne.Focusable.
func (s *Search) FocusGained() {
	s.Entry.FocusGained()
	s.list.setActive(true)
}

// FocusLost implements fyne.Focusable.
func (s *Search) FocusLost() {
	s.Entry.FocusLost()
	s.list.setActive(false)
}
