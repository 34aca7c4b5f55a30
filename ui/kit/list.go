package kit

import (
	"image/color"
	"sort"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// RowHeight is the default height of a row of a [List], in dp.
const RowHeight = 26

// listPad is the padding above the first row and below the last one.
const listPad = 4

// Rows are the contents and callbacks of a [List]. Len, Make and Fill are required. Rows are
// numbered from 0.
type Rows struct {
	Len func() int
	// Make returns an empty row, and Fill shows row i in one. Rows are reused while the list
	// scrolls.
	Make func() fyne.CanvasObject
	Fill func(i int, row fyne.CanvasObject)
	// Height returns the height of row i at a width, both in dp. If it is nil, that is
	// RowHeight.
	Height func(i int, width float32) float32
	// Inert reports whether a row, such as a heading, cannot be selected. It may be nil.
	Inert func(i int) bool
	// Tip returns the tooltip of row i; "" for none. It may be nil.
	Tip func(i int) string
	// Selected is called with the row that the user moved to by keys, or clicked.
	Selected func(i int)
	// Chosen is called with the row that was double-clicked, or chosen with Enter. With
	// OneClick a click is enough.
	Chosen   func(i int)
	OneClick bool
	// Escaped is called for the Escape key. If it is nil, the window gets the key.
	Escaped func()
	// Dragged is called with the position of row i in the window while it is dragged, and
	// Dropped with the one where it was released.
	Dragged, Dropped func(i int, at fyne.Position)
}

// List shows rows below each other, of which one can be the current one. It makes only the
// rows that are visible. The arrow keys, Page Up, Page Down, Home and End move through them.
// The zero value is not usable; see [NewList].
type List struct {
	widget.BaseWidget

	rows    Rows
	current int
	tops    []float32 // where each row begins, and the end of the last one
	width   float32   // the width for which tops was computed
	scroll  *container.Scroll
	body    *fyne.Container
	shown   map[int]*listRow
	spare   []*listRow
	active  bool // it has the focus, or the field above it
	passive bool // clicks do not focus it
	click   click
	drag    drag
}

type click struct {
	row int
	at  time.Time
}

type drag struct {
	on  bool
	row int
	at  fyne.Position
}

var _ fyne.Focusable = (*List)(nil)

// NewList returns a list without a current row.
func NewList(rows Rows) *List {
	l := &List{rows: rows, current: -1, shown: map[int]*listRow{}, click: click{row: -1}}
	l.body = container.New(listLayout{l})
	l.scroll = container.NewVScroll(l.body)
	l.scroll.OnScrolled = func(fyne.Position) { l.place() }
	l.ExtendBaseWidget(l)
	l.measure(0)
	return l
}

// Current returns the current row; -1 for none.
func (l *List) Current() int { return l.current }

// SetCurrent makes a row the current one and scrolls to it; -1 is none. It calls no callback.
func (l *List) SetCurrent(i int) {
	if i >= l.len() || i >= 0 && l.inert(i) {
		i = -1
	}
	if l.current != i {
		old := l.current
		l.current = i
		l.repaint(old)
		l.repaint(i)
	}
	l.reveal(i)
}

// Update shows the present rows. The current row keeps its number, as far as that exists.
func (l *List) Update() {
	if l.current >= l.len() || l.current >= 0 && l.inert(l.current) {
		l.current = -1
	}
	l.measure(l.width)
	for i, row := range l.shown {
		if i < l.len() {
			row.fill(i)
		}
	}
	l.scroll.Refresh()
	l.place()
}

// Refresh implements fyne.Widget: it fills all rows again, in the present theme.
func (l *List) Refresh() {
	l.spare = nil
	l.Update()
	for _, row := range l.shown {
		row.Refresh()
	}
	l.BaseWidget.Refresh()
}

// Height returns the height of all rows with the padding above and below, in dp; 0 without
// rows.
func (l *List) Height() float32 {
	if len(l.tops) == 1 {
		return 0
	}
	return l.tops[len(l.tops)-1] + listPad
}

func (l *List) len() int { return l.rows.Len() }

// inert is true of removed rows, too: Fyne may draw one once more before the next layout.
func (l *List) inert(i int) bool {
	return i < 0 || i >= l.len() || l.rows.Inert != nil && l.rows.Inert(i)
}

// measure computes where each row begins.
func (l *List) measure(width float32) {
	l.width = width
	y := float32(listPad)
	l.tops = append(l.tops[:0], y)
	for i := range l.len() {
		height := float32(RowHeight)
		if l.rows.Height != nil {
			height = l.rows.Height(i, width)
		}
		y += height
		l.tops = append(l.tops, y)
	}
}

// catchUp adapts to rows that were added or removed without a call of [List.Update] so far:
// the owner or Fyne may scroll a list in between.
func (l *List) catchUp() {
	if len(l.tops) != l.len()+1 {
		l.measure(l.width)
	}
}

// visibleRows returns the rows from first up to end, without it, that are in sight.
func (l *List) visibleRows() (first, end int) {
	l.catchUp()
	top, room := l.scroll.Offset.Y, l.scroll.Size().Height
	n := len(l.tops) - 1
	if room <= 0 || l.width <= 0 {
		return 0, 0
	}
	first = sort.Search(n, func(i int) bool { return l.tops[i+1] > top })
	end = sort.Search(n, func(i int) bool { return l.tops[i] >= top+room })
	return first, max(first, end)
}

// place positions the visible rows and recycles the others.
func (l *List) place() {
	first, end := l.visibleRows()
	for i, row := range l.shown {
		if i < first || i >= end {
			delete(l.shown, i)
			row.MouseOut()
			l.spare = append(l.spare, row)
		}
	}
	l.body.Objects = l.body.Objects[:0]
	for i := first; i < end; i++ {
		row, ok := l.shown[i]
		if !ok {
			row = l.take()
			l.shown[i] = row
			row.fill(i)
		}
		row.Move(fyne.NewPos(0, l.tops[i]))
		row.Resize(fyne.NewSize(l.width, l.tops[i+1]-l.tops[i]))
		l.body.Objects = append(l.body.Objects, row)
	}
	canvas.Refresh(l.body)
}

// take returns an unused row.
func (l *List) take() *listRow {
	if n := len(l.spare); n > 0 {
		row := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return row
	}
	return newListRow(l, l.rows.Make())
}

func (l *List) repaint(i int) {
	if row, ok := l.shown[i]; ok {
		row.Refresh()
	}
}

// reveal scrolls to a row, and to the top if only headings are above it.
func (l *List) reveal(i int) {
	l.catchUp()
	room := l.scroll.Size().Height
	if i < 0 || i >= len(l.tops)-1 || room <= 0 {
		return
	}
	top, offset := l.tops[i], l.scroll.Offset.Y
	if l.next(i-1, -1) < 0 {
		top = 0
	}
	offset = max(min(offset, top), l.tops[i+1]+listPad-room)
	if offset != l.scroll.Offset.Y {
		l.scroll.ScrollToOffset(fyne.NewPos(0, offset))
		l.place()
	}
}

// listLayout gives the content of the scroller its height. The list itself positions the
// rows.
type listLayout struct{ l *List }

func (listLayout) Layout([]fyne.CanvasObject, fyne.Size) {}

func (b listLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(0, b.l.Height()) }

// CreateRenderer implements fyne.Widget.
func (l *List) CreateRenderer() fyne.WidgetRenderer { return listRenderer{l} }

type listRenderer struct{ l *List }

func (r listRenderer) Layout(size fyne.Size) {
	l := r.l
	if l.width != size.Width {
		l.measure(size.Width)
	}
	l.scroll.Resize(size)
	l.scroll.Refresh()
	l.place()
}

func (r listRenderer) MinSize() fyne.Size           { return fyne.NewSize(32, RowHeight) }
func (r listRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.l.scroll} }
func (r listRenderer) Refresh()                     { canvas.Refresh(r.l) }
func (r listRenderer) Destroy()                     {}

