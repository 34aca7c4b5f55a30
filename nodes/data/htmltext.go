package data

import (
	"context"
	"strings"

	"golang.org/x/net/html"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/htmlmd"
	"github.com/svcflow/svc/nodes/data/page"
	"github.com/svcflow/svc/nodes/htmltext"
	"github.com/svcflow/svc/nodes/reading"
)

type markdownOut struct {
	Markdown string `port:"markdown" doc:"The Markdown."`
}

func (d disk) htmlToMarkdownNode() node.Node {
	convert := func(ctx context.Context, in pageIn) (markdownOut, error) {
		_, root, address, err := in.parse(ctx, d)
		if err != nil {
			return markdownOut{}, err
		}
		page.ResolveAll(root, address)
		text, err := htmlmd.Convert(ctx, root)
		if ctx.Err() != nil {
			return markdownOut{}, ctx.Err()
		}
		if err != nil {
			return markdownOut{}, reading.Invalid("the page cannot be made Markdown: %s", err)
		}
		return markdownOut{text}, nil
	}
	return pageNode(node.Func("data.html_to_markdown", "HTML to Markdown", convert).
		Aliases("markdown, convert page, readable, for language models", "markdown, seite umwandeln, lesbar").
		Example(map[string]any{"html": "<h1>Hello</h1><p>A <b>bold</b> <a href=\"/x\">link</a>.</p>", "base": "https://example.com"}).Doc(
		"Makes Markdown of a page, with headings, lists, tables, links and pictures; scripts and styles are left out. It is what people and language models " +
			"read best: `<p>A <b>bold</b> word</p>` gives `A **bold** word`.\n\n" +
			"Line breaks in the cells of a table become `<br>`, a pipe is escaped, a table without a header has its first row as one, and cells that span several have empty ones beside them. " +
			"Code blocks keep their language. A file is decoded by its byte order mark, as it declares in `meta`, or by its bytes."))
}

type linkOut struct {
	Text string `port:"text"`
	Href string `port:"href"`
}

type textOut struct {
	Text  string    `port:"text" doc:"The text, with a line for each paragraph, heading, row and item."`
	Links []linkOut `port:"links" doc:"All links, in order."`
}

func (d disk) htmlToTextNode() node.Node {
	convert := func(ctx context.Context, in pageIn) (textOut, error) {
		text, root, address, err := in.parse(ctx, d)
		if err != nil {
			return textOut{}, err
		}
		out := textOut{Text: strings.ToValidUTF8(htmltext.Of(text), "\uFFFD"), Links: []linkOut{}}
		for n := range root.Descendants() {
			if href, ok := page.Attribute(n, "href"); ok && n.Type == html.ElementNode && n.Data == "a" {
				label := strings.ReplaceAll(htmltext.OfNode(n), "\n", " ")
				out.Links = append(out.Links, linkOut{strings.ToValidUTF8(label, "\uFFFD"), strings.ToValidUTF8(page.Resolve(address, href), "\uFFFD")})
			}
		}
		return out, nil
	}
	return pageNode(node.Func("data.html_to_text", "HTML to text", convert).
		Aliases("plain text, strip tags, links, read page", "reiner text, tags entfernen, links, seite lesen").
		Example(map[string]any{"html": "<h1>Hello</h1><p>A <a href=\"/x\">link</a>.</p>", "base": "https://example.com"}).Doc(
		"Gives what a reader would see of a page, and its links: `<h1>Hello</h1><p>A <a href=\"/x\">link</a>.</p>` is two lines and one link. " +
			"Scripts, styles, `noscript` and elements that are hidden are left out, and so are soft hyphens and zero-width spaces. The cells of a row have a space between them; inline elements have none. " +
			"Preformatted text keeps its spaces. A file is decoded by its byte order mark, as it declares in `meta`, or by its bytes."))
}
