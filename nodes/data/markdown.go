package data

import (
	"context"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/reading"
)

type markdownIn struct {
	Markdown *string `port:"markdown,optional" widget:"multiline" doc:"The Markdown, as GitHub knows it; or give path or base64."`
	reading.File

	Unsafe   bool `port:"unsafe" default:"false" doc:"Let HTML in it, and links such as javascript:, through; without, they are left out."`
	Document bool `port:"document" default:"false" doc:"Make a whole page of it."`
}

type markupOut struct {
	HTML string `port:"html" doc:"The HTML."`
}

// The limits of Markdown: its bytes, the nesting of quotes and lists in a line, and its
// links. Each level of nesting costs the library another pass over the line, and each
// unclosed link a search of the rest of the text.
const (
	maxMarkdown   = 2 << 20
	maxNestedLine = 100
	maxLinks      = 5_000
)

func (d disk) markdownToHTMLNode() node.Node {
	newConverter := func(options ...goldmark.Option) goldmark.Markdown {
		return goldmark.New(append(options, goldmark.WithExtensions(extension.GFM))...)
	}
	safe, unsafe := newConverter(), newConverter(goldmark.WithRendererOptions(html.WithUnsafe()))
	convert := func(ctx context.Context, in markdownIn) (markupOut, error) {
		input, err := in.Whole(ctx, d.Files, in.Markdown, markupTimes)
		if err != nil {
			return markupOut{}, err
		}
		markdown, err := input.Text(reading.NotesOf(ctx), "")
		if err != nil {
			return markupOut{}, err
		}
		if err := checkMarkdown(markdown); err != nil {
			return markupOut{}, err
		}
		c := safe
		if in.Unsafe {
			c = unsafe
		}
		var b strings.Builder
		if in.Document {
			b.WriteString("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n</head>\n<body>\n")
		}
		if err := c.Convert([]byte(markdown), &b); err != nil {
			return markupOut{}, reading.Invalid("the Markdown cannot be made HTML: %s", err)
		}
		if in.Document {
			b.WriteString("</body>\n</html>\n")
		}
		return markupOut{strings.ToValidUTF8(b.String(), "\uFFFD")}, nil
	}
	return reading.Node(node.Func("data.markdown_to_html", "Markdown to HTML", convert).
		Aliases("render markdown, html mail, newsletter", "markdown umwandeln, html mail, rundbrief").
		Example(map[string]any{"markdown": "# Hello\n\nA **bold** word."}).Doc(
		"Makes HTML of Markdown, for mails and pages: `A **bold** word` gives `<p>A <strong>bold</strong> word</p>`. Tables, task lists and struck text work as on GitHub. "+
			"HTML in the text is left out unless it is `unsafe`, so what others wrote cannot bring scripts along. A file is decoded by its byte order mark or by its bytes."), "markdown", "path", "base64")
}

func checkMarkdown(text string) error {
	if len(text) > maxMarkdown {
		return reading.TooMuch("the Markdown has %d bytes; at most %d can be converted", len(text), maxMarkdown)
	}
	if strings.Count(text, "](")+strings.Count(text, "]:") > maxLinks {
		return reading.TooMuch("there are more than %d links in the Markdown", maxLinks)
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		front := line[:len(line)-len(strings.TrimLeft(line, " \t>-+*0123456789.)"))]
		if strings.Count(front, ">")+strings.Count(front, "- ")+strings.Count(front, "* ")+strings.Count(front, "+ ")+strings.Count(front, ". ")+strings.Count(front, ") ") > maxNestedLine {
			return reading.TooMuch("line %d: quotes and lists nest deeper than %d", number, maxNestedLine)
		}
	}
	return nil
}
