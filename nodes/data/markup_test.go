package data_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/nodetest"
)

const page = `<html><head><title>Shop</title><style>p{}</style></head><body>
<h1> Our <b>tea</b> </h1><script>alert(1)</script>
<ul><li class="p"><a href="/a?x=1&amp;y=2">Green</a> <i>5</i></li><li class="p"><a href="https://other.example/b">Black</a></li></ul>
<img src="logo.png"></body></html>`

func TestHTMLExtract(t *testing.T) {
	h, _ := host(t)
	out, err := h.Exec("data.html_extract", record{"base": "https://example.com/shop/", "fields": record{
		"title": "h1", "links": "a @href []", "names": "li a []", "logo": "img @src", "none": "h2", "all": "h2 []", "markup": "i html", "no": "h1 @id", "head": "title",
	}}, record{"html": page})
	require.NoError(t, err)
	require.Equal(t, record{"warnings": []any{}, "count": 0, "items": []any{}, "value": record{
		"title": "Our tea", "links": []any{"https://example.com/a?x=1&y=2", "https://other.example/b"}, "names": []any{"Green", "Black"},
		"logo": "https://example.com/shop/logo.png", "none": nil, "all": []any{}, "markup": "<i>5</i>", "no": nil, "head": "Shop",
	}}, out)
	out, err = h.Exec("data.html_extract", record{"items": "li.p", "fields": record{"name": "a", "price": "i", "class": "@class"}}, record{"html": page})
	require.NoError(t, err)
	require.Equal(t, []any{record{"name": "Green", "price": "5", "class": "p"}, record{"name": "Black", "price": nil, "class": "p"}}, out["items"])
	require.Equal(t, out["items"].([]any)[0], out["value"])
	require.Equal(t, 2, out["count"])

	for port, config := range map[string]record{
		"fields": {"html": "", "fields": record{"x": "a["}},
		"items":  {"html": "", "fields": record{}, "items": "::"},
	} {
		problems := h.Problems("data.html_extract", config)
		require.Len(t, problems, 1)
		require.Equal(t, port, problems[0].Port)
	}
	require.Len(t, h.Problems("data.html_extract", record{"html": "", "fields": record{"a": 1, "b": "", "c": "@", "d": "[]", "e": strings.Repeat("a", 1001)}}), 5)
	_, err = h.Exec("data.html_extract", record{"fields": record{}, "base": "shop"}, record{"html": ""})
	require.ErrorContains(t, err, "base is no address")
}

func TestHTMLConverts(t *testing.T) {
	h, _ := host(t)
	out, err := h.Exec("data.html_to_markdown", record{"base": "https://example.com"}, record{"html": page + "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"})
	require.NoError(t, err)
	require.Equal(t, "# Our **tea**\n\n- [Green](https://example.com/a?x=1&y=2) *5*\n- [Black](https://other.example/b)\n\n![](https://example.com/logo.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |", out["markdown"])
	out, err = h.Exec("data.html_to_text", record{"base": "https://example.com"}, record{"html": page})
	require.NoError(t, err)
	require.Equal(t, record{"warnings": []any{}, "text": "Our tea\nGreen 5\nBlack", "links": []any{
		record{"text": "Green", "href": "https://example.com/a?x=1&y=2"}, record{"text": "Black", "href": "https://other.example/b"},
	}}, out)
	for _, typ := range []string{"data.html_to_markdown", "data.html_to_text", "data.html_extract"} {
		config := record{}
		if typ == "data.html_extract" {
			config["fields"] = record{"x": "div []"}
		}
		_, err = h.Exec(typ, config, record{"html": strings.Repeat("<div>", 10_000)})
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), typ)
		_, err = h.Exec(typ, config, record{"html": strings.Repeat(" ", 17<<20)})
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), typ)
	}
}

