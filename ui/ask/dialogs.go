// Package ask asks the user of the window by dialogs, and puts words to what the rooms
// of the window want to know. Every dialog goes by keys alone: Enter takes what is
// proposed, Escape ends it, and the keyboard goes back to the canvas.
package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// Config is what dialogs need. All of it is required.
type Config struct {
	Window fyne.Window
	Back   func()            // gives the keyboard back
	Place  func() string     // what the place where the user works is called
	Copy   func(text string) // puts a text on the clipboard
}

// Dialogs are the dialogs of one window. Make them with [New]. They belong to Fyne's own
// goroutine.
type Dialogs struct {
	config Config
	escape func() // what Escape does to the dialog that is open; nil if none is
}

// New returns the dialogs of a window, which hands Escape to the dialog that is open,
// and all other keys to whom they were for.
func New(c Config) *Dialogs {
	d := &Dialogs{config: c}
	others := c.Window.Canvas().OnTypedKey()
	c.Window.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) {
		switch {
		case e.Name == fyne.KeyEscape && d.escape != nil:
			d.escape()
		case others != nil:
			others(e)
		}
	})
	return d
}

// Show shows content until it is closed, by Escape too as long as nothing in it has the
// focus. closed, which may be nil, is told then. It returns what closes it.
func (d *Dialogs) Show(title string, content fyne.CanvasObject, size fyne.Size, closed func()) (hide func()) {
	shown := dialog.NewCustom(title, lang.L("Close"), content, d.config.Window)
	shown.Resize(size)
	d.escape = shown.Hide
	shown.SetOnClosed(func() {
		d.escape = nil
		d.config.Back()
		if closed != nil {
			closed()
		}
	})
	shown.Show()
	return shown.Hide
}

// Choice is a button of a question.
type Choice struct {
	Text string
	Do   func()
	Main bool // the one that Enter would be
}

// Choose asks the user something. Besides the choices there is always Cancel.
func (d *Dialogs) Choose(title, text string, choices ...Choice) {
	label := widget.NewLabel(text)
	label.Wrapping = fyne.TextWrapWord
	var shown *dialog.CustomDialog
	buttons := kit.Row(8, layout.NewSpacer())
	hide := func() {
		shown.Hide()
		d.config.Back()
	}
	add := func(c Choice) *Button {
		b := newButton(c.Text, func() {
			hide()
			if c.Do != nil {
				c.Do()
			}
		}, hide)
		if c.Main {
			b.Importance = widget.HighImportance
		}
		buttons.Add(b)
		return b
	}
	focus := add(Choice{Text: lang.L("Cancel")})
	for _, c := range choices {
		if b := add(c); c.Main {
			focus = b
		}
	}
	shown = dialog.NewCustomWithoutButtons(title, container.NewBorder(nil, buttons, nil, nil, label), d.config.Window)
	const width, height = 440, 180
	shown.Resize(fyne.NewSize(width, height))
	shown.Show()
	d.config.Window.Canvas().Focus(focus)
}

// form shows fields until they are submitted or given up. The first entry has the focus.
func (d *Dialogs) form(title, submit string, items []*widget.FormItem, width float32, entries []*Entry, then func()) {
	form := dialog.NewForm(title, submit, lang.L("Cancel"), items, func(ok bool) {
		d.config.Back()
		if ok {
			then()
		}
	}, d.config.Window)
	form.Resize(fyne.NewSize(width, form.MinSize().Height))
	for _, e := range entries {
		e.answers(form)
	}
	form.Show()
	d.config.Window.Canvas().Focus(entries[0])
}

// Browse lets the user find a file whose name has an ending, such as ".json", beginning
// in a folder.
func (d *Dialogs) Browse(folder, ending string, then func(path string)) {
	browser{on: d, ending: ending, then: then}.in(folder)
}

// About says what the program is.
func (d *Dialogs) About(version string) {
	label := widget.NewLabel(lang.L("Svc {{.Version}}\n\nWorkflows of typed nodes: draw them, run them here, and run the very same document on a server.", map[string]any{"Version": version}))
	label.Wrapping = fyne.TextWrapWord
	const width, height = 420, 200
	d.Show(lang.L("About Svc"), label, fyne.NewSize(width, height), nil)
}
