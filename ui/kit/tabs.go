package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Tab is one page of [Tabs].
type Tab struct {
	Title   string
	Content fyne.CanvasObject
}

// Tabs shows one of several pages below a row of their titles, in which the chosen one is
// underlined. The zero value is not usable; see [NewTabs].
type Tabs struct {
	// OnSelect is called with the index of the page that is shown now. It may be nil.
	OnSelect func(int)

	heads   []*tabHead
	pages   []fyne.CanvasObject
	whole   *fyne.Container
	current int
}

// NewTabs returns pages; the first is shown. trailing, which may be nil, is at the right end
// of the row of titles.
func NewTabs(trailing fyne.CanvasObject, tabs ...Tab) *Tabs {
	t := &Tabs{}
	row, stack := container.NewHBox(), container.NewStack()
	for i, tab := range tabs {
		head := newTabHead(tab.Title, func() { t.Select(i) })
		t.heads, t.pages = append(t.heads, head), append(t.pages, tab.Content)
		row.Add(head)
		stack.Add(tab.Content)
	}
	top := fyne.CanvasObject(row)
	if trailing != nil {
		top = Ends(row, trailing)
	}
	t.whole = container.NewBorder(container.NewVBox(top, widget.NewSeparator()), nil, nil, nil, stack)
	t.show()
	return t
}

// Object returns the canvas object of the tabs.
func (t *Tabs) Object() fyne.CanvasObject { return t.whole }

// Selected returns the index of the page that is shown.
func (t *Tabs) Selected() int { return t.current }

// Select shows a page. An index out of range is ignored.
func (t *Tabs) Select(i int) {
	if t.current == i || i < 0 || i >= len(t.pages) {
		return
	}
	t.current = i
	t.show()
	if t.OnSelect != nil {
		t.OnSelect(i)
	}
}

// SetTitle changes the title of a tab, as for a count.
func (t *Tabs) SetTitle(i int, title string) {
	if t.heads[i].title != title {
		t.heads[i].title = title
		t.heads[i].Refresh()
	}
}

func (t *Tabs) show() {
	for i, page := range t.pages {
		t.heads[i].chosen = i == t.current
		t.heads[i].Refresh()
		if i == t.current {
			page.Show()
		} else {
			page.Hide()
		}
	}
}

// tabHead is the title of a tab.
type tabHead struct {
	Pressable

	title  string
	chosen bool
}

func newTabHead(title string, choose func()) *tabHead {
	h := &tabHead{title: title}
	h.Extend(h, choose)
	return h
}

// CreateRenderer implements fyne.Widget.
func (h *tabHead) CreateRenderer() fyne.WidgetRenderer {
	r := &tabRenderer{h: h, label: canvas.NewText("", color.Transparent), line: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type tabRenderer struct {
	h     *tabHead
	label *canvas.Text
	line  *canvas.Rectangle
}

const tabHeight, tabPad = 34, 10

func (r *tabRenderer) Refresh() {
	p := theme.Current()
	r.label.Text, r.label.TextSize = r.h.title, Body
	r.label.TextStyle.Bold = r.h.chosen
	r.label.Color = p.Legible(p.Dim)
	if r.h.chosen || r.h.Lit() || r.h.Focused() {
		r.label.Color = p.Text
	}
	r.line.FillColor = color.Transparent
	if r.h.chosen {
		r.line.FillColor = p.Accent
	}
	r.label.Refresh()
	r.line.Refresh()
}

func (r *tabRenderer) Layout(size fyne.Size) {
	r.label.Resize(r.label.MinSize())
	r.label.Move(fyne.NewPos(tabPad, (size.Height-r.label.MinSize().Height)/2))
	r.line.Move(fyne.NewPos(tabPad, size.Height-2))
	r.line.Resize(fyne.NewSize(size.Width-2*tabPad, 2))
}

// MinSize has room for the title in bold, so that selecting a tab moves nothing.
func (r *tabRenderer) MinSize() fyne.Size {
	bold := fyne.MeasureText(r.h.title, Body, fyne.TextStyle{Bold: true})
	return fyne.NewSize(bold.Width+2*tabPad, tabHeight)
}

func (r *tabRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.label, r.line} }
func (r *tabRenderer) Destroy()                     {}
