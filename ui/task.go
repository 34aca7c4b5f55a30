package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/kit"
)

// later does something slow in the background, saying what meanwhile. then, which job
// returns, is called on the window's goroutine; an error is shown instead. Once the
// window is closed neither happens.
func (w *Window) later(what string, job func(ctx context.Context) (then func(), err error)) {
	w.status.tell(what, false)
	w.jobs.Go(func() {
		then, err := job(w.ctx)
		if w.ctx.Err() != nil {
			return
		}
		fyne.Do(func() {
			w.status.tell("", false)
			if err != nil {
				w.complain(err)
			} else if then != nil {
				then()
			}
		})
	})
}

// do does a command and shows what came of it.
func (w *Window) do(command func() error) {
	if err := command(); err != nil {
		w.complain(err)
	}
	w.refresh()
}

// complain shows an error where the user looks for what went wrong: problems of the
// workflow in their list, all else in the status bar.
func (w *Window) complain(err error) {
	if problems, ok := errors.AsType[engine.ValidationErrors](err); ok {
		w.showProblems(problems)
		w.side.Select(tabProblems)
		w.panels.SetRightVisible(true)
		w.status.tell(lang.L("The workflow cannot run yet: see its problems"), true)
		return
	}
	w.status.tell(err.Error(), true)
}

// choice is a button of a question.
type choice struct {
	text string
	do   func()
	main bool // the one that Enter would be
}

// ask asks the user something. Besides the choices there is always Cancel.
func (w *Window) ask(title, text string, choices ...choice) {
	label := widget.NewLabel(text)
	label.Wrapping = fyne.TextWrapWord
	var d *dialog.CustomDialog
	buttons := kit.Row(8, layout.NewSpacer())
	hide := func() {
		d.Hide()
		w.focusCanvas()
	}
	add := func(text string, do func(), main bool) *dialogButton {
		b := newDialogButton(text, func() {
			hide()
			if do != nil {
				do()
			}
		}, hide)
		if main {
			b.Importance = widget.HighImportance
		}
		buttons.Add(b)
		return b
	}
	focus := add(lang.L("Cancel"), nil, false)
	for _, c := range choices {
		if b := add(c.text, c.do, c.main); c.main {
			focus = b
		}
	}
	d = dialog.NewCustomWithoutButtons(title, container.NewBorder(nil, buttons, nil, nil, label), w.win)
	const width, height = 440, 180
	d.Resize(fyne.NewSize(width, height))
	d.Show()
	w.win.Canvas().Focus(focus)
}
