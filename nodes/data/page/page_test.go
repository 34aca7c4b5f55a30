package page_test

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/data/page"
)

func first(t testing.TB, markup, selector string) *html.Node {
	t.Helper()
	root, err := page.Parse(markup)
	require.NoError(t, err)
	n := cascadia.Query(root, cascadia.MustCompile(selector))
	require.NotNil(t, n, markup)
	return n
}

// TestReadsWhatCheerioReads compares texts without their white space, which is collapsed,
// and with testdata/cheerio.js.
func TestReadsWhatCheerioReads(t *testing.T) {
	var cases []struct{ HTML, Select, Attribute string }
	var golden struct {
		Results []struct {
			Text, HTML string
			Attribute  *string
		}
	}
	for name, v := range map[string]any{"cases.json": &cases, "cheerio.json": &golden} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, v))
	}
	require.Len(t, golden.Results, len(cases))
	for i, c := range cases {
		want := golden.Results[i]
		n := first(t, c.HTML, c.Select)
		require.Equal(t, collapsed(want.Text), collapsed(page.Text(n)), c.HTML)
		require.Equal(t, want.HTML, page.Markup(n), c.HTML)
		if value, ok := page.Attribute(n, c.Attribute); want.Attribute != nil {
			require.True(t, ok, c.HTML)
			require.Equal(t, *want.Attribute, value)
		} else {
			require.False(t, ok)
		}
	}
}

func collapsed(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestWhiteSpaceOfCodeAndDataIsKept(t *testing.T) {
	require.Equal(t, "a b", page.Text(first(t, "<p> a \n b </p>", "p")))
	require.Equal(t, "a\n  b", page.Text(first(t, "<pre>\na\n  b\n</pre>", "pre")))
	require.Equal(t, `{"a":"x  y"}`, page.Text(first(t, "<script>\n{\"a\":\"x  y\"}\n</script>", "script")))
}

func TestLinksAreResolved(t *testing.T) {
	address, err := url.Parse("https://example.com/a/page?x=1")
	require.NoError(t, err)
	for _, c := range []struct{ markup, name, value, want string }{
		{"", "href", "p.html", "https://example.com/a/p.html"},
		{"", "href", "", "https://example.com/a/page?x=1"},
		{"", "href", " /p\n.html ", "https://example.com/p.html"},
		{"", "href", "//cdn.example/x", "https://cdn.example/x"},
		{"", "href", "?y=2", "https://example.com/a/page?y=2"},
		{"", "href", "mailto:a@b.c", "mailto:a@b.c"},
		{"", "href", "my file.html", "https://example.com/a/my%20file.html"},
		{"", "href", "100%.html", "https://example.com/a/100%25.html"},
		{"", "title", "p.html", "p.html"},
		{"", "srcset", "a.jpg 1x, /b,c.jpg 2x,d.jpg", "https://example.com/a/a.jpg 1x, https://example.com/b,c.jpg 2x, https://example.com/a/d.jpg"},
		{`<base target="_blank"><base href="https://cdn.example.com/x/">`, "href", "p.html", "https://cdn.example.com/x/p.html"},
		{`<base href="/b/"><base href="/c/">`, "src", "p.png", "https://example.com/b/p.png"},
		{`<base href="javascript:x">`, "src", "p.png", "https://example.com/a/p.png"},
	} {
		root, err := page.Parse(c.markup)
		require.NoError(t, err)
		require.Equal(t, c.want, page.ResolveAttribute(page.Base(root, address), c.name, c.value), c.value)
	}
	root, err := page.Parse(`<base href="https://example.com/x/"><a href=p>`)
	require.NoError(t, err)
	require.Equal(t, "https://example.com/x/p", page.Resolve(page.Base(root, nil), "p"), "the page names its base")
	require.Equal(t, "p", page.Resolve(nil, "p"))
}

func TestDeclaredEncodings(t *testing.T) {
	for data, want := range map[string]string{
		`<meta charset="iso-8859-2">`: "iso-8859-2",
		`<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">`: "shift_jis",
		`<?xml version="1.0" encoding="KOI8-R"?><html>`:                           "KOI8-R",
		"<p>x": "",
		"<!--" + strings.Repeat("x", 2000) + "--><meta charset=windows-1251>": "windows-1251",
	} {
		require.Equal(t, strings.ToLower(want), strings.ToLower(page.Declared([]byte(data))))
	}
	text, _, _, err := charset.Text([]byte("<meta charset=koi8-r>\xf0\xf2\xe9"), charset.Auto, page.Declared([]byte("<meta charset=koi8-r>")))
	require.NoError(t, err)
	require.Contains(t, text, "ПРИ")
}

func FuzzPage(f *testing.F) {
	f.Add("<base href=x><p>a<b>c</p><script>x</script><svg xlink:href=y><template>", "a.jpg 1x, b 2x")
	f.Fuzz(func(t *testing.T, markup, link string) {
		page.Declared([]byte(markup))
		base := &url.URL{Scheme: "https", Host: "example.com", Path: "/a/"}
		page.ResolveAttribute(base, "srcset", link)
		root, err := page.Parse(markup)
		if err != nil {
			return
		}
		page.ResolveAll(root, page.Base(root, base))
		page.Text(root)
		page.Markup(root)
	})
}
