package kit

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Paragraph is text that wraps. It has no minimum width; its minimum height is what it needs
// at its width. The zero value is not usable; see [NewParagraph].
type Paragraph struct {
	widget.BaseWidget

	text  string
	style Style
	limit int // of lines; 0 is none
	lines []string
}

// NewParagraph returns a paragraph. Style.Cut is ignored.
func NewParagraph(text string, style Style) *Paragraph {
	p := &Paragraph{text: text, style: style}
	p.wrap(0)
	p.ExtendBaseWidget(p)
	return p
}

// Text returns the text.
func (p *Paragraph) Text() string { return p.text }

// SetText changes the text. An equal text costs nothing.
func (p *Paragraph) SetText(text string) {
	if p.text != text {
		p.text = text
		p.Refresh()
	}
}

// SetStyle changes the style.
func (p *Paragraph) SetStyle(style Style) {
	p.style = style
	p.Refresh()
}

// Limit sets the maximum number of lines, the last ending with an ellipsis; 0 is no limit.
func (p *Paragraph) Limit(lines int) {
	p.limit = lines
	p.Refresh()
}

// HeightAt returns the height of the paragraph at a width, in dp.
func (p *Paragraph) HeightAt(width float32) float32 {
	return p.style.height() * float32(len(p.at(width)))
}

// Resize implements fyne.Widget.
func (p *Paragraph) Resize(size fyne.Size) {
	if size.Width != p.Size().Width {
		p.wrap(size.Width)
	}
	p.BaseWidget.Resize(size)
}

// Refresh implements fyne.Widget.
func (p *Paragraph) Refresh() {
	p.wrap(p.Size().Width)
	p.BaseWidget.Refresh()
}

func (p *Paragraph) wrap(width float32) { p.lines = p.at(width) }

// at returns the lines of the paragraph at a width.
func (p *Paragraph) at(width float32) []string {
	lines := wrapped(p.text, width, p.style)
	if n := p.limit; n > 0 && len(lines) > n {
		lines[n-1] = p.style.cut(lines[n-1]+" "+lines[n], width)
		lines = lines[:n]
	}
	return lines
}

// wrapped wraps a text at a width; at width 0 only at its own line breaks.
func wrapped(text string, width float32, s Style) []string {
	var lines []string
	for part := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(part) {
			joined := strings.TrimPrefix(line+" "+word, " ")
			if line != "" && width > 0 && s.width(joined) > width {
				lines, joined = append(lines, line), word
			}
			for width > 0 && s.width(joined) > width {
				n := fitting(joined, width, s)
				lines, joined = append(lines, joined[:n]), joined[n:]
			}
			line = joined
		}
		lines = append(lines, line)
	}
	return lines
}

// fitting returns how many bytes of a word fit into width: at least one letter.
func fitting(word string, width float32, s Style) int {
	n := len(word)
	for i := range word {
		if i > 0 && s.width(word[:i]) > width {
			break
		}
		n = i
	}
	if n == 0 {
		n = len(string([]rune(word)[:1]))
	}
	return n
}

// CreateRenderer implements fyne.Widget.
func (p *Paragraph) CreateRenderer() fyne.WidgetRenderer {
	r := &paragraphRenderer{p: p}
	r.Refresh()
	return r
}

type paragraphRenderer struct {
	p     *Paragraph
	texts []fyne.CanvasObject
}

func (r *paragraphRenderer) Refresh() {
	for i, line := range r.p.lines {
		if i == len(r.texts) {
			r.texts = append(r.texts, canvas.NewText("", color.Transparent))
		}
		text := r.texts[i].(*canvas.Text)
		text.Text = line
		r.p.style.apply(text)
		text.Refresh()
	}
	r.texts = r.texts[:len(r.p.lines)]
	r.place(r.p.Size())
}

func (r *paragraphRenderer) place(size fyne.Size) {
	height := r.p.style.height()
	for i, text := range r.texts {
		text.Move(fyne.NewPos(0, height*float32(i)))
		text.Resize(fyne.NewSize(size.Width, height))
	}
}

func (r *paragraphRenderer) Layout(fyne.Size) { r.Refresh() }

func (r *paragraphRenderer) MinSize() fyne.Size {
	return fyne.NewSize(0, r.p.style.height()*float32(len(r.p.lines)))
}

func (r *paragraphRenderer) Objects() []fyne.CanvasObject { return r.texts }
func (r *paragraphRenderer) Destroy()                     {}
