// Package link has the flat buttons of the views of a run: a word that can be pressed,
// low enough for a panel of a few lines.
package link

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// Link is a word that can be pressed. Its zero value is of no use; see [New].
type Link struct {
	widget.BaseWidget

	text                           string
	pressed                        func()
	chosen, disabled, lit, focused bool
}

var (
	_ fyne.Tappable     = (*Link)(nil)
	_ fyne.Focusable    = (*Link)(nil)
	_ fyne.Disableable  = (*Link)(nil)
	_ desktop.Hoverable = (*Link)(nil)
)

// New returns a link that calls pressed.
func New(text string, pressed func()) *Link {
	l := &Link{text: text, pressed: pressed}
	l.ExtendBaseWidget(l)
	return l
}

// Text returns the word.
func (l *Link) Text() string { return l.text }

// SetText changes the word.
func (l *Link) SetText(text string) {
	if l.text != text {
		l.text = text
		l.Refresh()
	}
}

// OnPressed changes what is called when the link is pressed.
func (l *Link) OnPressed(pressed func()) { l.pressed = pressed }

// SetChosen marks the link as the one of several that counts now.
func (l *Link) SetChosen(chosen bool) { l.set(&l.chosen, chosen) }

// Chosen reports whether the link is marked.
func (l *Link) Chosen() bool { return l.chosen }

// Enable lets the link be pressed.
func (l *Link) Enable() { l.set(&l.disabled, false) }

// Disable shows the link dim; nobody can press it.
func (l *Link) Disable() { l.set(&l.disabled, true) }

// Disabled reports whether the link cannot be pressed.
func (l *Link) Disabled() bool { return l.disabled }

// Tapped presses the link.
func (l *Link) Tapped(*fyne.PointEvent) {
	if !l.disabled && l.pressed != nil {
		l.pressed()
	}
}

// TypedKey is for Fyne.
func (l *Link) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		l.Tapped(nil)
	}
}

// TypedRune is for Fyne.
func (l *Link) TypedRune(rune) {}

// FocusGained is for Fyne.
func (l *Link) FocusGained() { l.set(&l.focused, true) }

// FocusLost is for Fyne.
func (l *Link) FocusLost() { l.set(&l.focused, false) }

// MouseIn is for Fyne.
func (l *Link) MouseIn(*desktop.MouseEvent) { l.set(&l.lit, true) }

// MouseMoved is for Fyne.
func (l *Link) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is for Fyne.
func (l *Link) MouseOut() { l.set(&l.lit, false) }

func (l *Link) set(state *bool, on bool) {
	if *state != on {
		*state = on
		l.Refresh()
	}
}

// CreateRenderer is for Fyne.
func (l *Link) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{link: l, ground: canvas.NewRectangle(color.Transparent), label: canvas.NewText("", color.Transparent)}
	r.ground.CornerRadius = 6
	r.label.TextSize, r.label.Alignment = kit.Secondary, fyne.TextAlignCenter
	r.paint()
	return r
}

type renderer struct {
	link   *Link
	ground *canvas.Rectangle
	label  *canvas.Text
}

const height, pad = 24, 8

func (r *renderer) paint() {
	p, l := theme.Current(), r.link
	r.label.Text, r.label.Color = l.text, p.Accent
	r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = color.Transparent, color.Transparent, 0
	switch {
	case l.disabled:
		r.label.Color = p.Dim
	case l.chosen:
		r.label.Color = p.Text
		r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = p.Background, p.Line, 1
	case l.lit:
		veil := p.Dim
		veil.A = 0x24
		r.ground.FillColor = veil
	}
	if l.focused {
		r.ground.StrokeColor, r.ground.StrokeWidth = p.Accent, 1.5
	}
}

func (r *renderer) Refresh() {
	r.paint()
	r.ground.Refresh()
	r.label.Refresh()
}

func (r *renderer) Layout(size fyne.Size) {
	r.ground.Move(fyne.NewPos(0, (size.Height-height)/2))
	r.ground.Resize(fyne.NewSize(size.Width, height))
	r.label.Resize(size)
}

func (r *renderer) MinSize() fyne.Size {
	return fyne.NewSize(fyne.MeasureText(r.link.text, kit.Secondary, fyne.TextStyle{}).Width+2*pad, height)
}

func (r *renderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.ground, r.label} }
func (r *renderer) Destroy()                     {}
