package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Button is a button of a dialog: Enter presses it as Space does, and Escape ends
// the dialog.
type Button struct {
	widget.Button

	cancel func()
}

func newButton(text string, tapped, cancel func()) *Button {
	b := &Button{cancel: cancel}
	b.Text, b.OnTapped = text, tapped
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey is for Fyne.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		b.OnTapped()
	case fyne.KeyEscape:
		b.cancel()
	default:
		b.Button.TypedKey(e)
	}
}

// Entry is a line of text in a dialog: Enter is told to OnSubmitted, and Escape
// to cancel, once the dialog has set it.
type Entry struct {
	widget.Entry

	cancel func()
}

func newEntry() *Entry {
	e := &Entry{}
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey is for Fyne.
func (e *Entry) TypedKey(key *fyne.KeyEvent) {
	if key.Name == fyne.KeyEscape && e.cancel != nil {
		e.cancel()
		return
	}
	e.Entry.TypedKey(key)
}

// answers makes Enter in a line submit a form, and Escape end it.
func (e *Entry) answers(form interface {
	Submit()
	Hide()
},
) {
	e.OnSubmitted = func(string) { form.Submit() }
	e.cancel = form.Hide
}
