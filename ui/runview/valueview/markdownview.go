package valueview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/value/view"
)

// markdownView shows a text in Markdown. It loads no pictures and opens no links: the
// text may come from anywhere.
type markdownView struct {
	text  *widget.RichText
	whole fyne.CanvasObject
}

func newMarkdownView() *markdownView {
	m := &markdownView{text: widget.NewRichText()}
	m.text.Wrapping = fyne.TextWrapWord
	m.whole = container.NewVScroll(m.text)
	return m
}

func (m *markdownView) object() fyne.CanvasObject { return m.whole }

func (m *markdownView) show(v any) {
	m.text.Segments = inert(widget.NewRichTextFromMarkdown(view.Of(v, view.Wish{Kind: view.Markdown}).Text).Segments)
	m.text.Refresh()
}

// inert replaces links by their text, followed by the address.
func inert(segments []widget.RichTextSegment) []widget.RichTextSegment {
	var kept []widget.RichTextSegment
	for _, s := range segments {
		switch s := s.(type) {
		case *widget.ImageSegment:
			kept = append(kept, &widget.TextSegment{Text: s.Title, Style: widget.RichTextStyleInline})
		case *widget.HyperlinkSegment:
			text := s.Text
			if s.URL != nil && s.URL.String() != text {
				text += " (" + s.URL.String() + ")"
			}
			kept = append(kept, &widget.TextSegment{Text: text, Style: widget.RichTextStyleInline})
		case *widget.ParagraphSegment:
			s.Texts = inert(s.Texts)
			kept = append(kept, s)
		case *widget.ListSegment:
			s.Items = inert(s.Items)
			kept = append(kept, s)
		default:
			kept = append(kept, s)
		}
	}
	return kept
}
