package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// IconButton is a small flat button that shows an icon, and its name as a tip. Tab
// reaches it, Space and Enter press it. The zero value is not usable; see
// [NewIconButton].
type IconButton struct {
	Pressable

	icon fyne.Resource
}

// NewIconButton returns a button. The icon is drawn as it is: to follow the theme it must be
// Fyne's own, or made by fyne.io/fyne/v2/theme.NewThemedResource. tip is the tooltip; pressed
// is called on a press.
func NewIconButton(icon fyne.Resource, tip string, pressed func()) *IconButton {
	b := &IconButton{icon: icon}
	b.SetTip(tip)
	b.Extend(b, pressed)
	return b
}

// SetIcon changes the icon and its tip, as for a button with two states.
func (b *IconButton) SetIcon(icon fyne.Resource, tip string) {
	b.icon = icon
	b.SetTip(tip)
	b.Refresh()
}

// CreateRenderer implements fyne.Widget.
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
	if r.b.Lit() {
		r.ground.FillColor = theme.Veil(p.Dim, 0x24)
	}
	if r.b.Focused() {
		r.ground.StrokeColor, r.ground.StrokeWidth = p.Accent, 1.5
	}
	r.icon.SetResource(r.b.resource())
}

// resource returns the icon, dimmed while the button is disabled.
func (b *IconButton) resource() fyne.Resource {
	if b.Disabled() && b.icon != nil {
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
