package ui

import (
	"github.com/svcflow/svc/ui/editor/board"
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
	w.looked()
	b := w.board()
	if b.Busy() {
		return // nobody reads panels while dragging
	}
	w.check()
	w.desk.keep(w.config.Drafts, w.showState)
	w.inspector.Update(b)
	w.showOutlined()
	w.problems.Update(b)
	w.stage.update(w)
	w.showState()
	w.refreshRun()
	w.commands.Refresh()
}

// looked shows which part of the document is seen.
func (w *Window) looked() {
	if w.desk != nil {
		w.minimap.Update()
		w.showCounts(w.board())
	}
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
	w.setTitle(windowTitle(d.doc.Name(), d.doc.Edited()))
}

// setTitle names the window. Asking the system costs more than remembering.
func (w *Window) setTitle(title string) {
	if w.title != title {
		w.title = title
		w.win.SetTitle(title)
	}
}

// showOutlined lists the level, if anybody sees the list.
func (w *Window) showOutlined() {
	if w.desk != nil && w.left.Selected() == tabOutline {
		w.outline.Update(w.board())
	}
}

func (w *Window) showCounts(b *board.Board) {
	set := b.Selection.Set()
	doc := b.Document()
	const percent = 100
	w.status.showCounts(counts{
		nodes: len(doc.Nodes()), wires: len(doc.Connections()),
		selected: len(set.Nodes) + len(set.Notes) + len(set.Groups) + len(set.Wires), percent: int(b.View.Zoom*percent + 0.5),
	})
	w.stage.showZoom(b.View.Zoom)
}

// refreshRun shows how the run has gone on.
func (w *Window) refreshRun() {
	var r *record.Recorder
	if w.shown != nil {
		r = w.shown.record
	}
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
