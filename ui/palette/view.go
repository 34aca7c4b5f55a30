package palette

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// rowView shows a row.
type rowView struct {
	widget.BaseWidget

	dot           *kit.Dot
	label         *kit.Match
	heading, more *kit.Text
}

func newRowView() *rowView {
	v := &rowView{
		dot:     kit.NewDot(nil, 12),
		label:   kit.NewMatch(kit.Style{}),
		heading: kit.NewText("", kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim, Cut: true}),
		more:    kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}),
	}
	v.ExtendBaseWidget(v)
	return v
}

func (v *rowView) set(r row) {
	head := r.spec == nil
	v.heading.Hidden, v.dot.Hidden, v.label.Hidden, v.more.Hidden = !head, head, head, head
	v.heading.SetText(r.heading)
	if !head {
		v.dot.SetInk(kit.Exact(r.spec.Card.Color))
		v.label.Set(r.spec.Label, r.matched, kit.Style{})
		v.more.SetText(r.detail)
	}
	v.Refresh()
}

// CreateRenderer is for Fyne.
func (v *rowView) CreateRenderer() fyne.WidgetRenderer { return &rowRenderer{v} }

type rowRenderer struct{ v *rowView }

// Layout puts headings at the lower end of their rows, near what they head.
func (r *rowRenderer) Layout(size fyne.Size) {
	const left, dot, gap, least = 14, 20, 8, 40
	v := r.v
	high := v.heading.MinSize().Height
	v.heading.Move(fyne.NewPos(left, size.Height-high-4))
	v.heading.Resize(fyne.NewSize(size.Width-2*left, high))
	v.dot.Move(fyne.NewPos(left, (size.Height-dot)/2))
	v.dot.Resize(fyne.NewSquareSize(dot))
	x, end := float32(left+dot+4), size.Width-left
	need := v.label.MinSize()
	v.label.Move(fyne.NewPos(x, (size.Height-need.Height)/2))
	v.label.Resize(fyne.NewSize(min(need.Width, end-x), need.Height))
	x += need.Width + gap
	room := max(end-x, 0)
	if room < least {
		room = 0
	}
	high = v.more.MinSize().Height
	v.more.Move(fyne.NewPos(x, (size.Height-high)/2))
	v.more.Resize(fyne.NewSize(room, high))
	v.more.Hidden = room == 0 || v.label.Hidden
}

func (r *rowRenderer) Refresh() {
	r.Layout(r.v.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
	canvas.Refresh(r.v)
}

func (r *rowRenderer) MinSize() fyne.Size { return fyne.NewSize(0, typeHeight) }
func (r *rowRenderer) Destroy()           {}

func (r *rowRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.v.dot, r.v.label, r.v.heading, r.v.more}
}
