package inspector

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/editor/doc"
)

// markdown is a short text in Markdown, or in monospace, without Fyne's padding.
type markdown struct {
	rich  *widget.RichText
	whole fyne.CanvasObject
	shown string
}

func newMarkdown() *markdown {
	m := &markdown{rich: widget.NewRichText()}
	m.rich.Wrapping = fyne.TextWrapWord
	m.whole = container.New(layout.NewCustomPaddedLayout(-innerPad, -innerPad, -innerPad, -innerPad), m.rich)
	return m
}

func (m *markdown) set(text string) {
	if m.shown == text {
		return
	}
	m.shown = text
	m.rich.ParseMarkdown(text)
	quiet(m.rich.Segments)
	m.rich.Refresh()
}

// setPlain shows text in monospace, with its line breaks and indentation.
func (m *markdown) setPlain(text string) {
	m.shown = text
	m.rich.Segments = []widget.RichTextSegment{&widget.TextSegment{Text: text, Style: widget.RichTextStyle{
		ColorName: fynetheme.ColorNameForeground, SizeName: fynetheme.SizeNameText, TextStyle: fyne.TextStyle{Monospace: true},
	}}}
	m.rich.Refresh()
}

// quiet makes texts as small and dim as captions.
func quiet(segments []widget.RichTextSegment) {
	for _, s := range segments {
		switch s := s.(type) {
		case *widget.TextSegment:
			s.Style.ColorName, s.Style.SizeName = fynetheme.ColorNamePlaceHolder, fynetheme.SizeNameCaptionText
			if s.Style.TextStyle.Monospace {
				s.Style.SizeName = fynetheme.SizeNameText
			}
		case *widget.ParagraphSegment:
			quiet(s.Texts)
		case *widget.ListSegment:
			quiet(s.Items)
		}
	}
}

// innerPad is Fyne's padding of a text, in dp.
const innerPad = 8

// firstSentence returns the first sentence of a description.
func firstSentence(text string) (first string, more bool) {
	first, rest := doc.FirstSentence(strings.TrimSpace(text))
	return first, rest != ""
}

// withoutTicks removes the backquotes of Markdown.
func withoutTicks(text string) string { return strings.ReplaceAll(text, "`", "") }
