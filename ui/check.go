package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
)

// checkQuiet is how long nothing must have changed before a document is checked.
const checkQuiet = 250 * time.Millisecond

// unchecked is the revision of no document.
const unchecked = -1

// check has the document checked if it has changed.
func (w *Window) check() {
	d := w.desk
	if d == nil || w.checked == d.doc.Revision() {
		return
	}
	w.checked = d.doc.Revision()
	def, backend := d.doc.Definition(), w.place.Backend
	inputs, _ := cards.WorkflowPorts(w.config.Registry, def)
	w.runTab.SetInputs(inputs)
	w.history.SetWorkflow(def.ID)
	w.checker.Do(func(ctx context.Context) func() {
		problems, err := backend.Validate(ctx, def)
		return func() {
			switch {
			case w.desk != d:
			case err != nil:
				w.status.tell(lang.L("The workflow could not be checked: {{.Error}}", map[string]any{"Error": err.Error()}), true)
			default:
				w.showProblems(problems)
			}
		}
	})
}

// showProblems shows what validation has found, on the canvas and in the lists.
func (w *Window) showProblems(problems engine.ValidationErrors) {
	if w.desk == nil {
		return
	}
	w.desk.board.SetProblems(problems)
	w.refresh()
}
