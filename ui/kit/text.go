package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Ink is the part that a colour plays; the theme says which colour that is.
type Ink func(theme.Palette) color.NRGBA

// The inks of texts.
func Plain(p theme.Palette) color.NRGBA   { return p.Text }
func Dim(p theme.Palette) color.NRGBA     { return p.Dim }
func Accent(p theme.Palette) color.NRGBA  { return p.Accent }
func OK(p theme.Palette) color.NRGBA      { return p.OK }
func Error(p theme.Palette) color.NRGBA   { return p.Error }
func Running(p theme.Palette) color.NRGBA { return p.Running }

// Sizes of text, in dp.
const (
	Title     = 14.5
	Body      = 13
	Secondary = 12
	Caption   = 11.5
)

// Style says how a Text looks. The zero Style is plain text of the body.
type Style struct {
	Ink   Ink     // Plain if nil
	Size  float32 // Body if 0
	Bold  bool
	Mono  bool
	Align fyne.TextAlign
	// Cut lets the text end in an ellipsis where there is no room, instead of asking
	// for room.
	Cut bool
}

// Text is one line of text. Its zero value is of no use; see [NewText].
type Text struct {
	widget.BaseWidget

	text  string
	style Style
}

// NewText returns a line of text.
func NewText(text string, style Style) *Text {
	t := &Text{text: text, style: style}
	t.ExtendBaseWidget(t)
	return t
}

// Text returns the whole text.
func (t *Text) Text() string { return t.text }

// SetText changes the text. Setting what is there costs nothing.
func (t *Text) SetText(text string) {
	if t.text != text {
		t.text = text
		t.Refresh()
	}
}

// SetStyle changes how the text looks.
func (t *Text) SetStyle(style Style) {
	t.style = style
	t.Refresh()
}

// CreateRenderer is for Fyne.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	r := &textRenderer{t: t, line: canvas.NewText("", color.Transparent)}
	r.paint()
	return r
}

type textRenderer struct {
	t    *Text
	line *canvas.Text
}

func (r *textRenderer) paint() {
	s := r.t.style
	ink, size := s.Ink, s.Size
	if ink == nil {
		ink = Plain
	}
	if size == 0 {
		size = Body
	}
	r.line.Color = ink(theme.Current())
	r.line.TextSize = size
	r.line.TextStyle = fyne.TextStyle{Bold: s.Bold, Monospace: s.Mono}
	r.line.Alignment = s.Align
	r.fit()
}

// fit cuts the text to the width there is.
func (r *textRenderer) fit() {
	r.line.Text = r.t.text
	width := r.t.Size().Width
	if !r.t.style.Cut || width <= 0 || r.measure(r.t.text) <= width {
		return
	}
	const ellipsis = "…"
	letters := []rune(r.t.text)
	low, high := 0, len(letters)
	for low < high {
		mid := (low + high + 1) / 2
		if r.measure(string(letters[:mid])+ellipsis) <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	r.line.Text = string(letters[:low]) + ellipsis
}

func (r *textRenderer) measure(text string) float32 {
	return fyne.MeasureText(text, r.line.TextSize, r.line.TextStyle).Width
}

func (r *textRenderer) Layout(size fyne.Size) {
	r.fit()
	r.line.Resize(size)
}

func (r *textRenderer) MinSize() fyne.Size {
	size := fyne.MeasureText(r.t.text, r.line.TextSize, r.line.TextStyle)
	if r.t.style.Cut {
		size.Width = 0
	}
	return size
}

func (r *textRenderer) Refresh() {
	r.paint()
	r.line.Refresh()
}

func (r *textRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *textRenderer) Destroy()                     {}
