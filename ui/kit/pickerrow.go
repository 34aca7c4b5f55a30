package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// pickerRow shows a choice.
type pickerRow struct {
	widget.BaseWidget

	dot              *Dot
	icon             *widget.Icon
	title            *Match
	detail, trailing *Text
	marked           bool // leave room for an icon
}

const pickerRowHeight = 28

func newPickerRow() *pickerRow {
	r := &pickerRow{
		dot:      NewDot(nil, 12),
		icon:     widget.NewIcon(nil),
		title:    NewMatch(Style{}),
		detail:   NewText("", Style{Size: Secondary, Ink: Dim, Cut: true}),
		trailing: NewText("", Style{Size: Caption, Ink: Dim}),
	}
	r.ExtendBaseWidget(r)
	return r
}

func (r *pickerRow) set(c Choice, marked bool) {
	style := Style{}
	if c.Disabled {
		style.Ink = Dim
	}
	r.marked = marked
	r.title.Set(c.Title, c.Matched, style)
	r.detail.SetText(c.Detail)
	r.trailing.SetText(c.Trailing)
	r.dot.Hidden, r.icon.Hidden = c.Dot == nil, c.Icon == nil
	r.dot.size = 12
	if c.Icon != nil {
		r.dot.size = 20
	}
	r.dot.SetInk(c.Dot)
	r.icon.SetResource(c.Icon)
	r.Refresh()
}

// CreateRenderer is for Fyne.
func (r *pickerRow) CreateRenderer() fyne.WidgetRenderer {
	return RowRenderer(r, pickerRowHeight, r.place, r.dot, r.icon, r.title, r.detail, r.trailing)
}

// place gives the title what it needs, and the detail what is left.
func (r *pickerRow) place(size fyne.Size) {
	const left, mark, gap, least = 14, 20, 8, 48
	x, end := float32(left), size.Width-left
	if r.marked {
		icon := float32(16)
		if !r.dot.Hidden {
			icon = 12 // on its circle
		}
		Put(r.dot, x, mark, size.Height)
		r.icon.Resize(fyne.NewSquareSize(icon))
		r.icon.Move(fyne.NewPos(x+(mark-icon)/2, (size.Height-icon)/2))
		x += mark + gap
	}
	if r.trailing.Text() != "" {
		width := min(r.trailing.MinSize().Width, (end-x)/2)
		Put(r.trailing, end-width, width, size.Height)
		end -= width + gap
	}
	width := min(r.title.MinSize().Width, end-x)
	Put(r.title, x, width, size.Height)
	x += width + gap
	r.detail.Hidden = end-x < least
	Put(r.detail, x, max(end-x, 0), size.Height)
}
