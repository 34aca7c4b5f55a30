package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Select is a field for one of a few values. It is Fyne's select, except that keys do not
// change the value by moving: Up, Down, Space and Enter open the list; there keys move a
// highlight, Enter accepts it, and Escape, Tab and shortcuts close the list without a choice.
type Select struct {
	widget.Select

	list *dropDown // nil while it is closed
}

// NewSelect returns a field with options; changed is called with the chosen one.
func NewSelect(options []string, changed func(string)) *Select {
	s := &Select{}
	s.Options, s.OnChanged = options, changed
	s.ExtendBaseWidget(s)
	return s
}

// Tapped opens the list.
func (s *Select) Tapped(*fyne.PointEvent) {
	if s.Disabled() {
		return
	}
	if on := fyne.CurrentApp().Driver().CanvasForObject(s); on != nil {
		on.Focus(s)
	}
	s.open()
}

// TypedKey implements fyne.Focusable.
func (s *Select) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter, fyne.KeyUp, fyne.KeyDown:
		s.open()
	default:
		HandOn(s, e)
	}
}

// Hide hides the field, and its list.
func (s *Select) Hide() {
	s.close()
	s.Select.Hide()
}

func (s *Select) open() {
	on := fyne.CurrentApp().Driver().CanvasForObject(s)
	if on == nil || s.list != nil || s.Disabled() || len(s.Options) == 0 {
		return
	}
	s.list = newDropDown(on, s)
	on.Overlays().Add(s.list)
	s.list.Resize(on.Size())
	on.Focus(s.list)
}

func (s *Select) close() {
	if s.list != nil {
		list := s.list
		s.list = nil
		list.on.Overlays().Remove(list)
	}
}

// choose selects an option.
func (s *Select) choose(i int) {
	s.close()
	if i >= 0 && i < len(s.Options) {
		s.SetSelectedIndex(i)
	}
}
