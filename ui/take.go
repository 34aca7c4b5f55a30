package ui

import (
	"errors"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/runview"
)

// takeOver shows which field takes what is dragged out of the panel of values.
func (v *views) takeOver(_ runview.Taken, at fyne.Position) { v.inspector.Over(at) }

// takeTo gives what was dragged to the field where it was let go.
func (v *views) takeTo(what runview.Taken, at fyne.Position) {
	b := v.board()
	if b == nil {
		return
	}
	containers, id := fold.Split(what.Path)
	if !slices.Equal(containers, b.Document().Path()) {
		v.Complain(errors.New(lang.L("What comes out of “{{.Node}}” is on another level of the workflow.", map[string]any{"Node": what.Path})))
		return
	}
	if !v.inspector.Drop(inspector.Taken{Node: id, Port: what.Port, Steps: what.Steps}, at) {
		v.Tell(lang.L("Drop it on a field of the inspector."), false)
	}
	v.Refresh()
}
