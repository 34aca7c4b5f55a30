package runview

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// runRow is a line of the list of runs.
type runRow struct {
	widget.BaseWidget

	status                      engine.Status
	workflow, state, when, took *kit.Text
	note                        *kit.Text
}

func newRunRow() *runRow {
	dim := kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true}
	r := &runRow{
		workflow: kit.NewText("", kit.Style{Cut: true}),
		state:    kit.NewText("", dim), when: kit.NewText("", dim), took: kit.NewText("", dim),
		note: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}),
	}
	r.took.SetStyle(kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true, Align: fyne.TextAlignTrailing})
	r.ExtendBaseWidget(r)
	return r
}

// set shows a run as it is at a time.
func (r *runRow) set(e run.Record, now time.Time) {
	r.status = e.Status
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

// CreateRenderer is for Fyne.
func (r *runRow) CreateRenderer() fyne.WidgetRenderer {
	p := &runPainter{row: r, dot: canvas.NewCircle(color.Transparent)}
	p.paint()
	return p
}

type runPainter struct {
	row *runRow
	dot *canvas.Circle
}

func (p *runPainter) paint() { p.dot.FillColor = statusInk(p.row.status)(theme.Current()) }

// Refresh takes over the colours of the theme and what the row shows.
func (p *runPainter) Refresh() {
	p.paint()
	p.dot.Refresh()
	for _, text := range []*kit.Text{p.row.workflow, p.row.state, p.row.when, p.row.took, p.row.note} {
		text.Refresh()
	}
}

// Layout gives each part its column.
func (p *runPainter) Layout(size fyne.Size) {
	const dot, state, when, took, least = 8, 84, 190, 76, 90
	p.dot.Move(fyne.NewPos(rowGap, (size.Height-dot)/2))
	p.dot.Resize(fyne.NewSquareSize(dot))
	left := float32(rowGap + dot + rowGap)
	free := max(size.Width-left-state-when-took-7*rowGap, least)
	for _, column := range []struct {
		text  *kit.Text
		width float32
	}{{p.row.workflow, free * 0.55}, {p.row.state, state}, {p.row.when, when}, {p.row.took, took}, {p.row.note, free * 0.45}} {
		column.text.Move(fyne.NewPos(left, 0))
		column.text.Resize(fyne.NewSize(column.width, size.Height))
		left += column.width + rowGap
		if column.text == p.row.took {
			left += 2 * rowGap // what is aligned to the right needs air before what is not
		}
	}
}

// MinSize leaves the width to the list.
func (p *runPainter) MinSize() fyne.Size { return fyne.NewSize(0, rowHeight) }

// Objects returns all parts.
func (p *runPainter) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{p.dot, p.row.workflow, p.row.state, p.row.when, p.row.took, p.row.note}
}

// Destroy has nothing to let go.
func (p *runPainter) Destroy() {}
