package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// stripTab is one tab of a [Strip].
type stripTab struct {
	Pressable

	strip *Strip
	at    int // its index
}

var (
	_ fyne.Draggable         = (*stripTab)(nil)
	_ fyne.Scrollable        = (*stripTab)(nil)
	_ fyne.SecondaryTappable = (*stripTab)(nil)
	_ desktop.Mouseable      = (*stripTab)(nil)
)

func newStripTab(s *Strip, at int) *stripTab {
	t := &stripTab{strip: s, at: at}
	t.Extend(t, func() { tellPlace(s.OnSelect, at) })
	return t
}

// Text returns the title.
func (t *stripTab) Text() string {
	if t.at < len(t.strip.heads) {
		return t.strip.heads[t.at].Title
	}
	return ""
}

func tellPlace(whom func(int), at int) {
	if whom != nil {
		whom(at)
	}
}

// The parts of a tab from left to right, in dp: the state, the title, and the cross.
const (
	tabEdge   = 10
	markSize  = 8
	crossSize = 14
	crossRoom = 24
	titleRoom = tabEdge + crossRoom
)

func titleStyle() Style { return Style{Size: Secondary, Cut: true} }

// Tapped selects the tab, or closes it by its cross.
func (t *stripTab) Tapped(e *fyne.PointEvent) {
	if e != nil && e.Position.X > t.Size().Width-crossRoom {
		t.tip.Hide()
		tellPlace(t.strip.OnClose, t.at)
		return
	}
	t.Pressable.Tapped(e)
}

// TypedKey closes the tab on Delete, and presses it on Space or Enter.
func (t *stripTab) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyDelete {
		tellPlace(t.strip.OnClose, t.at)
		return
	}
	t.Pressable.TypedKey(e)
}

// MouseDown closes the tab on the middle button.
func (t *stripTab) MouseDown(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonTertiary {
		t.tip.Hide()
		tellPlace(t.strip.OnClose, t.at)
	}
}

// MouseUp implements desktop.Mouseable.
func (*stripTab) MouseUp(*desktop.MouseEvent) {}

// TappedSecondary opens the context menu of the tab.
func (t *stripTab) TappedSecondary(e *fyne.PointEvent) {
	t.tip.Hide()
	if t.strip.OnMenu != nil {
		t.strip.OnMenu(t.at, e.AbsolutePosition)
	}
}

// outside is the distance from the row from which a dragged tab leaves it, in dp.
const outside = 40

// Dragged moves the tab to another index, or out of the row.
func (t *stripTab) Dragged(e *fyne.DragEvent) {
	if t.strip.dragged < 0 {
		t.tip.Hide()
		t.strip.dragged = t.at
	}
	x, y := t.Position().X+e.Position.X, e.Position.Y // in the row
	t.strip.leave(y < -outside || y > stripHeight+outside || x < -outside || x > t.strip.whole.Size().Width+outside)
	if !t.strip.out {
		t.strip.drag(x)
	}
}

// DragEnd implements fyne.Draggable.
func (t *stripTab) DragEnd() { t.strip.drop() }

// MouseIn highlights the tab, and reports the position of the pointer in the row.
func (t *stripTab) MouseIn(e *desktop.MouseEvent) {
	t.Pressable.MouseIn(e)
	t.over(e)
}

// MouseMoved reports the position of the pointer in the row.
func (t *stripTab) MouseMoved(e *desktop.MouseEvent) {
	t.Pressable.MouseMoved(e)
	t.over(e)
}

func (t *stripTab) over(e *desktop.MouseEvent) {
	before := t.at
	if e.Position.X > t.Size().Width/2 {
		before++
	}
	tellPlace(t.strip.OnOver, before)
}

// Scrolled scrolls the row.
func (t *stripTab) Scrolled(e *fyne.ScrollEvent) {
	by := e.Scrolled.DX
	if by == 0 {
		by = e.Scrolled.DY
	}
	t.strip.scroll(by)
}

// CreateRenderer implements fyne.Widget.
func (t *stripTab) CreateRenderer() fyne.WidgetRenderer {
	rectangle := func() *canvas.Rectangle { return canvas.NewRectangle(color.Transparent) }
	r := &stripTabRenderer{
		t: t, ground: rectangle(), line: rectangle(), edge: rectangle(), mark: rectangle(), edited: canvas.NewCircle(color.Transparent),
		title: canvas.NewText("", color.Transparent), cross: widget.NewIcon(fynetheme.CancelIcon()),
	}
	r.paint()
	return r
}

