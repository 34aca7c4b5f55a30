package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// pickerLayer covers the window: it shows the picker, and takes clicks outside of it.
type pickerLayer struct {
	widget.BaseWidget

	p     *Picker
	on    fyne.Canvas
	at    fyne.Position // the requested position of the panel
	width float32
}

var (
	_ fyne.Tappable          = (*pickerLayer)(nil)
	_ fyne.SecondaryTappable = (*pickerLayer)(nil)
	_ fyne.Focusable         = (*pickerLayer)(nil)
)

func newPickerLayer(p *Picker, on fyne.Canvas) *pickerLayer {
	l := &pickerLayer{p: p, on: on}
	l.ExtendBaseWidget(l)
	return l
}

// Tapped closes the picker on a click outside.
func (l *pickerLayer) Tapped(e *fyne.PointEvent) {
	at, size := l.panel()
	if inside := e.Position.Subtract(at); inside.X < 0 || inside.Y < 0 || inside.X > size.Width || inside.Y > size.Height {
		l.p.Close()
		return
	}
	l.on.Focus(l.p.entry)
}

// TappedSecondary does the same for the other button.
func (l *pickerLayer) TappedSecondary(e *fyne.PointEvent) { l.Tapped(e) }

// The layer is focusable, else Fyne would take the focus from the field: after the press or
// release that has opened the picker, and after clicks on objects that take no keys. It
// passes its keys to the field.

// FocusGained implements fyne.Focusable.
func (l *pickerLayer) FocusGained() {}

// FocusLost implements fyne.Focusable.
func (l *pickerLayer) FocusLost() {}

// TypedRune passes letters to the field.
func (l *pickerLayer) TypedRune(r rune) { l.p.entry.TypedRune(r) }

// TypedKey passes keys to the field.
func (l *pickerLayer) TypedKey(e *fyne.KeyEvent) { l.p.entry.TypedKey(e) }

// panel returns the bounds of the panel: as high as its rows, up to a limit.
func (l *pickerLayer) panel() (at fyne.Position, size fyne.Size) {
	room := l.Size()
	height := l.head() + pickerPad
	if rows := l.p.list.Height(); rows > 0 {
		height += rows
	} else if l.p.Empty != "" {
		height += 2 * pickerRowHeight
	}
	size.Width = min(l.width, room.Width-2*pickerPad)
	size.Height = min(height, pickerHeight, room.Height-2*pickerPad)
	// The position does not depend on the matches: the field must not move.
	at.X = max(min(l.at.X, room.Width-size.Width-pickerPad), pickerPad)
	at.Y = max(min(l.at.Y, room.Height-pickerHeight-pickerPad), pickerPad)
	return at, size
}

// head returns the height of the field and the padding above it.
func (l *pickerLayer) head() float32 { return pickerPad + l.p.entry.MinSize().Height }

// CreateRenderer implements fyne.Widget.
func (l *pickerLayer) CreateRenderer() fyne.WidgetRenderer {
	r := &pickerRenderer{
		l:     l,
		panel: newFill(panelInk),
		empty: NewText(l.p.Empty, Style{Ink: Dim, Align: fyne.TextAlignCenter, Cut: true}),
	}
	r.panel.line, r.panel.radius = true, 10
	for range pickerShadow {
		r.shadow = append(r.shadow, canvas.NewRectangle(color.Transparent))
	}
	return r
}

type pickerRenderer struct {
	l      *pickerLayer
	shadow []*canvas.Rectangle
	panel  *fill
	empty  *Text
}

const pickerPad, pickerShadow = 8, 6

func (r *pickerRenderer) Layout(fyne.Size) {
	at, size := r.l.panel()
	for i, s := range r.shadow {
		grow := float32(2 * (i + 1))
		s.Move(at.SubtractXY(grow, grow-pickerShadow))
		s.Resize(size.AddWidthHeight(2*grow, 2*grow))
		s.CornerRadius = 10 + grow
	}
	r.panel.Move(at)
	r.panel.Resize(size)
	head, entry := r.l.head(), r.l.p.entry
	entry.Move(at.AddXY(pickerPad, pickerPad))
	entry.Resize(fyne.NewSize(size.Width-2*pickerPad, head-pickerPad))
	below := at.AddXY(0, head+pickerPad/2)
	rest := max(size.Height-head-pickerPad, 0)
	r.l.p.list.Move(below)
	r.l.p.list.Resize(fyne.NewSize(size.Width, rest))
	r.empty.Move(below.AddXY(pickerPad, (rest-r.empty.MinSize().Height)/2))
	r.empty.Resize(fyne.NewSize(size.Width-2*pickerPad, r.empty.MinSize().Height))
}

// Refresh lays out the present matches.
func (r *pickerRenderer) Refresh() {
	for _, s := range r.shadow {
		s.FillColor = theme.Current().Shadow
		s.Refresh()
	}
	none := len(r.l.p.choices) == 0
	r.empty.Hidden, r.l.p.list.Hidden = !none, none
	r.Layout(r.l.Size())
	r.panel.Refresh()
	r.empty.Refresh()
	canvas.Refresh(r.l)
}

func (r *pickerRenderer) MinSize() fyne.Size { return fyne.Size{} }
func (r *pickerRenderer) Destroy()           {}

func (r *pickerRenderer) Objects() []fyne.CanvasObject {
	objects := make([]fyne.CanvasObject, 0, len(r.shadow)+4)
	for _, s := range r.shadow {
		objects = append(objects, s)
	}
	return append(objects, r.panel, r.l.p.entry, r.l.p.list, r.empty)
}
