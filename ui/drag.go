package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/runview"
)

// landing is how long a tab that was dropped outside of its row waits for another row.
const landing = 200 * time.Millisecond

// letGo handles a tab that was dropped outside of its row: it moves to the row under the
// pointer, or else to a new window. The toolkit does not know where windows are on the
// screen. But while the button is down, all pointer events go to the window where the drag
// began; after the release, the window under the pointer gets an event at once if it is one
// of ours.
func (v *views) letGo(i int) {
	v.tabbing.Go(i)
	work := v.workspace.Active()
	if len(v.windows.visible()) == 1 {
		v.commands.Run("tab.window")
		return
	}
	v.windows.dropped = work
	v.windows.landing.Do(func(context.Context) func() {
		return func() {
			if v.windows.dropped == work && v.workspace.Active() == work {
				v.commands.Run("tab.window")
			}
			v.windows.dropped = nil
		}
	})
}

// catch moves a tab that was just dropped into this row, before another one.
func (v *views) catch(before int) {
	work := v.windows.dropped
	if work == nil || slices.Contains(v.workspace.Sessions(), work) {
		return
	}
	v.windows.dropped = nil
	for _, w := range v.windows.visible() {
		if slices.Contains(w.workspace.Sessions(), work) {
			w.workspace.MoveTo(work, v.workspace)
			v.workspace.Move(work, before)
		}
	}
}

// takeOver highlights the field that accepts what is dragged from the panel of values.
func (v *views) takeOver(_ runview.Taken, at fyne.Position) { v.inspector.Over(at) }

// takeTo gives what was dragged to the field where it was dropped.
func (v *views) takeTo(what runview.Taken, at fyne.Position) {
	b := v.board()
	if b == nil {
		return
	}
	containers, id := fold.Split(what.Path)
	if !slices.Equal(containers, b.Document().Path()) {
		v.Complain(errors.New(lang.L("The outputs of “{{.Node}}” are on another level of the workflow.", map[string]any{"Node": what.Path})))
		return
	}
	if !v.inspector.Drop(inspector.Taken{Node: id, Port: what.Port, Steps: what.Steps}, at) {
		v.Tell(lang.L("Drop it on a field of the inspector."), false)
	}
	v.Refresh()
}
