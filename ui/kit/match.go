package kit

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
	"github.com/sahilm/fuzzy"
)

// Match is a line of text with the matched letters in bold. Its minimum width is that of its
// text; it is cut if it gets less. The zero value is not usable; see [NewMatch].
type Match struct {
	widget.BaseWidget

	text  string
	at    []int
	style Style
}

// NewMatch returns an empty line.
func NewMatch(style Style) *Match {
	m := &Match{style: style}
	m.ExtendBaseWidget(m)
	return m
}

// Text returns the text.
func (m *Match) Text() string { return m.text }

// Set changes the text, its style, and the byte indexes of the matched letters.
func (m *Match) Set(text string, at []int, style Style) {
	m.text, m.at, m.style = text, at, style
	m.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (m *Match) CreateRenderer() fyne.WidgetRenderer {
	r := &matchRenderer{m: m}
	r.Refresh()
	return r
}

type matchRenderer struct {
	m    *Match
	runs []fyne.CanvasObject
}

// MinSize returns the size of the whole text.
func (r *matchRenderer) MinSize() fyne.Size {
	width := float32(0)
	for _, run := range runs(r.m.text, r.m.at) {
		width += r.style(run.found).width(run.text)
	}
	return fyne.NewSize(width, r.m.style.height())
}

func (r *matchRenderer) style(found bool) Style {
	s := r.m.style
	s.Bold = s.Bold || found
	return s
}

func (r *matchRenderer) Refresh() {
	r.lay()
	canvas.Refresh(r.m)
}

// Layout reuses the text objects: Fyne repeats the layout of an object that got a new one,
// for ever if each layout makes new ones.
func (r *matchRenderer) Layout(fyne.Size) { r.lay() }

// lay puts the runs one behind the other, as far as they fit.
func (r *matchRenderer) lay() {
	known := r.runs
	r.runs = r.runs[:0]
	room, x := r.m.Size().Width, float32(0)
	for i, run := range runs(r.m.text, r.m.at) {
		s := r.style(run.found)
		left := room - x
		if room > 0 && left <= 0 {
			break
		}
		shown := run.text
		if room > 0 {
			shown = s.cut(shown, left+0.5) // sums of widths are rounded
		}
		if i == len(known) {
			known = append(known, canvas.NewText("", color.Transparent))
		}
		text := known[i].(*canvas.Text)
		text.Text = shown
		s.apply(text)
		text.Move(fyne.NewPos(x, 0))
		text.Resize(fyne.NewSize(s.width(shown), s.height()))
		r.runs = append(r.runs, text)
		x += s.width(run.text)
	}
}

func (r *matchRenderer) Objects() []fyne.CanvasObject { return r.runs }
func (r *matchRenderer) Destroy()                     {}

type textRun struct {
	text  string
	found bool
}

// runs splits a text where matched letters begin or end.
func runs(text string, at []int) []textRun {
	var out []textRun
	for i, letter := range text {
		found := slices.Contains(at, i)
		if len(out) == 0 || out[len(out)-1].found != found {
			out = append(out, textRun{found: found})
		}
		out[len(out)-1].text += string(letter)
	}
	return out
}

// choiceTexts makes the texts of choices searchable.
type choiceTexts []Choice

func (c choiceTexts) String(i int) string { return c[i].Title + " " + c[i].Detail }
func (c choiceTexts) Len() int            { return len(c) }

// Matching returns the choices that match a query, best first.
func Matching(all []Choice, query string) []Choice {
	if query == "" {
		return all
	}
	found := fuzzy.FindFrom(query, choiceTexts(all))
	some := make([]Choice, len(found))
	for i, m := range found {
		some[i] = all[m.Index]
	}
	return some
}
