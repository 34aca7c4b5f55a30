package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// IconButton is a small flat button that shows an icon, and its name as a tip. Tab
// reaches it, Space and Enter press it. Its zero value is of no use; see
// [NewIconButton].
type IconButton struct {
	widget.BaseWidget

	icon     fyne.Resource
	name     string
	pressed  func()
	tip      Tip
	lit      bool // under the pointer
	focused  bool
	disabled bool
}

var (
	_ fyne.Tappable     = (*IconButton)(nil)
	_ fyne.Focusable    = (*IconButton)(nil)
	_ fyne.Disableable  = (*IconButton)(nil)
	_ desktop.Hoverable = (*IconButton)(nil)
)

// NewIconButton returns a button. The icon is drawn as it is: take Fyne's own, or make
// it with fyne.io/fyne/v2/theme.NewThemedResource, so that it follows the theme. tip
// says what the button does; pressed does it.
func NewIconButton(icon fyne.Resource, tip string, pressed func()) *IconButton {
	b := &IconButton{icon: icon, name: tip, pressed: pressed}
	b.ExtendBaseWidget(b)
	return b
}

// SetIcon changes the icon and what its tip says, as when a button switches between
// two states.
func (b *IconButton) SetIcon(icon fyne.Resource, tip string) {
	b.icon, b.name = icon, tip
	b.tip.Leave()
	b.Refresh()
}

// Name returns what the tip says.
func (b *IconButton) Name() string { return b.name }

// Enable lets the button be pressed.
func (b *IconButton) Enable() { b.disable(false) }

// Disable shows the button dim; nobody can press it.
func (b *IconButton) Disable() { b.disable(true) }

// Disabled reports whether the button cannot be pressed.
func (b *IconButton) Disabled() bool { return b.disabled }

func (b *IconButton) disable(disabled bool) {
	if b.disabled != disabled {
		b.disabled = disabled
		b.Refresh()
	}
}

// Tapped presses the button.
func (b *IconButton) Tapped(*fyne.PointEvent) {
	b.tip.Leave()
	if !b.disabled && b.pressed != nil {
		b.pressed()
	}
}

// TypedKey is for Fyne.
func (b *IconButton) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		b.Tapped(nil)
	}
}

// TypedRune is for Fyne.
func (b *IconButton) TypedRune(rune) {}

// FocusGained is for Fyne.
func (b *IconButton) FocusGained() { b.set(&b.focused, true) }

// FocusLost is for Fyne.
func (b *IconButton) FocusLost() { b.set(&b.focused, false) }

// MouseIn is for Fyne.
func (b *IconButton) MouseIn(*desktop.MouseEvent) {
	b.set(&b.lit, true)
	b.tip.Rest(b, b.name)
}

// MouseMoved is for Fyne.
func (b *IconButton) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is for Fyne.
func (b *IconButton) MouseOut() {
	b.set(&b.lit, false)
	b.tip.Leave()
}

func (b *IconButton) set(state *bool, on bool) {
	*state = on
	b.Refresh()
}

// CreateRenderer is for Fyne.
func (b *IconButton) CreateRenderer() fyne.WidgetRenderer {
	r := &iconButtonRenderer{b: b, ground: canvas.NewRectangle(color.Transparent), icon: widget.NewIcon(b.icon)}
	r.paint()
	return r
}

type iconButtonRenderer struct {
	b      *IconButton
	ground *canvas.Rectangle
	icon   *widget.Icon
}

const iconButtonSize, iconSize = 28, 16

func (r *iconButtonRenderer) paint() {
	p := theme.Current()
	r.ground.CornerRadius = 6
	r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = color.Transparent, color.Transparent, 0
	if r.b.lit && !r.b.disabled {
		r.ground.FillColor = veil(p.Dim, 0x24)
	}
	if r.b.focused {
		r.ground.StrokeColor, r.ground.StrokeWidth = p.Accent, 1.5
	}
	r.icon.SetResource(r.b.resource())
}

// resource returns the icon, dim while the button cannot be pressed.
func (b *IconButton) resource() fyne.Resource {
	if b.disabled && b.icon != nil {
		return fynetheme.NewDisabledResource(b.icon)
	}
	return b.icon
}

func (r *iconButtonRenderer) Refresh() {
	r.paint()
	r.ground.Refresh()
	r.icon.Refresh()
}

func (r *iconButtonRenderer) Layout(size fyne.Size) {
	r.ground.Resize(size)
	r.icon.Resize(fyne.NewSquareSize(iconSize))
	r.icon.Move(fyne.NewPos((size.Width-iconSize)/2, (size.Height-iconSize)/2))
}

func (r *iconButtonRenderer) MinSize() fyne.Size { return fyne.NewSquareSize(iconButtonSize) }
func (r *iconButtonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.icon}
}
func (r *iconButtonRenderer) Destroy() {}
