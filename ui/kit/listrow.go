package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"

	"github.com/svcflow/svc/ui/theme"
)

// listRow is the place of one row: what the row shows, on a ground that tells whether
// it is the current one.
type listRow struct {
	hovered

	list    *List
	i       int
	content fyne.CanvasObject
}

var (
	_ fyne.Tappable     = (*listRow)(nil)
	_ fyne.Draggable    = (*listRow)(nil)
	_ desktop.Hoverable = (*listRow)(nil)
)

func newListRow(l *List, content fyne.CanvasObject) *listRow {
	r := &listRow{list: l, content: content}
	r.extend(r)
	return r
}

// fill shows another row of the list.
func (r *listRow) fill(i int) {
	if r.i != i {
		r.tip.Leave()
	}
	r.i = i
	r.list.rows.Fill(i, r.content)
	r.Refresh()
}

func (r *listRow) Tapped(*fyne.PointEvent) {
	r.tip.Leave()
	r.list.tapped(r.i)
}

func (r *listRow) Dragged(e *fyne.DragEvent) {
	r.tip.Leave()
	r.list.dragged(r.i, e.AbsolutePosition)
}

func (r *listRow) DragEnd() { r.list.dropped() }

// MouseIn is for Fyne.
func (r *listRow) MouseIn(*desktop.MouseEvent) {
	tip := ""
	if r.list.rows.Tip != nil && r.i < r.list.len() {
		tip = r.list.rows.Tip(r.i)
	}
	r.come(tip)
}

// CreateRenderer is for Fyne.
func (r *listRow) CreateRenderer() fyne.WidgetRenderer {
	w := &listRowRenderer{row: r, ground: canvas.NewRectangle(color.Transparent)}
	w.Refresh()
	return w
}

type listRowRenderer struct {
	row    *listRow
	ground *canvas.Rectangle
}

// rowInset is how far the ground of a row stays away from the sides of the list.
const rowInset = 6

func (w *listRowRenderer) Refresh() {
	p, l := theme.Current(), w.row.list
	g := w.ground
	g.CornerRadius = 6
	g.FillColor, g.StrokeColor, g.StrokeWidth = color.Transparent, color.Transparent, 0
	switch current := w.row.i == l.current; {
	case current && l.active:
		g.FillColor, g.StrokeColor, g.StrokeWidth = theme.Veil(p.Accent, 0x24), p.Accent, 1
	case current:
		g.FillColor, g.StrokeColor, g.StrokeWidth = theme.Veil(p.Dim, 0x24), p.Line, 1
	case w.row.lit && !l.inert(w.row.i):
		g.FillColor = theme.Veil(p.Dim, 0x1C)
	}
	g.Refresh()
	canvas.Refresh(w.row)
}

func (w *listRowRenderer) Layout(size fyne.Size) {
	w.ground.Move(fyne.NewPos(rowInset, 0))
	w.ground.Resize(fyne.NewSize(size.Width-2*rowInset, size.Height))
	w.row.content.Resize(size)
}

func (w *listRowRenderer) MinSize() fyne.Size { return fyne.NewSize(0, 0) }
func (w *listRowRenderer) Destroy()           {}
func (w *listRowRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{w.ground, w.row.content}
}
