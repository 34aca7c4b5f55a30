package runview

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// bar is the content of a row of the timeline.
type bar struct {
	label    string
	depth    int
	from, to float32 // fractions of the run
	status   engine.Status
	note     string // its duration
	hidden   bool   // it has never run
}

// timelineRow is a row of the timeline.
type timelineRow struct {
	widget.BaseWidget

	bar bar
}

func newTimelineRow() *timelineRow {
	r := &timelineRow{}
	r.ExtendBaseWidget(r)
	return r
}

func (r *timelineRow) set(b bar) {
	if r.bar != b {
		r.bar = b
		r.Refresh()
	}
}

// CreateRenderer implements fyne.Widget.
func (r *timelineRow) CreateRenderer() fyne.WidgetRenderer {
	p := &timelinePainter{
		row:   r,
		label: kit.NewText("", kit.Style{Size: kit.Secondary, Cut: true}),
		note:  kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Align: fyne.TextAlignTrailing, Cut: true}),
		track: canvas.NewRectangle(color.Transparent), bar: canvas.NewRectangle(color.Transparent),
	}
	p.track.CornerRadius, p.bar.CornerRadius = barRadius, barRadius
	p.paint()
	return p
}

// Sizes of a row, in dp.
const (
	rowHeight   = 22
	labelWidth  = 132
	labelIndent = 12
	noteWidth   = 72
	barHeight   = 13
	barRadius   = 3
	barLeast    = 6 // so that the shortest bar is visible
	rowGap      = 8
)

// timelinePainter draws a row.
type timelinePainter struct {
	row         *timelineRow
	label, note *kit.Text
	track, bar  *canvas.Rectangle
}

func (p *timelinePainter) paint() {
	b, colors := &p.row.bar, theme.Current()
	style := kit.Style{Size: kit.Secondary, Cut: true}
	if b.hidden {
		style.Ink = kit.Dim
	}
	p.label.SetStyle(style)
	p.label.SetText(b.label)
	p.note.SetText(b.note)
	p.track.FillColor, p.track.StrokeWidth = colors.Background, 0
	if colors.Background == colors.Panel { // as in high contrast
		p.track.StrokeColor, p.track.StrokeWidth = colors.Line, 1
	}
	p.bar.FillColor = statusInk(b.status)(colors)
	p.bar.Hidden = b.hidden
}

// Refresh adopts the colours of the theme and the content of the row.
func (p *timelinePainter) Refresh() {
	p.paint()
	p.Layout(p.row.Size())
	p.label.Refresh()
	p.note.Refresh()
	p.track.Refresh()
	p.bar.Refresh()
}

// Layout positions the bar on the time axis.
func (p *timelinePainter) Layout(size fyne.Size) {
	indent := float32(min(p.row.bar.depth, 4)) * labelIndent
	p.label.Move(fyne.NewPos(rowGap+indent, 0))
	p.label.Resize(fyne.NewSize(labelWidth-indent, size.Height))
	left := float32(rowGap + labelWidth + rowGap)
	width := max(size.Width-left-rowGap-noteWidth-rowGap, barLeast)
	top := (size.Height - barHeight) / 2
	p.track.Move(fyne.NewPos(left, top))
	p.track.Resize(fyne.NewSize(width, barHeight))
	long := max((p.row.bar.to-p.row.bar.from)*width, barLeast)
	p.bar.Move(fyne.NewPos(left+min(p.row.bar.from*width, width-long), top))
	p.bar.Resize(fyne.NewSize(long, barHeight))
	p.note.Move(fyne.NewPos(left+width+rowGap, 0))
	p.note.Resize(fyne.NewSize(noteWidth, size.Height))
}

// MinSize has no minimum width.
func (p *timelinePainter) MinSize() fyne.Size { return fyne.NewSize(0, rowHeight) }

// Objects returns the parts from back to front.
func (p *timelinePainter) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{p.track, p.bar, p.label, p.note}
}

// Destroy implements fyne.WidgetRenderer.
func (p *timelinePainter) Destroy() {}
