package kit

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Strip is a row of tabs for open documents, one of which is shown. They can be closed and
// reordered; if they do not fit, they become narrower, then the wheel scrolls them. The zero
// value is not usable; see [NewStrip].
type Strip struct {
	// OnSelect and OnClose are called with the index of a tab, OnMove when one was dragged
	// from an index to another. The owner then calls [Strip.Update].
	OnSelect, OnClose func(i int)
	OnMove            func(from, to int)
	// OnOut is called when a tab was dragged out of the row, OnOver with the index of the tab
	// after the pointer while it is in the row, and OnMenu when the secondary button was
	// pressed on a tab, with the position in the window. They may be nil.
	OnOut  func(i int)
	OnOver func(before int)
	OnMenu func(i int, at fyne.Position)

	heads  []Head
	shown  int
	tabs   []*stripTab
	row    *fyne.Container
	clip   *container.Clip
	add    *IconButton
	ground *stripGround
	whole  *fyne.Container

	offset  float32 // how far the row is scrolled
	dragged int     // the index of the tab that is dragged; -1 for none
	out     bool    // it is dragged out of the row
}

// Head is the contents of a tab.
type Head struct {
	Title  string
	Tip    string // the origin of the document
	Edited bool   // it has unsaved changes
	State  HeadState
}

// HeadState is the state of a document's run.
type HeadState uint8

// The states. The outcome of a run is shown until the user has seen the tab.
const (
	HeadIdle HeadState = iota
	HeadRuns
	HeadWaits
	HeadDone
	HeadFailed
)

// The sizes of a strip, in dp.
const (
	stripHeight = 28
	widestTab   = 200
	leastTab    = 92
)

// NewStrip returns a hidden row without tabs. tip is the tooltip of the button behind the
// tabs; press is its action.
func NewStrip(tip string, press func()) *Strip {
	s := &Strip{shown: -1, dragged: -1, add: NewIconButton(fynetheme.ContentAddIcon(), tip, press)}
	s.ground = newStripGround(s)
	s.row = container.New(&stripRow{s})
	s.clip = container.NewClip(s.row)
	s.whole = container.New(&stripLayout{s}, s.ground, s.clip, s.add)
	s.whole.Hide()
	return s
}

// Object returns the strip's canvas object.
func (s *Strip) Object() fyne.CanvasObject { return s.whole }

// Update shows the present tabs. It costs nothing if they are unchanged.
func (s *Strip) Update(heads []Head, shown int) {
	if s.shown == shown && slices.Equal(s.heads, heads) {
		return
	}
	moved := s.shown != shown || len(heads) != len(s.heads)
	s.heads, s.shown = slices.Clone(heads), shown
	for len(s.tabs) < len(heads) {
		s.tabs = append(s.tabs, newStripTab(s, len(s.tabs)))
	}
	s.tabs = s.tabs[:len(heads)]
	s.row.Objects = s.row.Objects[:0]
	for _, t := range s.tabs {
		t.SetTip(s.heads[t.at].Tip)
		s.row.Objects = append(s.row.Objects, t)
	}
	if (len(heads) > 0) != s.whole.Visible() {
		setVisible(s.whole, len(heads) > 0)
	}
	if moved {
		s.reveal()
	}
	s.whole.Refresh()
	for _, t := range s.tabs {
		t.Refresh()
	}
}

// widths returns the widths of the tabs for the available room.
func (s *Strip) widths(room float32) []float32 {
	all := make([]float32, len(s.heads))
	sum := float32(0)
	for i := range s.heads {
		all[i] = min(max(titleRoom+titleStyle().width(s.heads[i].Title), leastTab), widestTab)
		sum += all[i]
	}
	for most := float32(widestTab); sum > room && most > leastTab; most-- {
		sum = 0
		for i := range all {
			all[i] = min(all[i], most)
			sum += all[i]
		}
	}
	return all
}

