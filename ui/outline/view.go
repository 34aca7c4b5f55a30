package outline

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// rowView shows a row of an outline.
type rowView struct {
	widget.BaseWidget

	dot                          *kit.Dot
	label, heading, detail, mark *kit.Text
}

func newRowView() *rowView {
	v := &rowView{
		dot:     kit.NewDot(nil, 10),
		label:   kit.NewText("", kit.Style{Cut: true}),
		heading: kit.NewText("", kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim, Cut: true}),
		detail:  kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Mono: true, Cut: true}),
		mark:    kit.NewText("", kit.Style{}),
	}
	v.ExtendBaseWidget(v)
	return v
}

func (v *rowView) set(r *row) {
	head := r.kind == heading
	v.heading.Hidden = !head
	for _, hidden := range []*bool{&v.dot.Hidden, &v.label.Hidden, &v.detail.Hidden, &v.mark.Hidden} {
		*hidden = head
	}
	v.heading.SetText(r.label)
	v.label.SetText(r.label)
	v.detail.SetStyle(kit.Style{Size: kit.Caption, Ink: kit.Dim, Mono: r.code, Cut: true})
	v.detail.SetText(r.detail)
	v.mark.SetStyle(kit.Style{Size: kit.Caption, Ink: r.ink})
	v.mark.SetText(r.mark)
	v.dot.SetInk(r.dot)
	v.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (v *rowView) CreateRenderer() fyne.WidgetRenderer {
	return kit.RowRenderer(v, kit.RowHeight, v.place, v.dot, v.label, v.heading, v.detail, v.mark)
}

// place gives the mark and then the label the width they need, and the detail the rest.
func (v *rowView) place(size fyne.Size) {
	const left, dot, gap, least = 14, 20, 8, 56
	high := v.heading.MinSize().Height
	v.heading.Move(fyne.NewPos(left, size.Height-high-4))
	v.heading.Resize(fyne.NewSize(size.Width-2*left, high))
	kit.Put(v.dot, left, dot, size.Height)
	x, end := float32(left+dot+4), size.Width-left
	if v.mark.Text() != "" {
		width := v.mark.MinSize().Width
		kit.Put(v.mark, end-width, width, size.Height)
		end -= width + gap
	}
	need := fyne.MeasureText(v.label.Text(), kit.Body, fyne.TextStyle{}).Width + 1
	kit.Put(v.label, x, min(need, end-x), size.Height)
	x += need + gap
	v.detail.Hidden = v.label.Hidden || end-x < least
	kit.Put(v.detail, x, max(end-x, 0), size.Height)
}
