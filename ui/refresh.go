package ui

import (
	"github.com/svcflow/svc/ui/editor"
	"github.com/svcflow/svc/ui/runview/record"
)

// refresh shows everything as it is now. It is called after each event that may have
// changed something, and costs little for what has not changed.
func (w *Window) refresh() {
	w.canvas.Update()
	w.changed()
}

// changed is refresh for what the canvas itself has changed and shows already.
func (w *Window) changed() {
	if w.desk == nil {
		w.commands.Refresh()
		return
	}
	w.minimap.Update()
	b := w.board()
	if b.Busy() {
		w.showCounts(b)
		return // nobody reads panels while dragging
	}
	w.check()
	w.desk.keep(w.config.Drafts, w.showState)
	w.inspector.Update(b)
	w.outline.Update(b)
	w.problems.Update(b)
	w.stage.update(w)
	w.showCounts(b)
	w.showState()
	w.refreshRun()
	w.commands.Refresh()
}

// showState says which workflow this is, and how safe.
func (w *Window) showState() {
	d := w.desk
	if d == nil {
		return
	}
	w.top.show(d.doc.Name(), d.doc.Edited(), "")
	w.top.showRunning(w.running())
	count := len(d.board.Problems().All())
	w.status.showProblems(count, w.commands.Keys("view.next-problem").Label())
	w.side.SetTitle(tabProblems, problemsTitle(count))
	text, bad := d.state()
	w.status.showDraft(text, bad)
	w.win.SetTitle(windowTitle(d.doc.Name(), d.doc.Edited()))
}

func (w *Window) showCounts(b *editor.Board) {
	set := b.Selection.Set()
	doc := b.Document()
	w.status.showCounts(len(doc.Nodes()), len(doc.Connections()), len(set.Nodes)+len(set.Notes)+len(set.Groups)+len(set.Wires), b.View.Zoom)
	w.stage.showZoom(b.View.Zoom)
}

// refreshRun shows how the run has gone on.
func (w *Window) refreshRun() {
	var r *record.Recorder
	if w.shown != nil {
		r = w.shown.record
	}
	w.canvas.Update()
	w.summary.Update(r)
	w.runTab.Update(r)
	switch w.bottom.Selected() {
	case tabTimeline:
		w.timeline.Update(r)
	case tabOutput:
		w.showSubject()
		w.output.Update(r)
	}
}

// refreshClock shows what changes with time alone.
func (w *Window) refreshClock() {
	if w.shown == nil || w.panels.Sides().BottomFolded {
		return
	}
	w.summary.Update(w.shown.record)
	switch w.bottom.Selected() {
	case tabTimeline:
		w.timeline.Update(w.shown.record)
	case tabRuns:
		w.history.Update()
	}
}
