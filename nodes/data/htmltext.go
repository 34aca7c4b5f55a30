package data

import (
	"context"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/htmltext"
)

type htmlIn struct {
	HTML string  `port:"html" widget:"multiline" doc:"The page, or a part of one."`
	Base *string `port:"base,optional" doc:"The address of the page, for links that are relative."`
}

type markdownOut struct {
	Markdown string `port:"markdown" doc:"The Markdown."`
}

func htmlToMarkdownNode() node.Node {
	convert := func(ctx context.Context, in htmlIn) (markdownOut, error) {
		address, err := parseBase(in.Base)
		if err != nil {
			return markdownOut{}, err
		}
		root, err := parseHTML(ctx, in.HTML)
		if err != nil {
			return markdownOut{}, err
		}
		options := []converter.ConvertOptionFunc{converter.WithContext(ctx)}
		if address != nil {
			options = append(options, converter.WithDomain(address.String()))
		}
		c := converter.NewConverter(converter.WithPlugins(
			base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(), strikethrough.NewStrikethroughPlugin(),
		))
		text, err := c.ConvertNode(root, options...)
		if ctx.Err() != nil {
			return markdownOut{}, ctx.Err()
		}
		if err != nil {
			return markdownOut{}, wrong("the page cannot be made Markdown: %s", err)
		}
		return markdownOut{strings.ToValidUTF8(string(text), "\uFFFD")}, nil
	}
	return node.Func("data.html_to_markdown", "HTML to Markdown", convert).Pure().
		Aliases("markdown, convert page, readable, for language models", "markdown, seite umwandeln, lesbar").
		Example(map[string]any{"html": "<h1>Hello</h1><p>A <b>bold</b> <a href=\"/x\">link</a>.</p>", "base": "https://example.com"}).Doc(
		"Makes Markdown of a page, with headings, lists, tables, links and pictures; scripts and styles are left out. It is what people and language models " +
			"read best: `<p>A <b>bold</b> word</p>` gives `A **bold** word`.")
}

type linkOut struct {
	Text string `port:"text"`
	Href string `port:"href"`
}

type textOut struct {
	Text  string    `port:"text" doc:"The text, with a line for each paragraph, heading, row and item."`
	Links []linkOut `port:"links" doc:"All links, in order."`
}

func htmlToTextNode() node.Node {
	convert := func(ctx context.Context, in htmlIn) (textOut, error) {
		address, err := parseBase(in.Base)
		if err != nil {
			return textOut{}, err
		}
		root, err := parseHTML(ctx, in.HTML)
		if err != nil {
			return textOut{}, err
		}
		out := textOut{Text: strings.ToValidUTF8(htmltext.Of(in.HTML), "\uFFFD"), Links: []linkOut{}}
		for n := range root.Descendants() {
			if href, ok := attribute(n, "href"); ok && n.Type == html.ElementNode && n.Data == "a" {
				out.Links = append(out.Links, linkOut{strings.ToValidUTF8(textIn(n), "\uFFFD"), strings.ToValidUTF8(resolved(address, href), "\uFFFD")})
			}
		}
		return out, nil
	}
	return node.Func("data.html_to_text", "HTML to text", convert).Pure().
		Aliases("plain text, strip tags, links, read page", "reiner text, tags entfernen, links, seite lesen").
		Example(map[string]any{"html": "<h1>Hello</h1><p>A <a href=\"/x\">link</a>.</p>", "base": "https://example.com"}).Doc(
		"Gives what a reader would see of a page, and its links: `<h1>Hello</h1><p>A <a href=\"/x\">link</a>.</p>` is two lines and one link. " +
			"Scripts and styles are left out.")
}
