package start

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// press is a custom button: it can be clicked, or focused by Tab and pressed with Space or
// Enter. It lights up under the pointer.
type press struct {
	kit.Pressable

	content fyne.CanvasObject
	ground  ground
}

var _ desktop.Cursorable = (*press)(nil)

// ground is the background of a press.
type ground uint8

const (
	bare   ground = iota // none, until it lights up
	card                 // a card with a hairline
	accent               // the colour of the primary action
)

func newPress(content fyne.CanvasObject, on ground, do func()) *press {
	p := &press{content: content, ground: on}
	p.Extend(p, do)
	return p
}

// Cursor implements desktop.Cursorable.
func (p *press) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (p *press) CreateRenderer() fyne.WidgetRenderer {
	r := &pressRenderer{p: p, ground: canvas.NewRectangle(color.Transparent)}
	r.ground.CornerRadius = 8
	r.paint()
	return r
}

type pressRenderer struct {
	p      *press
	ground *canvas.Rectangle
}

func (r *pressRenderer) paint() {
	colors := theme.Current()
	var fill, stroke color.NRGBA
	var width float32
	switch r.p.ground {
	case bare:
		if r.p.Lit() {
			fill = theme.Veil(colors.Dim, 0x24)
		}
	case card:
		fill, stroke, width = colors.Card, colors.Line, 1
		if r.p.Lit() {
			stroke = colors.Accent
		}
	case accent:
		fill = colors.Accent
		if r.p.Lit() {
			fill = theme.Veil(fill, 0xDC)
		}
	}
	if r.p.Focused() {
		stroke, width = colors.Accent, 2
		if r.p.ground == accent {
			stroke = colors.Text
		}
	}
	r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = fill, stroke, width
}

func (r *pressRenderer) Refresh() {
	r.paint()
	r.ground.Refresh()
	r.p.content.Refresh()
}

func (r *pressRenderer) Layout(size fyne.Size) {
	r.ground.Resize(size)
	r.p.content.Resize(size)
}

func (r *pressRenderer) MinSize() fyne.Size { return r.p.content.MinSize() }
func (r *pressRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.p.content}
}
func (r *pressRenderer) Destroy() {}

// newAction returns a press with an icon and a text.
func newAction(icon fyne.Resource, text string, on ground, do func()) fyne.CanvasObject {
	ink, name := kit.Plain, fynetheme.ColorNameForeground
	if on == accent {
		ink, name = kit.OnAccent, fynetheme.ColorNameForegroundOnPrimary
	}
	mark := widget.NewIcon(fynetheme.NewColoredResource(icon, name))
	return newPress(kit.Pad(8, 12, kit.Row(8, mark, kit.NewText(text, kit.Style{Bold: true, Ink: ink, Exact: on == accent}))), on, do)
}
