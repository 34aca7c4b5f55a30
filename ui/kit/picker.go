package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Choice is one line of a [Picker].
type Choice struct {
	Title string
	// Matched are the byte indexes of the matched letters in Title, which are bold.
	Matched []int
	// Detail follows the title, dimmed; Trailing is at the right end, such as a shortcut.
	Detail, Trailing string
	// Icon is before the title, on a circle in the colour Dot if that is set. Dot without
	// Icon is a small circle. Without both the column stays empty.
	Icon fyne.Resource
	Dot  ColorFunc
	// Disabled choices are dimmed and cannot be picked.
	Disabled bool
	// Pick is called after the picker has closed.
	Pick func()
}

// Picker finds one thing among many by typing: a field above a list, over the window. Arrows,
// Tab, Page Up and Page Down move, Enter or a click picks, Escape or a click outside closes.
// The zero value with Search set is ready for Show.
type Picker struct {
	Placeholder string
	// Search returns the choices that match a query, best first.
	Search func(query string) []Choice
	// Empty is shown when nothing matches.
	Empty string
	// Closed is called when the picker has closed, before the picked choice runs; it may be
	// nil. Fyne itself restores the focus.
	Closed func()

	layer   *pickerLayer // nil while it is closed
	entry   *Search
	list    *List
	choices []Choice
	marked  bool // some choice has an icon
}

const pickerWidth, commandsWidth, pickerHeight = 400, 520, 380

// ShowAt opens the picker with its corner at a point of the canvas, or as near as it fits. If
// it is open already, it moves there.
func (p *Picker) ShowAt(on fyne.Canvas, at fyne.Position) { p.show(on, at, pickerWidth) }

// Show opens the picker near the top of the canvas.
func (p *Picker) Show(on fyne.Canvas) {
	p.show(on, fyne.NewPos((on.Size().Width-commandsWidth)/2, 56), commandsWidth)
}

func (p *Picker) show(on fyne.Canvas, at fyne.Position, width float32) {
	if p.layer == nil {
		p.build(on)
	}
	p.layer.at, p.layer.width = at, width
	p.layer.Resize(on.Size())
	p.layer.Refresh()
	on.Focus(p.entry)
}

func (p *Picker) build(on fyne.Canvas) {
	p.list = NewList(Rows{
		Len:      func() int { return len(p.choices) },
		Make:     func() fyne.CanvasObject { return newPickerRow() },
		Fill:     func(i int, row fyne.CanvasObject) { row.(*pickerRow).set(p.choices[i], p.marked) },
		Height:   func(int, float32) float32 { return pickerRowHeight },
		Inert:    func(i int) bool { return p.choices[i].Disabled },
		Chosen:   p.pick,
		OneClick: true,
	})
	p.list.passive = true
	p.entry = NewSearch(p.Placeholder, p.list, func(string) { p.search() })
	p.entry.holdTab = true
	p.entry.Escaped = p.Close
	p.layer = newPickerLayer(p, on)
	p.search()
	on.Overlays().Add(p.layer)
}

// search shows the matches; the best one is current.
func (p *Picker) search() {
	p.choices = p.Search(p.entry.Text)
	p.marked = false
	for i := range p.choices {
		p.marked = p.marked || p.choices[i].Icon != nil || p.choices[i].Dot != nil
	}
	p.list.current = -1
	p.list.Update()
	p.list.scroll.ScrollToTop()
	p.list.SetCurrent(p.list.next(0, 1))
	p.layer.Refresh()
}

func (p *Picker) pick(i int) {
	if p.layer == nil { // the second press of a double click
		return
	}
	chosen := p.choices[i]
	p.Close()
	if chosen.Pick != nil {
		chosen.Pick()
	}
}

// Close closes the picker.
func (p *Picker) Close() {
	if p.layer == nil {
		return
	}
	layer := p.layer
	p.layer = nil
	layer.on.Overlays().Remove(layer)
	if p.Closed != nil {
		p.Closed()
	}
}

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

// CreateRenderer implements fyne.Widget.
func (r *pickerRow) CreateRenderer() fyne.WidgetRenderer {
	return RowRenderer(r, pickerRowHeight, r.place, r.dot, r.icon, r.title, r.detail, r.trailing)
}

// place gives the title the width it needs, and the detail the rest.
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
