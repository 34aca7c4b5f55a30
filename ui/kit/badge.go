package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Badge is a word or number on a small pill. Its zero value is of no use; see
// [NewBadge].
type Badge struct {
	widget.BaseWidget

	text string
	ink  Ink
}

// NewBadge returns a badge with a text in the colour of ink.
func NewBadge(text string, ink Ink) *Badge {
	b := &Badge{text: text, ink: ink}
	b.ExtendBaseWidget(b)
	return b
}

// Set changes what the badge says, and in which ink.
func (b *Badge) Set(text string, ink Ink) {
	b.text, b.ink = text, ink
	b.Refresh()
}

func (b *Badge) style() Style {
	return Style{Size: Caption, Ink: b.ink, Bold: true, Align: fyne.TextAlignCenter}
}

// CreateRenderer is for Fyne.
func (b *Badge) CreateRenderer() fyne.WidgetRenderer {
	r := &badgeRenderer{b: b, pill: canvas.NewRectangle(color.Transparent), line: canvas.NewText("", color.Transparent)}
	r.Refresh()
	return r
}

type badgeRenderer struct {
	b    *Badge
	pill *canvas.Rectangle
	line *canvas.Text
}

const badgeHeight, badgePad = 18, 8

func (r *badgeRenderer) Refresh() {
	r.pill.FillColor = theme.Veil(r.b.ink.of(theme.Current()), 0x2E)
	r.pill.CornerRadius = badgeHeight / 2
	r.line.Text = r.b.text
	r.b.style().apply(r.line)
	r.pill.Refresh()
	r.line.Refresh()
}

// Layout keeps the height of the pill, in the middle of what there is.
func (r *badgeRenderer) Layout(size fyne.Size) {
	at := fyne.NewPos(0, (size.Height-badgeHeight)/2)
	r.pill.Move(at)
	r.pill.Resize(fyne.NewSize(size.Width, badgeHeight))
	r.line.Move(at)
	r.line.Resize(fyne.NewSize(size.Width, badgeHeight))
}

func (r *badgeRenderer) MinSize() fyne.Size {
	return fyne.NewSize(r.b.style().width(r.b.text)+2*badgePad, badgeHeight)
}

func (r *badgeRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.pill, r.line} }
func (r *badgeRenderer) Destroy()                     {}
