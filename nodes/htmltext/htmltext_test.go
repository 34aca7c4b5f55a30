package htmltext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/svcflow/svc/nodes/htmltext"
)

func TestTextIsWhatABrowserShows(t *testing.T) {
	for _, c := range []struct{ markup, want string }{
		{"<table><tr><th>Item</th><th>Qty</th></tr><tr><td>Tea</td><td>2</td></tr></table>", "Item Qty\nTea 2"},
		{"<table><tr><td>a<td><td>c<tr><td><p>d</p><p>e</p></table>", "a c\nd\ne"},
		{"<table><caption>Prices</caption><thead><tr><th>A</thead><tbody><tr><td>1</tbody></table>", "Prices\nA\n1"},
		{"<p>W<b>or</b>ld, <i>x</i><u>y</u></p>", "World, xy"},
		{"<dl><dt>Tea</dt><dd>Green</dd><dt>Milk<dd>Cow</dl>", "Tea\nGreen\nMilk\nCow"},
		{"<main>a</main><nav>b</nav><aside>c</aside><address>d</address><figure><img><figcaption>e</figcaption></figure>f", "a\nb\nc\nd\ne\nf"},
		{"a<br>b<br/>c</br>d<wbr>e", "a\nb\nc\nde"},
		{"<ul><li>a<li>b<ul><li>c</ul></ul>", "a\nb\nc"},
		{"<ul>\n <li> a </li>\n <li>b\n c</li></ul>", "a\nb c"},
		{"<pre>if x {\n    y()\n\n}</pre>z", "if x {\n    y()\n}\nz"},
		{"<p>x</p><pre>\n  a  b\n</pre>", "x\n  a  b"},
		{"<textarea>a\n b</textarea>c", "a\n b c"},
		{"<select><option>a<option>b</select>", "a\nb"},
		{"<details><summary>More</summary>Text</details>", "More\nText"},
		{"<script>a<b</script>x<style>p{}</style><template><p>y</p></template><noscript><p>z</p></noscript><iframe>w</iframe>", "x"},
		{"<title>t</title><div hidden>a<div>b</div>c</div>d<span style='color:red; display : none'>e</span>f", "df"},
		{"<script/>x</script>y", "y"},
		{"5&nbsp;000&nbsp;&euro; &amp; &lt;b&gt; &#8220;x&#8221;", "5 000 € & <b> “x”"},
		{"Donau&shy;dampf\u200bschiff \ufeff", "Donaudampfschiff"},
		{"Hi<div>\u200c\u00a0\u200c\u00a0\u034f \u200c</div><p>می\u200cخواهم 👩\u200d💻</p>", "Hi\nمی\u200cخواهم 👩\u200d💻"},
		{"a<!-- b -->c<![CDATA[d]]>e", "ace"},
		{"<p>a</p>\n\n<p> </p><p>b</p>", "a\nb"},
		{"x<img src='data:" + strings.Repeat("A", 2<<20) + "'>y", "xy"},
		{"", ""},
		{"a < b & c", "a < b & c"},
		{"<p", ""},
	} {
		require.Equal(t, c.want, htmltext.Of(c.markup), cutTo(c.markup))
	}
}

func TestATreeHasTheSameText(t *testing.T) {
	for _, markup := range []string{
		"<table><tr><td>a</td><td>b</td></tr></table><p>W<b>or</b>ld</p><pre> a\n  b</pre><div hidden>x</div><ul><li>1</li></ul>c<br>d",
		"<div><p>a</p>b<script>x</script><textarea>y</textarea></div>",
	} {
		root, err := html.Parse(strings.NewReader(markup))
		require.NoError(t, err)
		require.Equal(t, htmltext.Of(markup), htmltext.OfNode(root))
	}
}

func cutTo(text string) string { return text[:min(len(text), 60)] }

var sample = "<html><body>" + strings.Repeat(`<div class="row"><h2>Order <b>4711</b></h2><p>Some text &amp; more of it, <a href="https://example.com/">a link</a>.</p><table><tr><td>Qty</td><td>2</td></tr></table></div>`+"\n", 1000) //nolint:gochecknoglobals // a constant that takes a call

func BenchmarkOf(b *testing.B) {
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		htmltext.Of(sample)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("<table><tr><td>a<td hidden>b</table><pre> x\n</pre><div style='display:none'>")
	f.Add("\u00ad\u200c<p>\xff</p><textarea><plaintext><script/>")
	f.Fuzz(func(t *testing.T, markup string) {
		text := htmltext.Of(markup)
		require.LessOrEqual(t, len(text), 3*len(markup)+16)
		if utf8.ValidString(markup) {
			require.True(t, utf8.ValidString(text))
		}
		require.NotContains(t, text, "\n\n")
		if root, err := html.Parse(strings.NewReader(markup)); err == nil {
			htmltext.OfNode(root)
		}
	})
}