type stripTabRenderer struct {
	t                        *stripTab
	ground, line, edge, mark *canvas.Rectangle
	edited                   *canvas.Circle
	title                    *canvas.Text
	cross                    *widget.Icon
}

func (r *stripTabRenderer) head() (h Head, shown bool) {
	if s := r.t.strip; r.t.at < len(s.heads) {
		return s.heads[r.t.at], r.t.at == s.shown
	}
	return Head{}, false
}

func (r *stripTabRenderer) paint() {
	p := theme.Current()
	h, shown := r.head()
	r.ground.FillColor, r.line.FillColor, r.edge.FillColor = p.Panel, color.Transparent, p.Line
	r.ground.StrokeColor, r.ground.StrokeWidth = color.Transparent, 0
	titleStyle().apply(r.title)
	r.title.Color = p.Legible(p.Dim)
	switch {
	case shown:
		r.ground.FillColor, r.line.FillColor, r.title.Color = p.Canvas, p.Accent, p.Text
	case r.t.Lit():
		r.title.Color = p.Text
	}
	if r.t.Focused() || r.t.strip.out && r.t.at == r.t.strip.dragged {
		r.ground.StrokeColor, r.ground.StrokeWidth = p.Accent, 1.5
	}
	r.edited.FillColor = color.Transparent
	if h.Edited && !r.t.Lit() {
		r.edited.FillColor = r.title.Color
	}
	if r.t.Lit() || shown && !h.Edited {
		r.cross.Show()
	} else {
		r.cross.Hide()
	}
	r.paintMark(p, h.State)
}

// paintMark shows the state by shape and colour: a ring for running, a square ring for
// waiting, a dot for completed, and a square for failed.
func (r *stripTabRenderer) paintMark(p theme.Palette, state HeadState) {
	const ring, round, square = 2, markSize / 2, 1
	r.mark.FillColor, r.mark.StrokeColor, r.mark.StrokeWidth = color.Transparent, color.Transparent, 0
	r.mark.CornerRadius = round
	switch state {
	case HeadIdle:
	case HeadRuns:
		r.mark.StrokeColor, r.mark.StrokeWidth = p.Running, ring
	case HeadWaits:
		r.mark.StrokeColor, r.mark.StrokeWidth, r.mark.CornerRadius = p.Running, ring, square
	case HeadDone:
		r.mark.FillColor = p.OK
	case HeadFailed:
		r.mark.FillColor, r.mark.CornerRadius = p.Error, square
	}
}

// Refresh implements fyne.WidgetRenderer.
func (r *stripTabRenderer) Refresh() {
	r.paint()
	r.Layout(r.t.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
}

// Layout implements fyne.WidgetRenderer.
func (r *stripTabRenderer) Layout(size fyne.Size) {
	h, _ := r.head()
	place := func(o fyne.CanvasObject, x, width, height float32) {
		o.Move(fyne.NewPos(x, (size.Height-height)/2))
		o.Resize(fyne.NewSize(width, height))
	}
	place(r.ground, 0, size.Width, size.Height)
	r.line.Move(fyne.NewPos(0, 0))
	r.line.Resize(fyne.NewSize(size.Width, 2))
	place(r.edge, size.Width-1, 1, size.Height)
	from := float32(tabEdge)
	if h.State != HeadIdle {
		place(r.mark, from, markSize, markSize)
		from += markSize + 6
	}
	room := size.Width - from - crossRoom
	r.title.Text = titleStyle().cut(h.Title, room)
	place(r.title, from, room, r.title.MinSize().Height)
	place(r.cross, size.Width-crossRoom+(crossRoom-crossSize)/2, crossSize, crossSize)
	place(r.edited, size.Width-crossRoom+(crossRoom-markSize)/2, markSize, markSize)
}

// MinSize implements fyne.WidgetRenderer.
func (r *stripTabRenderer) MinSize() fyne.Size { return fyne.NewSize(leastTab, stripHeight) }

// Objects implements fyne.WidgetRenderer.
func (r *stripTabRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.line, r.edge, r.mark, r.title, r.cross, r.edited}
}

// Destroy implements fyne.WidgetRenderer.
func (r *stripTabRenderer) Destroy() {}
