// Package ask has the dialogs of the window and the texts of questions and notices. All
// dialogs work by keyboard: Enter accepts the default, Escape cancels, and then the canvas
// has the keyboard again.
package ask

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// Config is what dialogs need. All fields are required.
type Config struct {
	Window fyne.Window
	Back   func()            // focuses the canvas
	Place  func() string     // the name of the current host
	Copy   func(text string) // copies a text to the clipboard
}

// Dialogs are the dialogs of one window. Make them with [New]. They belong to Fyne's own
// goroutine.
type Dialogs struct {
	config Config
	open   []*dialog.CustomDialog // the topmost one is last
}

// New returns the dialogs of a window. Escape closes the topmost dialog or popup; with none
// open it focuses the canvas. All other keys go to their usual receivers.
func New(c Config) *Dialogs {
	d := &Dialogs{config: c}
	others := c.Window.Canvas().OnTypedKey()
	c.Window.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) {
		switch {
		case e.Name == fyne.KeyEscape:
			d.escape()
		case others != nil:
			others(e)
		}
	})
	return d
}

func (d *Dialogs) escape() {
	over := d.config.Window.Canvas().Overlays()
	switch top := over.Top(); {
	case len(d.open) > 0:
		d.open[len(d.open)-1].Hide()
	case top != nil:
		over.Remove(top)
		d.config.Back()
	default:
		d.config.Back()
	}
}

// Show shows content until it is closed, also by Escape. Then closed is called, unless it is
// nil. hide closes it.
func (d *Dialogs) Show(title string, content fyne.CanvasObject, size fyne.Size, closed func()) (hide func()) {
	var shown *dialog.CustomDialog
	shut := kit.NewButton(lang.L("Close"), func() { shown.Hide() })
	shown = d.over(title, content, []*kit.Button{shut}, size, closed)
	return shown.Hide
}

// over shows content with buttons below it over the window.
func (d *Dialogs) over(title string, content fyne.CanvasObject, buttons []*kit.Button, size fyne.Size, closed func()) *dialog.CustomDialog {
	row := kit.Row(8, layout.NewSpacer())
	for _, b := range buttons {
		row.Add(b)
	}
	shown := dialog.NewCustomWithoutButtons(title, container.NewBorder(nil, kit.Pad(8, 0, row), nil, nil, content), d.config.Window)
	d.open = append(d.open, shown)
	shown.SetOnClosed(func() {
		d.open = slices.DeleteFunc(d.open, func(other *dialog.CustomDialog) bool { return other == shown })
		d.config.Back()
		if closed != nil {
			closed()
		}
	})
	shown.Resize(size)
	shown.Show()
	return shown
}

// Choice is a button of a question.
type Choice struct {
	Text string
	Do   func()
	Main bool // the default button
}

// Choose asks a question. There is always a Cancel button, too.
func (d *Dialogs) Choose(title, text string, choices ...Choice) {
	label := widget.NewLabel(text)
	label.Wrapping = fyne.TextWrapWord
	var shown *dialog.CustomDialog
	var buttons []*kit.Button
	focus := 0
	for i, c := range append([]Choice{{Text: lang.L("Cancel")}}, choices...) {
		b := kit.NewButton(c.Text, func() {
			shown.Hide()
			if c.Do != nil {
				c.Do()
			}
		})
		if c.Main {
			b.Importance = widget.HighImportance
			focus = i
		}
		buttons = append(buttons, b)
	}
	const width, height = 440, 180
	shown = d.over(title, label, buttons, fyne.NewSize(width, height), nil)
	d.config.Window.Canvas().Focus(buttons[focus])
}

// form shows fields until they are submitted or cancelled. The first field of focus has the
// focus, and Enter in each single-line field of it submits.
func (d *Dialogs) form(title, submit string, items []*widget.FormItem, width float32, named []fyne.Focusable, then func()) {
	var shown *dialog.CustomDialog
	fields := widget.NewForm(items...)
	done := func() {
		if fields.Validate() == nil {
			shown.Hide()
			then()
		}
	}
	cancel, take := kit.NewButton(lang.L("Cancel"), func() { shown.Hide() }), kit.NewButton(submit, done)
	take.Importance = widget.HighImportance
	fields.SetOnValidationChanged(func(err error) {
		if err == nil {
			take.Enable()
		} else {
			take.Disable()
		}
	})
	for _, field := range named {
		if e, ok := field.(*kit.Entry); ok {
			e.OnSubmitted = func(string) { done() }
		}
	}
	shown = d.over(title, fields, []*kit.Button{cancel, take}, fyne.NewSize(width, 0), nil)
	d.config.Window.Canvas().Focus(named[0])
}

// Browse lets the user choose a file with an extension, such as ".json", beginning in a
// folder.
func (d *Dialogs) Browse(folder, ending string, then func(path string)) {
	browser{on: d, ending: ending, then: then}.in(folder)
}

// About shows the version of the program.
func (d *Dialogs) About(version string) {
	label := widget.NewLabel(lang.L("Svc {{.Version}}\n\nWorkflows of typed nodes: draw them, run them here, and run the very same document on a server.", map[string]any{"Version": version}))
	label.Wrapping = fyne.TextWrapWord
	const width, height = 420, 200
	d.Show(lang.L("About Svc"), label, fyne.NewSize(width, height), nil)
}
