package data

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/page"
	"github.com/svcflow/svc/nodes/reading"
)

type htmlExtractIn struct {
	pageIn

	Fields map[string]any `port:"fields,literal" widget:"json" doc:"What to take, by name: a CSS selector, then @attr for an attribute or html for markup, and [] for all matches."`
	Items  *string        `port:"items,optional,literal" doc:"A selector: each match gives a record, and fields are looked up in it."`
}

type htmlExtractOut struct {
	Value map[string]any `port:"value" doc:"The fields; with items those of the first one."`
	Items []any          `port:"items" doc:"With items a record for each match, else empty."`
	Count int            `port:"count" doc:"How many items there are."`
}

func (d disk) htmlExtractNode() node.Node {
	n := node.FuncFor("data.html_extract", "Extract from HTML", d.extractor).
		Aliases("scrape, css selector, parse html, crawl, web page", "scrapen, css selektor, webseite auslesen, html auslesen").
		Example(map[string]any{
			"html":   `<ul><li><a href="/a">Ada</a></li><li><a href="/b">Alan</a></li></ul>`,
			"fields": map[string]any{"name": "a", "link": "a @href"}, "items": "li", "base": "https://example.com",
		}).Doc(
		"Takes parts of a page by CSS selectors. A field `h1` is the text of the first match, `a @href` an attribute, `article html` the markup, and with `[]` at the end " +
			"it is a list of all matches: `a @href []`. Without a selector, as in `@href`, it is the item itself. What is not there is null.\n\n" +
			"With `items` = `li` there is a record for each `li`. Links (`href`, `src`, `srcset` and the like) become whole addresses if there is a `base` or the page names one.\n\n" +
			"A text is all text in the element, scripts included, and nothing is added between its parts: `<b>1</b><i>,50</i>` is `1,50`, and the cells of a row run together, so take them one by one. " +
			"White space is collapsed, except in `script`, `style`, `pre` and `textarea`. An attribute such as `disabled` has its name as its value. " +
			"Markup is the element itself with all that is in it. A malformed page is read as a browser reads it. A file is decoded by its byte order mark, as it declares in `meta`, or by its bytes.")
	n.Spec.Outputs[1].Type = value.MustType("list<record>")
	return pageNode(n)
}

// field describes one field to extract.
type field struct {
	name      string
	selector  cascadia.SelectorGroup // nil for the item itself
	attribute string
	markup    bool
	all       bool
}

// maxSelector is the longest selector in bytes, and maxMatches the largest number of
// matches of all fields.
const (
	maxSelector = 1000
	maxMatches  = 1_000_000
)

func (d disk) extractor(b node.Binding) (func(context.Context, htmlExtractIn) (htmlExtractOut, error), []node.Problem) {
	given, _ := b.Config["fields"].(map[string]any)
	var fields []field
	var problems []node.Problem
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text, isText := given[name].(string)
		f, err := parseField(name, text)
		if !isText || err != nil {
			problems = append(problems, node.Invalid("fields", "%s: %q is no selector such as h1, a @href or li []", name, reading.Cut(text)))
			continue
		}
		fields = append(fields, f)
	}
	var items cascadia.SelectorGroup
	if text, isText := b.Config["items"].(string); isText {
		var err error
		if items, err = parseSelector(text); err != nil {
			problems = append(problems, node.Invalid("items", "%q is no selector such as li or .product", reading.Cut(text)))
		}
	}
	return func(ctx context.Context, in htmlExtractIn) (htmlExtractOut, error) {
		_, root, base, err := in.parse(ctx, d)
		if err != nil {
			return htmlExtractOut{}, err
		}
		e := extraction{ctx: ctx, fields: fields, base: base}
		return e.all(root, items)
	}, problems
}

func parseSelector(text string) (cascadia.SelectorGroup, error) {
	if len(text) > maxSelector {
		return nil, reading.Invalid("the selector is longer than %d bytes", maxSelector)
	}
	return cascadia.ParseGroup(text)
}

func parseField(name, text string) (f field, err error) {
	f.name = name
	rest, all := strings.CutSuffix(strings.TrimSpace(text), "[]")
	f.all, rest = all, strings.TrimSpace(rest)
	before, last := "", rest
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		before, last = strings.TrimSpace(rest[:i]), rest[i+1:]
	}
	switch {
	case strings.HasPrefix(last, "@") && len(last) > 1:
		f.attribute, rest = strings.ToLower(last[1:]), before
	case last == "html" && before != "":
		f.markup, rest = true, before
	}
	if rest == "" {
		if f.attribute == "" {
			err = reading.Invalid("the selector is empty")
		}
		return f, err
	}
	f.selector, err = parseSelector(rest)
	return f, err
}

// extraction extracts fields from a page.
type extraction struct {
	ctx     context.Context
	fields  []field
	base    *url.URL
	matches int
}

func (e *extraction) all(root *html.Node, items cascadia.SelectorGroup) (htmlExtractOut, error) {
	out := htmlExtractOut{Value: map[string]any{}, Items: []any{}}
	if items == nil {
		v, err := e.record(root)
		if err != nil {
			return htmlExtractOut{}, err
		}
		out.Value = v
		return out, bounded(out.Value)
	}
	for _, n := range cascadia.QueryAll(root, items) {
		v, err := e.record(n)
		if err != nil {
			return htmlExtractOut{}, err
		}
		if len(out.Items) == 0 {
			out.Value = v
		}
		out.Items = append(out.Items, v)
	}
	out.Count = len(out.Items)
	return out, bounded(out.Items)
}

func bounded(v any) error {
	if err := value.Bound(v); err != nil {
		return reading.TooMuch("%w", err)
	}
	return nil
}

func (e *extraction) record(n *html.Node) (map[string]any, error) {
	if e.ctx.Err() != nil {
		return nil, e.ctx.Err()
	}
	record := make(map[string]any, len(e.fields))
	for i := range e.fields {
		f := &e.fields[i]
		found := f.find(n)
		if e.matches += len(found); e.matches > maxMatches {
			return nil, reading.TooMuch("the fields match more than %d times; use narrower selectors", maxMatches)
		}
		values := make([]any, 0, len(found))
		for _, m := range found {
			v, err := e.value(f, m)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		switch {
		case f.all:
			record[f.name] = values
		case len(values) > 0:
			record[f.name] = values[0]
		default:
			record[f.name] = nil
		}
	}
	return record, nil
}

// find returns the nodes that f is extracted from.
func (f *field) find(n *html.Node) []*html.Node {
	switch {
	case f.selector == nil:
		return []*html.Node{n}
	case f.all:
		return cascadia.QueryAll(n, f.selector)
	}
	if first := cascadia.Query(n, f.selector); first != nil {
		return []*html.Node{first}
	}
	return nil
}

func (e *extraction) value(f *field, n *html.Node) (v any, err error) {
	var text string
	switch {
	case f.attribute != "":
		attr, given := page.Attribute(n, f.attribute)
		if !given {
			return nil, nil
		}
		text = page.ResolveAttribute(e.base, f.attribute, attr)
	case f.markup:
		text = page.Markup(n)
	default:
		text = page.Text(n)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), node.Hold(e.ctx, len(text))
}
