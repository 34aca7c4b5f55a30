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

// press is anything to click on, or to go to by Tab and press with Space or Enter. It
// lights up under the pointer.
type press struct {
	widget.BaseWidget

	content      fyne.CanvasObject
	ground       ground
	do           func()
	lit, focused bool
}

var (
	_ fyne.Tappable      = (*press)(nil)
	_ fyne.Focusable     = (*press)(nil)
	_ desktop.Hoverable  = (*press)(nil)
	_ desktop.Cursorable = (*press)(nil)
)

// ground is what a press lies on.
type ground uint8

const (
	bare   ground = iota // nothing, until it lights up
	card                 // a card with a hairline
	accent               // the colour of what one most likely wants
)

func newPress(content fyne.CanvasObject, on ground, do func()) *press {
	p := &press{content: content, ground: on, do: do}
	p.ExtendBaseWidget(p)
	return p
}

func (p *press) Tapped(*fyne.PointEvent)        { p.do() }
func (p *press) MouseIn(*desktop.MouseEvent)    { p.look(true, p.focused) }
func (p *press) MouseMoved(*desktop.MouseEvent) {}
func (p *press) MouseOut()                      { p.look(false, p.focused) }
func (p *press) FocusGained()                   { p.look(p.lit, true) }
func (p *press) FocusLost()                     { p.look(p.lit, false) }
func (p *press) TypedRune(rune)                 {}
func (p *press) Cursor() desktop.Cursor         { return desktop.PointerCursor }

func (p *press) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		p.do()
	}
}

func (p *press) look(lit, focused bool) {
	p.lit, p.focused = lit, focused
	p.Refresh()
}

// CreateRenderer is for Fyne.
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
	fill, stroke, width := color.NRGBA{}, color.NRGBA{}, float32(0)
	switch r.p.ground {
	case bare:
		if r.p.lit {
			fill = colors.Dim
			fill.A = 0x24
		}
	case card:
		fill, stroke, width = colors.Card, colors.Line, 1
		if r.p.lit {
			stroke = colors.Accent
		}
	case accent:
		fill = colors.Accent
		if r.p.lit {
			fill.A = 0xDC
		}
	}
	if r.p.focused {
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

// newAction returns a press with an icon and a few words.
func newAction(icon fyne.Resource, text string, on ground, do func()) fyne.CanvasObject {
	ink, name := kit.Plain, fynetheme.ColorNameForeground
	if on == accent {
		ink, name = onAccent, fynetheme.ColorNameForegroundOnPrimary
	}
	mark := widget.NewIcon(fynetheme.NewColoredResource(icon, name))
	return newPress(kit.Pad(8, 12, kit.Row(8, mark, kit.NewText(text, kit.Style{Bold: true, Ink: ink}))), on, do)
}

func onAccent(p theme.Palette) color.NRGBA { return p.OnAccent }
