package htmlmd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/data/htmlmd"
	"github.com/svcflow/svc/nodes/data/page"
)

func convert(t testing.TB, markup string) string {
	t.Helper()
	root, err := page.Parse(markup)
	require.NoError(t, err)
	text, err := htmlmd.Convert(t.Context(), root)
	require.NoError(t, err)
	return text
}

func TestMarkdownKeepsTables(t *testing.T) {
	for _, c := range []struct{ markup, want string }{
		{
			"<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea<br>green</td><td>3.50</td></tr></table>",
			"| Item         | Price |\n|--------------|-------|\n| Tea<br>green | 3.50  |",
		},
		{"<table><tr><td>a|b</td><td><code>x|y</code></td></tr><tr><td>c</td></tr></table>", "| a\\|b | `x\\|y` |\n|------|--------|\n| c    |        |"},
		{"<table><tr><th colspan=2>H</th></tr><tr><td rowspan=2>r</td><td>3</td></tr><tr><td>4</td></tr></table>", "| H |   |\n|---|---|\n| r | 3 |\n|   | 4 |"},
		{
			"<table><tr><td><ul><li>x</li><li>y</li></ul></td><td><p>a</p><p>b</p></td></tr><tr><td><pre>1\n2</pre></td><td><h2>T</h2></td></tr></table>",
			"| • x<br>• y | a<br>b |\n|------------|--------|\n| `1`<br>`2` | T      |",
		},
		{"<table><tr><td>W<b>or</b>ld</td><td><a href=x>l</a> <img src=i alt=p></td></tr></table>", "| W**or**ld | [l](x) ![p](i) |\n|-----------|----------------|"},
		{"<table role=presentation><tr><td>Hello</td><td>there</td></tr></table>", "Hello\n\nthere"},
		{"<table><tr><td><table><tr><td>in</td></tr></table></td><td>out</td><td>side</td></tr></table>", "| in |\n|----|\n\nout\n\nside"},
		{"<table><tr><td><h1>Layout</h1><p>" + strings.Repeat("x", 600) + "</p></td><td><p>y</p></td></tr></table>", "# Layout\n\n" + strings.Repeat("x", 600) + "\n\ny"},
	} {
		require.Equal(t, c.want, convert(t, c.markup))
	}
}

func TestMarkdownKeepsTheLanguageOfCode(t *testing.T) {
	for markup, language := range map[string]string{
		`<pre><code class="language-go">x</code></pre>`:                 "go",
		`<pre class="lang-c++"><code>x</code></pre>`:                    "c++",
		`<div class="highlight highlight-source-js"><pre>x</pre></div>`: "js",
		`<pre><code class="hljs python">x</code></pre>`:                 "python",
		`<pre class="sourceCode haskell"><code>x</code></pre>`:          "haskell",
		`<pre class="brush: sql">x</pre>`:                               "sql",
		`<pre data-lang="toml"><code>x</code></pre>`:                    "toml",
		`<pre lang="ruby"><code>x</code></pre>`:                         "ruby",
		`<pre class="code wide"><code>x</code></pre>`:                   "",
	} {
		require.Equal(t, "```"+language+"\nx\n```", convert(t, markup))
	}
	require.Equal(t, "````\n```\n  fence\n```\n````", convert(t, "<pre>```\n  fence\n```</pre>"))
}

func TestMarkdownKeepsAnchorsAndLinks(t *testing.T) {
	for markup, want := range map[string]string{
		`<p><a href="#s">go</a></p><h2><a name="s"></a>Part</h2>`: "[go](#s)\n\n## <a id=\"s\"></a>Part",
		`<p><a name="unused">x</a>y</p>`:                          "xy",
		`<a href="a(1).html">b [c]</a>`:                           `[b \[c\]](a%281%29.html)`,
		`<details><summary>S</summary>x</details>`:                "S\n\nx",
		`<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>`:        "- a\n  \n  - b\n- c",
		`<template><p>t</p></template><noscript>n</noscript>x`:    "x",
	} {
		require.Equal(t, want, convert(t, markup), markup)
	}
}

var sample = strings.Repeat(`<h2>Order <b>4711</b></h2><p>Some text &amp; more, <a href="https://example.com/">a link</a>.</p><table><tr><th>Qty</th><td>2</td></tr></table><pre><code class="language-go">x</code></pre>`, 200) //nolint:gochecknoglobals // a constant that takes a call

func BenchmarkConvert(b *testing.B) {
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		convert(b, sample)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("<table><tr><td><ul><li>a<br>b</ul><pre>x\ny</pre><td><table><tr><th>c</table></table>")
	f.Add("<pre class='hljs x'><code data-lang='`'>y</code></pre><a name=b href='#b'><a id=b>c</a>")
	f.Fuzz(func(t *testing.T, markup string) {
		root, err := page.Parse(markup)
		if err != nil {
			return
		}
		_, err = htmlmd.Convert(t.Context(), root)
		require.NoError(t, err)
	})
}
