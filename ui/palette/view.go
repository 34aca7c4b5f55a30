package palette

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/colors"
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
		v.dot.SetInk(colors.Exact(r.spec.Card.Color))
		v.label.Set(r.spec.Label, r.matched, kit.Style{})
		v.more.SetText(r.detail)
	}
	v.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (v *rowView) CreateRenderer() fyne.WidgetRenderer {
	return kit.RowRenderer(v, kit.RowHeight, v.place, v.dot, v.label, v.heading, v.more)
}

// place aligns headings with the lower end of their rows, near the types below.
func (v *rowView) place(size fyne.Size) {
	const left, dot, gap, least = 14, 20, 8, 40
	high := v.heading.MinSize().Height
	v.heading.Move(fyne.NewPos(left, size.Height-high-4))
	v.heading.Resize(fyne.NewSize(size.Width-2*left, high))
	kit.Put(v.dot, left, dot, size.Height)
	x, end := float32(left+dot+4), size.Width-left
	need := v.label.MinSize().Width
	kit.Put(v.label, x, min(need, end-x), size.Height)
	x += need + gap
	v.more.Hidden = v.label.Hidden || end-x < least
	kit.Put(v.more, x, end-x, size.Height)
}
