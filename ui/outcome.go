package ui

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/runs"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/wording"
)

// outcome is the result of a run, or a value that the user asked for. The panel of values
// shows it until the selection changes.
type outcome struct {
	run      *record.Recorder // nil if no run is shown
	selected string           // the selection when the run ended
	subject  runview.Subject
}

// shown reports whether the panel still shows the outcome.
func (o *outcome) shown(v *views) bool {
	run := v.runs.Shown()
	if o.run == nil || run == nil || run.Record != o.run || o.selected != v.selected() {
		*o = outcome{}
		return false
	}
	return true
}

// selected returns the path of the single selected part, "loop/fmt"; "" without one.
func (v *views) selected() string {
	if b := v.board(); b != nil {
		if id, ok := b.Selection.Sole(); ok {
			return fold.Join(b.Document().Path(), id)
		}
	}
	return ""
}

// showOutcome shows the outputs of a run, or its first failure. The selection and the
// settings that are being edited stay.
func (v *views) showOutcome(shown *runs.Run) {
	status := shown.Record.Status
	if shown.Past || status != engine.StatusCompleted && status != engine.StatusFailed {
		return
	}
	v.outcome = outcome{run: shown.Record, selected: v.selected()}
	why := shown.Record.Error
	if failed := v.failures(); len(failed) > 0 {
		v.outcome.subject, _ = runview.SubjectAt(shown.Board.Document(), failed[0])
		if n := shown.Record.Node(failed[0]); n != nil && n.Error != nil {
			why = n.Error // its own error, without the containers around it
		}
	}
	if status == engine.StatusCompleted && len(shown.Record.Outputs) == 0 {
		v.outcome = outcome{} // the panel shows the selected node instead
	}
	v.panels.ShowOutput()
	v.refreshRun()
	if status == engine.StatusFailed && why != nil {
		v.tellFailure(v.outcome.subject.Title, why)
	}
}

// tellFailure shows which node has failed and why; a click shows that node.
func (v *views) tellFailure(title string, f *engine.Failure) {
	text := wording.Of(f.Message)
	if title != "" {
		text = lang.L("“{{.Node}}” failed: {{.Message}}", map[string]any{"Node": title, "Message": text})
	}
	v.Tell(text, true)
	v.status.about = func() { v.NextFailure(0) }
}

// failures returns the nodes that made the run fail.
func (v *views) failures() []string {
	run := v.runs.Shown()
	if run == nil || run.Record.Status != engine.StatusFailed {
		return nil
	}
	return runview.Failures(run.Record)
}

// NextFailure shows the next failed node, the previous one, or with step 0 the first, with
// its error.
func (v *views) NextFailure(step int) (ok bool) {
	failed := v.failures()
	if len(failed) == 0 {
		return false
	}
	next := 0
	if at := slices.Index(failed, v.selected()); at >= 0 && step != 0 {
		next = (at + step + len(failed)) % len(failed)
	} else if step < 0 {
		next = len(failed) - 1
	}
	v.showNode(failed[next])
	v.panels.ShowOutput()
	v.refreshRun()
	if n := v.runs.Shown().Record.Node(failed[next]); n != nil && n.Error != nil {
		v.tellFailure(v.titleOf(failed[next]), n.Error)
	}
	return true
}

// showRan shows a node of a run, and its error if it has failed.
func (v *views) showRan(path string) {
	v.showNode(path)
	if slices.Contains(v.failures(), path) {
		v.panels.ShowOutput()
		v.refreshRun()
	}
}
