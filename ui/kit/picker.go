package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Choice is one line of a [Picker].
type Choice struct {
	Title string
	// Detail follows the title, dim; Trailing stands at the right end, such as a
	// shortcut.
	Detail, Trailing string
	Icon             fyne.Resource // nil leaves its place empty
	// Disabled choices are shown, dim, and cannot be picked.
	Disabled bool
	// Pick is called after the picker is closed.
	Pick func()
}

// Picker finds one thing among many by typing: a field above a list, over the window.
// Arrows move, Enter picks, Escape closes. Its zero value, with Search, is ready for
// Show.
type Picker struct {
	Placeholder string
	// Search returns what matches what was typed, best first.
	Search func(query string) []Choice
	// Empty is said when nothing matches.
	Empty string
	// Closed is called when the picker is gone, before anything that was picked; nil
	// calls nobody.
	Closed func()

	popup   *widget.PopUp
	entry   *pickerEntry
	list    *widget.List
	empty   *Text
	choices []Choice
	current int
}

const pickerWidth, pickerHeight = 420, 360

// ShowAt opens the picker with its corner at a place of the canvas.
func (p *Picker) ShowAt(on fyne.Canvas, at fyne.Position) {
	p.build(on)
	room := on.Size()
	at.X = max(min(at.X, room.Width-pickerWidth-8), 0)
	at.Y = max(min(at.Y, room.Height-pickerHeight-8), 0)
	p.popup.Resize(fyne.NewSize(pickerWidth, pickerHeight))
	p.popup.ShowAtPosition(at)
	on.Focus(p.entry)
}

// Show opens the picker in the upper middle of the canvas.
func (p *Picker) Show(on fyne.Canvas) {
	p.ShowAt(on, fyne.NewPos((on.Size().Width-pickerWidth)/2, 56))
}

func (p *Picker) build(on fyne.Canvas) {
	p.entry = newPickerEntry(p)
	p.entry.SetPlaceHolder(p.Placeholder)
	p.entry.OnChanged = func(string) { p.search() }
	p.list = widget.NewList(
		func() int { return len(p.choices) },
		func() fyne.CanvasObject { return newPickerRow() },
		func(i widget.ListItemID, o fyne.CanvasObject) { o.(*pickerRow).set(p.choices[i]) },
	)
	p.list.OnSelected = func(i widget.ListItemID) {
		if i != p.current {
			p.current = i
			p.pick()
		}
	}
	p.list.HideSeparators = true
	p.empty = NewText(p.Empty, Style{Ink: Dim, Align: fyne.TextAlignCenter, Cut: true})
	p.popup = widget.NewPopUp(Pad(4, 4, container.NewBorder(p.entry, nil, nil, nil, container.NewStack(p.list, p.empty))), on)
	p.search()
}

func (p *Picker) search() {
	p.choices = p.Search(p.entry.Text)
	p.empty.Hidden = len(p.choices) > 0
	p.list.UnselectAll()
	p.list.Refresh()
	p.current = -1
	p.move(1)
}

// move goes to the next choice that can be picked.
func (p *Picker) move(step int) {
	for i := p.current + step; i >= 0 && i < len(p.choices); i += step {
		if !p.choices[i].Disabled {
			p.current = i
			p.list.Select(i)
			p.list.ScrollTo(i)
			return
		}
	}
}

func (p *Picker) pick() {
	if p.current < 0 || p.current >= len(p.choices) || p.choices[p.current].Disabled {
		return
	}
	chosen := p.choices[p.current]
	p.Close()
	if chosen.Pick != nil {
		chosen.Pick()
	}
}

// Close closes the picker.
func (p *Picker) Close() {
	if p.popup == nil {
		return
	}
	p.popup.Hide()
	p.popup = nil
	if p.Closed != nil {
		p.Closed()
	}
}

// pickerEntry is the field of a picker.
type pickerEntry struct {
	widget.Entry

	picker *Picker
}

func newPickerEntry(p *Picker) *pickerEntry {
	e := &pickerEntry{picker: p}
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey moves through the list.
func (e *pickerEntry) TypedKey(key *fyne.KeyEvent) {
	switch key.Name {
	case fyne.KeyDown:
		e.picker.move(1)
	case fyne.KeyUp:
		e.picker.move(-1)
	case fyne.KeyReturn, fyne.KeyEnter:
		e.picker.pick()
	case fyne.KeyEscape:
		e.picker.Close()
	default:
		e.Entry.TypedKey(key)
	}
}

// pickerRow shows a choice.
type pickerRow struct {
	widget.BaseWidget

	icon                    *widget.Icon
	title, detail, trailing *Text
}

func newPickerRow() *pickerRow {
	r := &pickerRow{
		icon:     widget.NewIcon(nil),
		title:    NewText("", Style{}),
		detail:   NewText("", Style{Size: Secondary, Ink: Dim, Cut: true}),
		trailing: NewText("", Style{Size: Caption, Ink: Dim, Mono: true}),
	}
	r.ExtendBaseWidget(r)
	return r
}

func (r *pickerRow) set(c Choice) {
	style := Style{}
	if c.Disabled {
		style.Ink = Dim
	}
	r.title.SetStyle(style)
	r.title.SetText(c.Title)
	r.detail.SetText(c.Detail)
	r.trailing.SetText(c.Trailing)
	r.icon.SetResource(c.Icon)
	r.Refresh()
}

// CreateRenderer is for Fyne.
func (r *pickerRow) CreateRenderer() fyne.WidgetRenderer {
	left := Row(8, r.icon, r.title)
	return widget.NewSimpleRenderer(Pad(2, 4, container.NewBorder(nil, nil, left, r.trailing, Pad(0, 8, r.detail))))
}
