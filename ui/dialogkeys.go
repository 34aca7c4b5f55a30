package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

// dialogButton is a button of a dialog: Enter presses it as Space does, and Escape ends
// the dialog.
type dialogButton struct {
	widget.Button

	cancel func()
}

func newDialogButton(text string, tapped, cancel func()) *dialogButton {
	b := &dialogButton{cancel: cancel}
	b.Text, b.OnTapped = text, tapped
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey is for Fyne.
func (b *dialogButton) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		b.OnTapped()
	case fyne.KeyEscape:
		b.cancel()
	default:
		b.Button.TypedKey(e)
	}
}

// dialogEntry is a line of text in a dialog: Enter is told to OnSubmitted, and Escape
// to cancel, once the dialog has set it.
type dialogEntry struct {
	widget.Entry

	cancel func()
}

func newDialogEntry() *dialogEntry {
	e := &dialogEntry{}
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey is for Fyne.
func (e *dialogEntry) TypedKey(key *fyne.KeyEvent) {
	if key.Name == fyne.KeyEscape && e.cancel != nil {
		e.cancel()
		return
	}
	e.Entry.TypedKey(key)
}

// answers makes Enter in a line submit a form, and Escape end it.
func (e *dialogEntry) answers(form interface {
	Submit()
	Hide()
},
) {
	e.OnSubmitted = func(string) { form.Submit() }
	e.cancel = form.Hide
}

// showDialog shows a dialog that Escape closes as long as nothing in it has the focus.
// closed, which may be nil, is told when it is gone.
func (w *Window) showDialog(d dialog.Dialog, closed func()) {
	w.escape = d.Hide
	d.SetOnClosed(func() {
		w.escape = nil
		w.focusCanvas()
		if closed != nil {
			closed()
		}
	})
	d.Show()
}

// obeyEscape has the window hand Escape to the dialog that is open, and all other keys to
// whom they were for.
func (w *Window) obeyEscape() {
	others := w.win.Canvas().OnTypedKey()
	w.win.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) {
		switch {
		case e.Name == fyne.KeyEscape && w.escape != nil:
			w.escape()
		case others != nil:
			others(e)
		}
	})
}
