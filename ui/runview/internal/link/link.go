// Package link has the flat text buttons of the views of a run, which are low enough for a
// panel of a few lines.
package link

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// Link is a word that can be pressed. The zero value is not usable; see [New].
type Link struct {
	kit.Pressable

	text   string
	chosen bool
}

// New returns a link that calls pressed.
func New(text string, pressed func()) *Link {
	l := &Link{text: text}
	l.Extend(l, pressed)
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

// SetChosen marks the link as the chosen one of several.
func (l *Link) SetChosen(chosen bool) {
	if l.chosen != chosen {
		l.chosen = chosen
		l.Refresh()
	}
}

// CreateRenderer implements fyne.Widget.
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
	r.label.Text, r.label.Color = l.text, p.Legible(p.Accent)
	r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = color.Transparent, color.Transparent, 0
	switch {
	case l.Disabled():
		r.label.Color = p.Legible(p.Dim)
	case l.chosen:
		r.label.Color = p.Text
		r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = p.Background, p.Line, 1
	case l.Lit():
		r.ground.FillColor = theme.Veil(p.Dim, 0x24)
	}
	if l.Focused() {
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
