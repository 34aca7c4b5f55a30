package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// dropDown covers the window while the list of a [Select] is open.
type dropDown struct {
	widget.BaseWidget

	on   fyne.Canvas
	of   *Select
	list *List
}

var (
	_ fyne.Tappable          = (*dropDown)(nil)
	_ fyne.SecondaryTappable = (*dropDown)(nil)
	_ fyne.Tabbable          = (*dropDown)(nil)
	_ fyne.Shortcutable      = (*dropDown)(nil)
)

const dropDownRow, dropDownPad = 32, 4

func newDropDown(on fyne.Canvas, of *Select) *dropDown {
	d := &dropDown{on: on, of: of}
	d.list = NewList(Rows{
		Len:      func() int { return len(of.Options) },
		Make:     func() fyne.CanvasObject { return Pad(0, 12, NewText("", Style{Cut: true})) },
		Fill:     func(i int, row fyne.CanvasObject) { row.(*fyne.Container).Objects[0].(*Text).SetText(of.Options[i]) },
		Height:   func(int, float32) float32 { return dropDownRow },
		Chosen:   of.choose,
		OneClick: true,
	})
	d.list.passive = true
	d.list.SetCurrent(max(of.SelectedIndex(), 0))
	d.ExtendBaseWidget(d)
	return d
}

// Tapped closes the list without a choice.
func (d *dropDown) Tapped(*fyne.PointEvent) { d.of.close() }

// TappedSecondary does the same.
func (d *dropDown) TappedSecondary(*fyne.PointEvent) { d.of.close() }

// FocusGained implements fyne.Focusable.
func (d *dropDown) FocusGained() { d.list.setActive(true) }

// FocusLost implements fyne.Focusable.
func (d *dropDown) FocusLost() { d.list.setActive(false) }

// AcceptsTab implements fyne.Tabbable: Tab leaves the field instead of moving within the
// list.
func (d *dropDown) AcceptsTab() bool { return true }

// TypedRune implements fyne.Focusable.
func (d *dropDown) TypedRune(rune) {}

// TypedKey moves the highlight, accepts it, or closes the list without a choice.
func (d *dropDown) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyEscape:
		d.of.close()
	case fyne.KeyTab:
		d.of.close()
		d.on.FocusNext()
	default:
		d.list.TypedKey(e)
	}
}

// LetPass closes the list because a shortcut of the window was pressed.
func (d *dropDown) LetPass() { d.of.close() }

// TypedShortcut closes the list without a choice and passes the shortcut on.
func (d *dropDown) TypedShortcut(s fyne.Shortcut) {
	d.LetPass()
	if window, ok := d.on.(fyne.Shortcutable); ok {
		window.TypedShortcut(s)
	}
}

// CreateRenderer implements fyne.Widget.
func (d *dropDown) CreateRenderer() fyne.WidgetRenderer {
	r := &dropDownRenderer{d: d, panel: newFill(panelInk)}
	r.panel.line, r.panel.radius = true, 8
	return r
}

type dropDownRenderer struct {
	d     *dropDown
	panel *fill
}

// Layout places the list below its field, or above it if there is no room below.
func (r *dropDownRenderer) Layout(room fyne.Size) {
	field := fyne.CurrentApp().Driver().AbsolutePositionForObject(r.d.of)
	below := room.Height - field.Y - r.d.of.Size().Height
	height := min(r.d.list.Height()+2*dropDownPad, max(below, field.Y)-2*dropDownPad)
	at := field.AddXY(0, r.d.of.Size().Height)
	if height > below {
		at.Y = field.Y - height
	}
	size := fyne.NewSize(r.d.of.Size().Width, height)
	r.panel.Move(at)
	r.panel.Resize(size)
	r.d.list.Move(at.AddXY(dropDownPad, dropDownPad))
	r.d.list.Resize(size.SubtractWidthHeight(2*dropDownPad, 2*dropDownPad))
}

func (r *dropDownRenderer) Refresh() {
	r.Layout(r.d.Size())
	r.panel.Refresh()
	r.d.list.Refresh()
}

func (r *dropDownRenderer) MinSize() fyne.Size { return fyne.NewSize(0, 0) }
func (r *dropDownRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.panel, r.d.list}
}
func (r *dropDownRenderer) Destroy() {}