// listRow holds the object of one row, on a background that marks the current one.
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

// fill shows a row of the list.
func (r *listRow) fill(i int) {
	if r.i != i {
		r.tip.Hide()
	}
	r.i = i
	r.list.rows.Fill(i, r.content)
	r.Refresh()
}

func (r *listRow) Tapped(*fyne.PointEvent) {
	r.tip.Hide()
	r.list.tapped(r.i)
}

func (r *listRow) Dragged(e *fyne.DragEvent) {
	r.tip.Hide()
	r.list.dragged(r.i, e.AbsolutePosition)
}

func (r *listRow) DragEnd() { r.list.dropped() }

// MouseIn implements desktop.Hoverable.
func (r *listRow) MouseIn(*desktop.MouseEvent) {
	tip := ""
	if r.list.rows.Tip != nil && r.i < r.list.len() {
		tip = r.list.rows.Tip(r.i)
	}
	r.come(tip)
}

// CreateRenderer implements fyne.Widget.
func (r *listRow) CreateRenderer() fyne.WidgetRenderer {
	w := &listRowRenderer{row: r, ground: canvas.NewRectangle(color.Transparent)}
	w.Refresh()
	return w
}

type listRowRenderer struct {
	row    *listRow
	ground *canvas.Rectangle
}

// rowInset is the distance of a row's background from the sides of the list.
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
