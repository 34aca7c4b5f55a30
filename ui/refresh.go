package ui

import (
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/wording"
	"github.com/svcflow/svc/ui/workspace"
)

// Refresh updates everything. It is called after each event that may have changed something,
// and is cheap for unchanged parts.
func (v *views) Refresh() {
	v.canvas.Update()
	v.changed()
}

// changed is Refresh for changes that the canvas made itself and already shows.
func (v *views) changed() {
	b := v.board()
	if b == nil {
		v.commands.Refresh()
		return
	}
	b.Peek, b.Pane, b.Pinned, b.Stop, b.Say = v.portLines, v.panes.of, v.pinned, v.stopAt, wording.Of
	v.looked()
	if b.Busy() {
		return // panels need not be current while the user drags
	}
	v.check()
	v.workspace.SaveDrafts()
	v.inspector.Update(b)
	v.showOutlined()
	v.problems.Update(b)
	v.stage.update(v)
	v.showState()
	v.showTabs()
	v.refreshRun()
	v.commands.Refresh()
}

// check has the document checked if it has changed, and updates what the panels of runs
// offer.
func (v *views) check() {
	if !v.workspace.Check() {
		return
	}
	v.ready(v.workspace.Active().Document.Definition())
}

// ready updates what the panels of runs offer to run.
func (v *views) ready(def *workflow.Definition) {
	inputs, _ := cards.WorkflowPorts(v.config.Registry, def)
	v.runTab.SetInputs(inputs)
	v.history.SetWorkflow(def.ID)
}

// looked shows the visible part of the document in the minimap and its size in the status
// bar.
func (v *views) looked() {
	if b := v.board(); b != nil {
		v.minimap.Update()
		v.showCounts(b)
	}
}

// showState shows the name of the workflow and whether it is saved.
func (v *views) showState() {
	w := v.workspace.Active()
	if w == nil {
		return
	}
	v.top.show(w.Document.Name(), w.Document.Edited(), "")
	v.top.showRunning(v.runs.Running())
	count := len(w.Board.Problems().All())
	v.status.showProblems(count, len(v.failures()), v.commands.Keys("view.next-problem").Label())
	v.panels.right.SetTitle(tabProblems, problemsTitle(count))
	text, bad := safety(w)
	v.status.showDraft(text, bad)
	v.setTitle(windowTitle(w.Document.Name(), w.Document.Edited()))
}

// safety describes how safe unsaved work is.
func safety(w *workspace.Session) (text string, bad bool) {
	at, err := w.Draft()
	switch {
	case err != nil:
		return lang.L("The draft cannot be saved: {{.Error}}", map[string]any{"Error": wording.Of(err.Error())}), true
	case !at.IsZero():
		return lang.L("Draft saved at {{.Time}}", map[string]any{"Time": at.Format("15:04:05")}), false
	}
	return "", false
}

// setTitle sets the title of the window. Comparing is cheaper than asking the system.
func (v *views) setTitle(title string) {
	if v.title != title {
		v.title = title
		v.win.SetTitle(title)
	}
}

// showOutlined updates the outline if it is visible.
func (v *views) showOutlined() {
	if b := v.board(); b != nil && v.panels.left.Selected() == tabOutline {
		v.outline.Update(b)
	}
}

func (v *views) showCounts(b *board.Board) {
	set := b.Selection.Set()
	doc := b.Document()
	const percent = 100
	v.status.showCounts(counts{
		nodes: len(doc.Nodes()), wires: len(doc.Connections()),
		selected: len(set.Nodes) + len(set.Notes) + len(set.Groups) + len(set.Wires), percent: int(b.View.Zoom*percent + 0.5),
	})
	v.stage.showZoom(b.View.Zoom)
}

// runProgressed shows the progress of a run, at a limited rate.
func (v *views) runProgressed() {
	v.canvas.Update()
	v.refreshRun()
}

// refreshRun shows the progress of the run.
func (v *views) refreshRun() {
	var r *record.Recorder
	if run := v.runs.Shown(); run != nil {
		r = run.Record
	}
	v.summary.Update(r)
	v.runTab.Update(r)
	switch v.panels.bottom.Selected() {
	case tabTimeline:
		v.timeline.Update(r)
	case tabOutput:
		v.showSubject()
		v.output.Update(r)
	}
}

// showSubject shows the values of the selected node.
func (v *views) showSubject() {
	if v.outcome.shown(v) {
		v.output.Show(v.outcome.subject)
		return
	}
	var subject runview.Subject
	if b := v.board(); b != nil {
		if id, ok := b.Selection.Sole(); ok {
			subject, _ = runview.SubjectOf(b.Document(), id)
		}
	}
	v.output.Show(subject)
}

// refreshClock updates what changes with time alone.
func (v *views) refreshClock() {
	run := v.runs.Shown()
	if run == nil || v.panels.shell.Shown().BottomFolded {
		return
	}
	v.summary.Update(run.Record)
	switch v.panels.bottom.Selected() {
	case tabTimeline:
		v.timeline.Update(run.Record)
	case tabRuns:
		v.history.Update()
	}
}
