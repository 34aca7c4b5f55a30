package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Badge is a word or number on a small pill. The zero value is not usable; see
// [NewBadge].
type Badge struct {
	widget.BaseWidget

	text string
	ink  ColorFunc
}

// NewBadge returns a badge with a text in the colour of ink.
func NewBadge(text string, ink ColorFunc) *Badge {
	b := &Badge{text: text, ink: ink}
	b.ExtendBaseWidget(b)
	return b
}

// Set changes the text and its colour.
func (b *Badge) Set(text string, ink ColorFunc) {
	b.text, b.ink = text, ink
	b.Refresh()
}

func (b *Badge) style() Style {
	return Style{Size: Caption, Ink: b.ink, Bold: true, Align: fyne.TextAlignCenter}
}

// CreateRenderer implements fyne.Widget.
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

// Layout centres the pill at its own height.
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

// Dot is a filled circle, for a state or for the colour of a node type. It gets a hairline on
// a background of a similar colour. The zero value is not usable; see [NewDot].
type Dot struct {
	widget.BaseWidget

	ink  ColorFunc
	size float32
}

// NewDot returns a circle size dp wide.
func NewDot(ink ColorFunc, size float32) *Dot {
	d := &Dot{ink: ink, size: size}
	d.ExtendBaseWidget(d)
	return d
}

// SetInk changes the colour.
func (d *Dot) SetInk(ink ColorFunc) {
	d.ink = ink
	d.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (d *Dot) CreateRenderer() fyne.WidgetRenderer {
	r := &dotRenderer{d: d, circle: canvas.NewCircle(color.Transparent)}
	r.Refresh()
	return r
}

type dotRenderer struct {
	d      *Dot
	circle *canvas.Circle
}

func (r *dotRenderer) Refresh() {
	p := theme.Current()
	c := r.d.ink.of(p)
	r.circle.FillColor, r.circle.StrokeColor, r.circle.StrokeWidth = c, color.Transparent, 0
	if similar(c, p.Panel) {
		r.circle.StrokeColor, r.circle.StrokeWidth = p.Hairline, 1
	}
	r.circle.Refresh()
}

// Layout centres the circle at its own size.
func (r *dotRenderer) Layout(size fyne.Size) {
	d := r.d.size
	r.circle.Resize(fyne.NewSquareSize(d))
	r.circle.Move(fyne.NewPos((size.Width-d)/2, (size.Height-d)/2))
}

func (r *dotRenderer) MinSize() fyne.Size           { return fyne.NewSquareSize(r.d.size) }
func (r *dotRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.circle} }
func (r *dotRenderer) Destroy()                     {}
