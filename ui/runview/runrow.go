package runview

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/kit"
)

// runRow is a line of the list of runs.
type runRow struct {
	widget.BaseWidget

	dot                               *kit.Dot
	workflow, state, when, took, note *kit.Text
}

func newRunRow() *runRow {
	dim := kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true}
	r := &runRow{
		dot:      kit.NewDot(nil, runDot),
		workflow: kit.NewText("", kit.Style{Cut: true}),
		state:    kit.NewText("", dim), when: kit.NewText("", dim), took: kit.NewText("", dim),
		note: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}),
	}
	r.took.SetStyle(kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true, Align: fyne.TextAlignTrailing})
	r.ExtendBaseWidget(r)
	return r
}

// set shows the state of a run at a time.
func (r *runRow) set(e run.Record, now time.Time) {
	r.dot.SetInk(statusInk(e.Status))
	r.workflow.SetText(e.WorkflowID)
	r.state.SetText(statusWord(e.Status))
	r.state.SetStyle(kit.Style{Size: kit.Secondary, Cut: true, Ink: statusInk(e.Status)})
	r.when.SetText(Ago(e.StartedAt, now) + " · " + clock(e.StartedAt, now))
	end := e.FinishedAt
	if end.IsZero() {
		end = now
	}
	r.took.SetText(Duration(max(end.Sub(e.StartedAt), 0)))
	r.note.SetText("")
	if e.ResumedFrom != "" {
		r.note.SetText(lang.L("resumed from {{.ID}}", map[string]any{"ID": e.ResumedFrom}))
	}
	r.Refresh()
}

// runDot is the width of the dot of a run, in dp.
const runDot = 8

// CreateRenderer implements fyne.Widget.
func (r *runRow) CreateRenderer() fyne.WidgetRenderer {
	return kit.RowRenderer(r, rowHeight, r.place, r.dot, r.workflow, r.state, r.when, r.took, r.note)
}

// place lays out the columns.
func (r *runRow) place(size fyne.Size) {
	const state, when, took, least = 84, 190, 76, 90
	kit.Put(r.dot, rowGap, runDot, size.Height)
	left := float32(rowGap + runDot + rowGap)
	free := max(size.Width-left-state-when-took-7*rowGap, least)
	for _, column := range []struct {
		text  *kit.Text
		width float32
	}{{r.workflow, free * 0.55}, {r.state, state}, {r.when, when}, {r.took, took}, {r.note, free * 0.45}} {
		column.text.Move(fyne.NewPos(left, 0))
		column.text.Resize(fyne.NewSize(column.width, size.Height))
		left += column.width + rowGap
		if column.text == r.took {
			left += 2 * rowGap // right-aligned text needs a gap before left-aligned text
		}
	}
}
