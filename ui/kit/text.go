package kit

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// The sizes of text, in dp.
const (
	Title     = 14.5 // of a page or a dialog
	Body      = 13
	Secondary = 12   // of subordinate text
	Caption   = 11.5 // the smallest
)

// Style is the look of a Text. The zero Style is plain body text.
type Style struct {
	Ink   ColorFunc // Plain if nil
	Size  float32   // Body if 0
	Bold  bool
	Mono  bool
	Align fyne.TextAlign
	// Exact keeps the colour as it is, for a text on another background than the theme's.
	// Other colours are adjusted to be legible in the theme.
	Exact bool
	// Cut ends the text with an ellipsis if it does not fit, instead of requiring its full
	// width.
	Cut bool
}

// size returns the size of the text, in dp. Monospaced text is no smaller than [Mono].
func (s Style) size() float32 {
	switch {
	case s.Mono && s.Size <= Body:
		return Mono
	case s.Size == 0:
		return Body
	}
	return s.Size
}

func (s Style) face() fyne.TextStyle { return fyne.TextStyle{Bold: s.Bold, Monospace: s.Mono} }

// width returns the width of a text, in dp.
func (s Style) width(text string) float32 { return fyne.MeasureText(text, s.size(), s.face()).Width }

// height returns the height of a line, in dp.
func (s Style) height() float32 { return fyne.MeasureText("M", s.size(), s.face()).Height }

// apply sets the style of a text object in the present theme.
func (s Style) apply(line *canvas.Text) {
	p := theme.Current()
	ink := s.Ink.of(p)
	if !s.Exact {
		ink = p.Legible(ink)
	}
	line.Color = ink
	line.TextSize, line.TextStyle, line.Alignment = s.size(), s.face(), s.Align
}

// cut returns as much of a text as fits, with an ellipsis if something is cut.
func (s Style) cut(text string, room float32) string {
	if room <= 0 || s.width(text) <= room {
		return text
	}
	const ellipsis = "…"
	letters := []rune(text)
	low, high := 0, len(letters)
	for low < high {
		mid := (low + high + 1) / 2
		if s.width(string(letters[:mid])+ellipsis) <= room {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return strings.TrimRight(string(letters[:low]), " ") + ellipsis
}

// Text is one line of text. The zero value is not usable; see [NewText].
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

// FullWidth returns the width of the whole text, in dp.
func (t *Text) FullWidth() float32 { return t.style.width(t.text) }

// SetText changes the text. An equal text costs nothing.
func (t *Text) SetText(text string) {
	if t.text != text {
		t.text = text
		t.Refresh()
	}
}

// SetStyle changes the style.
func (t *Text) SetStyle(style Style) {
	t.style = style
	t.Refresh()
}

// CreateRenderer implements fyne.Widget.
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
	r.t.style.apply(r.line)
	r.fit()
}

// fit cuts the text to the present width.
func (r *textRenderer) fit() {
	r.line.Text = r.t.text
	if r.t.style.Cut {
		r.line.Text = r.t.style.cut(r.t.text, r.t.Size().Width)
	}
}

func (r *textRenderer) Layout(size fyne.Size) {
	r.fit()
	r.line.Resize(size)
}

func (r *textRenderer) MinSize() fyne.Size {
	s := r.t.style
	if s.Cut {
		return fyne.NewSize(0, s.height())
	}
	return fyne.NewSize(s.width(r.t.text), s.height())
}

func (r *textRenderer) Refresh() {
	r.paint()
	r.line.Refresh()
}

func (r *textRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *textRenderer) Destroy()                     {}

// ColorFunc returns the colour of a role in a theme.
type ColorFunc func(theme.Palette) color.NRGBA

// Plain is the colour of most texts.
func Plain(p theme.Palette) color.NRGBA { return p.Text }

// Dim is the colour of subordinate texts.
func Dim(p theme.Palette) color.NRGBA { return p.Dim }

// Accent is the colour of links and selected parts.
func Accent(p theme.Palette) color.NRGBA { return p.Accent }

// OnAccent is the colour of texts on [Accent].
func OnAccent(p theme.Palette) color.NRGBA { return p.OnAccent }

// OK is the colour of success.
func OK(p theme.Palette) color.NRGBA { return p.OK }

// Error is the colour of errors.
func Error(p theme.Palette) color.NRGBA { return p.Error }

// Running is the colour of operations in progress, and of warnings.
func Running(p theme.Palette) color.NRGBA { return p.Running }

// of returns a colour in the present theme; that of plain text for nil.
func (i ColorFunc) of(p theme.Palette) color.NRGBA {
	if i == nil {
		return p.Text
	}
	return i(p)
}

// similar reports whether two colours are hard to distinguish side by side.
func similar(a, b color.NRGBA) bool {
	light := func(c color.NRGBA) int { return (2*int(c.R) + 7*int(c.G) + int(c.B)) / 10 }
	const apart = 32
	d := light(a) - light(b)
	return d < apart && d > -apart
}

// Mono is the minimum size of monospaced text, in dp; see [theme.Text].
const Mono = theme.Text
