package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// The widgets of this file are Fyne's, except that they pass unused keys on: Fyne's own
// widgets swallow Escape and the function keys.

// Button is Fyne's button. Enter presses it, as Space does.
type Button struct{ widget.Button }

// NewButton returns a button with a text.
func NewButton(text string, tapped func()) *Button { return NewButtonWithIcon(text, nil, tapped) }

// NewButtonWithIcon returns a button with an icon and a text.
func NewButtonWithIcon(text string, icon fyne.Resource, tapped func()) *Button {
	b := &Button{}
	b.Text, b.Icon, b.OnTapped = text, icon, tapped
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey implements fyne.Focusable.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeyReturn, e.Name == fyne.KeyEnter:
		b.Tapped(nil)
	case !HandOn(b, e):
		b.Button.TypedKey(e)
	}
}

// Check is Fyne's check box.
type Check struct{ widget.Check }

// NewCheck returns a check box with a text.
func NewCheck(text string, changed func(bool)) *Check {
	c := &Check{}
	c.Text, c.OnChanged = text, changed
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *Check) CreateRenderer() fyne.WidgetRenderer {
	r := &checkRenderer{c.Check.CreateRenderer()}
	r.edge()
	return r
}

// checkRenderer draws the edge of the box in the colour of dim text: an unchecked box is hard
// to see otherwise.
type checkRenderer struct{ fyne.WidgetRenderer }

// Refresh implements fyne.WidgetRenderer.
func (r *checkRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.edge()
}

func (r *checkRenderer) edge() {
	for _, o := range r.Objects() {
		image, ok := o.(*canvas.Image)
		if !ok {
			continue
		}
		if box, ok := image.Resource.(*fynetheme.ThemedResource); ok && box.ColorName == fynetheme.ColorNameInputBorder {
			box.ColorName = fynetheme.ColorNamePlaceHolder
			image.Refresh()
		}
	}
}

// TypedKey implements fyne.Focusable.
func (c *Check) TypedKey(e *fyne.KeyEvent) {
	if !HandOn(c, e) {
		c.Check.TypedKey(e)
	}
}

// Entry is Fyne's entry. Tab moves to the next field even with several lines.
type Entry struct{ widget.Entry }

// NewEntry returns a single-line text field.
func NewEntry() *Entry {
	e := &Entry{}
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// NewLongEntry returns a multi-line text field.
func NewLongEntry() *Entry {
	e := &Entry{}
	e.MultiLine, e.Wrapping = true, fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// NewSecretEntry returns a line whose text is hidden.
func NewSecretEntry() *Entry {
	e := NewEntry()
	e.Password = true
	return e
}

// AcceptsTab implements fyne.Tabbable.
func (e *Entry) AcceptsTab() bool { return false }

// TappedSecondary shows Fyne's menu.
func (e *Entry) TappedSecondary(at *fyne.PointEvent) {
	IfShown(e, func() { e.Entry.TappedSecondary(at) })
}

// TypedKey implements fyne.Focusable.
func (e *Entry) TypedKey(key *fyne.KeyEvent) {
	if !HandOn(e, key) {
		e.Entry.TypedKey(key)
	}
}

// LongList is Fyne's list, which makes only visible rows. All rows have the same height; see
// [List] for others.
type LongList struct{ widget.List }

// NewLongList returns a list.
func NewLongList(length func() int, create func() fyne.CanvasObject, update func(i int, row fyne.CanvasObject)) *LongList {
	l := &LongList{}
	l.Length, l.CreateItem, l.UpdateItem = length, create, update
	l.ExtendBaseWidget(l)
	return l
}

// TypedKey implements fyne.Focusable.
func (l *LongList) TypedKey(e *fyne.KeyEvent) {
	if !HandOn(l, e) {
		l.List.TypedKey(e)
	}
}