// reveal scrolls the selected tab into view.
func (s *Strip) reveal() {
	from := float32(0)
	room := s.whole.Size().Width - iconButtonSize
	for i, width := range s.widths(room) {
		if i == s.shown {
			s.offset = min(max(s.offset, from+width-room), from)
		}
		from += width
	}
}

// scroll moves the row.
func (s *Strip) scroll(by float32) {
	s.offset -= by
	s.whole.Refresh()
}

// drag moves the dragged tab to the pointer's position in the row.
func (s *Strip) drag(x float32) {
	to := s.dragged
	for i, t := range s.tabs {
		middle := t.Position().X + t.Size().Width/2
		if i < to && x < middle || i > to && x > middle {
			to = i
			if i < s.dragged {
				break
			}
		}
	}
	if to != s.dragged && s.OnMove != nil {
		from := s.dragged
		s.dragged = to
		s.OnMove(from, to)
	}
}

// leave shows whether the dragged tab is outside of the row.
func (s *Strip) leave(out bool) {
	if out = out && s.OnOut != nil; s.out != out && s.dragged < len(s.tabs) {
		s.out = out
		s.tabs[s.dragged].Refresh()
	}
}

// drop ends the drag of a tab.
func (s *Strip) drop() {
	at, out := s.dragged, s.out
	if at < 0 {
		return
	}
	s.leave(false)
	s.dragged = -1
	if out {
		s.OnOut(at)
	}
}

// stripLayout lays out the row and the button behind it.
type stripLayout struct{ s *Strip }

// Layout implements fyne.Layout.
func (l *stripLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	room := max(size.Width-iconButtonSize, 0)
	sum := float32(0)
	for _, width := range l.s.widths(room) {
		sum += width
	}
	l.s.offset = max(min(l.s.offset, sum-room), 0)
	sum = min(sum, room)
	l.s.ground.fill.FillColor = theme.Current().Panel
	l.s.ground.Resize(size)
	l.s.clip.Resize(fyne.NewSize(sum, size.Height))
	Put(l.s.add, sum, iconButtonSize, size.Height)
	l.s.row.Layout.Layout(l.s.row.Objects, fyne.NewSize(room, size.Height))
}

// MinSize implements fyne.Layout.
func (l *stripLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(leastTab+iconButtonSize, stripHeight)
}

// stripRow lays out the tabs side by side.
type stripRow struct{ s *Strip }

// Layout implements fyne.Layout.
func (l *stripRow) Layout(o []fyne.CanvasObject, size fyne.Size) {
	at := -l.s.offset
	for i, width := range l.s.widths(max(l.s.whole.Size().Width-iconButtonSize, 0)) {
		o[i].Move(fyne.NewPos(at, 0))
		o[i].Resize(fyne.NewSize(width, size.Height))
		at += width
	}
}

// MinSize implements fyne.Layout.
func (*stripRow) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(0, stripHeight) }

// stripGround is the part of a [Strip] without tabs.
type stripGround struct {
	widget.BaseWidget

	strip *Strip
	fill  *canvas.Rectangle
}

var _ desktop.Hoverable = (*stripGround)(nil)

func newStripGround(s *Strip) *stripGround {
	g := &stripGround{strip: s, fill: canvas.NewRectangle(theme.Current().Panel)}
	g.ExtendBaseWidget(g)
	return g
}

// MouseIn reports that the pointer is behind the last tab.
func (g *stripGround) MouseIn(*desktop.MouseEvent) { tellPlace(g.strip.OnOver, len(g.strip.heads)) }

// MouseMoved reports that the pointer is still there.
func (g *stripGround) MouseMoved(e *desktop.MouseEvent) { g.MouseIn(e) }

// MouseOut implements desktop.Hoverable.
func (*stripGround) MouseOut() {}

// CreateRenderer implements fyne.Widget.
func (g *stripGround) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(g.fill) }