func TestPagesAreReadFromFiles(t *testing.T) {
	h, dir := host(t)
	put(t, dir, "page.html", "<meta charset=windows-1251><base href='https://cdn.example.com/x/'><p>\xcf\xf0\xe8\xe2\xe5\xf2<a href=p.html>W<b>or</b>ld</a></p>")
	out, err := h.Exec("data.html_extract", record{"fields": record{"p": "p", "link": "a @href"}}, record{"path": "page.html"})
	require.NoError(t, err)
	require.Equal(t, record{"p": "ПриветWorld", "link": "https://cdn.example.com/x/p.html"}, out["value"])
	out, err = h.Exec("data.html_to_text", nil, record{"path": "page.html"})
	require.NoError(t, err)
	require.Equal(t, "ПриветWorld", out["text"])
	require.Equal(t, []any{record{"text": "World", "href": "https://cdn.example.com/x/p.html"}}, out["links"])
	out, err = h.Exec("data.html_to_markdown", nil, record{"base64": "PHA+VzxiPm9yPC9iPmxkPC9wPg=="})
	require.NoError(t, err)
	require.Equal(t, "W**or**ld", out["markdown"])
	put(t, dir, "page.md", "\ufeff# Grüße")
	out, err = h.Exec("data.markdown_to_html", nil, record{"path": "page.md"})
	require.NoError(t, err)
	require.Equal(t, "<h1>Grüße</h1>\n", out["html"])
	require.NotEmpty(t, h.Problems("data.html_to_text", record{"html": "x", "path": "page.html"}))
}

func TestMarkdownToHTML(t *testing.T) {
	h, _ := host(t)
	for _, tt := range []struct {
		config     record
		text, want string
	}{
		{nil, "A **bold** ~~word~~", "<p>A <strong>bold</strong> <del>word</del></p>\n"},
		{nil, "|a|\n|-|\n|1|", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>\n"},
		{nil, "x <script>alert(1)</script> [a](javascript:alert(1))", "<p>x <!-- raw HTML omitted -->alert(1)<!-- raw HTML omitted --> <a href=\"\">a</a></p>\n"},
		{record{"unsafe": true}, "x <b>y</b>", "<p>x <b>y</b></p>\n"},
		{record{"document": true}, "x", "<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n</head>\n<body>\n<p>x</p>\n</body>\n</html>\n"},
	} {
		out, err := h.Exec("data.markdown_to_html", tt.config, record{"markdown": tt.text})
		require.NoError(t, err)
		require.Equal(t, tt.want, out["html"])
	}
	for _, text := range []string{strings.Repeat(">", 5000), strings.Repeat("- ", 5000), strings.Repeat("1. ", 5000), strings.Repeat("x", 3<<20), strings.Repeat("![](", 6_000), strings.Repeat("[a]: b\n", 6_000)} {
		_, err := h.Exec("data.markdown_to_html", nil, record{"markdown": text})
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	}
	for _, text := range []string{strings.Repeat("[", 20_000), strings.Repeat("*a ", 20_000), strings.Repeat("`", 20_000), strings.Repeat("<", 20_000)} {
		_, err := h.Exec("data.markdown_to_html", nil, record{"markdown": text})
		require.NoError(t, err)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add(page, "a @href []")
	f.Add("<table><tr><td>", "td")
	f.Fuzz(func(t *testing.T, text, selector string) {
		if !utf8.ValidString(text + selector) {
			return // not a valid text in a workflow
		}
		h := nodetest.New(t, data.New(data.Config{}))
		_, _ = h.Exec("data.html_extract", record{"fields": record{"x": selector}}, record{"html": text})
		_, _ = h.Exec("data.html_to_markdown", nil, record{"html": text})
		out, err := h.Exec("data.html_to_text", nil, record{"html": text})
		if err == nil {
			require.IsType(t, "", out["text"])
		}
		_, _ = h.Exec("data.markdown_to_html", nil, record{"markdown": text})
	})
}
