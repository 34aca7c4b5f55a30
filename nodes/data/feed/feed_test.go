package feed_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/data/feed"
	"github.com/svcflow/svc/nodes/data/xmltree"
	"github.com/svcflow/svc/nodes/reading"
)

// golden is an item as testdata/golden.py writes it.
type golden struct {
	ID, Title, URL, Published, Author, Summary, Content string
	Enclosures                                          []string
}

func goldenOf(i *feed.Item) golden {
	g := golden{ID: i.ID, Title: i.Title, URL: i.URL, Author: i.Author, Summary: i.Summary, Content: i.Content, Enclosures: []string{}}
	if !i.Published.IsZero() {
		g.Published = i.Published.Format(time.RFC3339)
	}
	for _, e := range i.Enclosures {
		g.Enclosures = append(g.Enclosures, e.URL)
	}
	return g
}

// TestReadsWhatFeedparserReads has the documented differences in testdata/README.md.
func TestReadsWhatFeedparserReads(t *testing.T) {
	data, err := os.ReadFile("testdata/feedparser.json")
	require.NoError(t, err)
	var want struct {
		Feeds map[string]struct {
			Title string
			Items []golden
		}
	}
	require.NoError(t, json.Unmarshal(data, &want))
	require.NotEmpty(t, want.Feeds)
	for name, w := range want.Feeds {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name)
			require.NoError(t, err)
			text, _, _, err := charset.Text(data, charset.Auto, xmltree.Declared(data))
			require.NoError(t, err)
			f, err := feed.Parse(text, nil)
			require.NoError(t, err)
			require.Equal(t, w.Title, f.Title)
			require.Len(t, f.Items, len(w.Items))
			for i := range f.Items {
				require.Equal(t, w.Items[i], goldenOf(&f.Items[i]))
			}
		})
	}
}

// rss returns a feed of RSS with the items.
func rss(items ...string) string {
	return `<rss version="2.0"><channel><title>News</title>` + strings.Join(items, "") + `</channel></rss>`
}

func parse(t *testing.T, text string) (*feed.Feed, []reading.Note) {
	t.Helper()
	var notes reading.Notes
	f, err := feed.Parse(text, &notes)
	require.NoError(t, err)
	return f, notes.All()
}

func TestRepairsAreNoted(t *testing.T) {
	for _, c := range []struct{ text, title, note string }{
		{rss("<item>\n<title>a\x0bb</title></item>"), "ab", "line 2: there are control characters, such as U+000B"},
		{rss("<item>\n\n<title>Tom & Jerry</title></item>"), "Tom & Jerry", "line 3: there is an & that is not written as &amp;"},
		{rss("<item><title>a&nbsp;b&nosuch;</title></item>"), "a\u00a0b&nosuch;", "line 1: there is an entity of HTML, &nbsp;"},
		{"Warning: no such file\n<?xml version='1.0'?>" + rss("<item><title>x</title></item>"), "x", `line 1: there is text before the feed: "Warning: no such file"`},
		{rss("<item><title>x</titel></item>"), "x", "line 1: </titel> closes nothing"},
		{rss("<item><title>x</title>", "<item><title>y</title></item>"), "x", "line 1: <item> begins before the item before it ends"},
		{strings.TrimSuffix(rss("<item><title>x</title></item>"), "</channel></rss>"), "x", "line 1: the feed ends before </rss>"},
		{rss("<item><title>GrÃ¼ÃŸe</title></item>"), "Grüße", "line 1: there is text that was encoded in UTF-8 twice"},
		{rss("<item><title>don\u0092t</title></item>"), "don’t", "line 1: there are characters of Windows-1252"},
		{rss("<item><title>x</title><pubDate>soon</pubDate></item>"), "x", `line 1, x: the date "soon" cannot be read`},
		{rss("<item><title>x</title><pubDate>1 Feb 2026 10:00 XYZ</pubDate></item>"), "x", `line 1, x: the zone "XYZ" of its date is not known; UTC was taken`},
	} {
		f, notes := parse(t, c.text)
		require.NotEmpty(t, f.Items, c.text)
		require.Equal(t, c.title, f.Items[0].Title)
		require.NotEmpty(t, notes, c.text)
		require.Contains(t, notes[0].String(), c.note)
		require.False(t, notes[0].Dropped)
	}
}

func TestAnItemThatIsCutOffIsDropped(t *testing.T) {
	f, notes := parse(t, rss("<item><title>x</title></item>")[:60]+"</title></item><item><title>half</title><descr")
	require.Len(t, f.Items, 1)
	require.Equal(t, "line 1, half: the feed ends within an item; the item is left out", notes[0].String())
	require.True(t, notes[0].Dropped)
}

func TestAGuidIsTheLinkIfItIsAnAddress(t *testing.T) {
	for item, want := range map[string]string{
		`<guid>https://example.com/p</guid>`:                     "https://example.com/p",
		`<guid isPermaLink="true">https://example.com/p</guid>`:  "https://example.com/p",
		`<guid isPermaLink="false">https://example.com/p</guid>`: "",
		`<guid>42</guid>`: "",
		`<link>https://example.com/l</link><guid>https://example.com/p</guid>`:         "https://example.com/l",
		`<link/><guid>https://example.com/p</guid>`:                                    "https://example.com/p",
		`<guid xml:base="https://example.com/a/">p</guid>`:                             "https://example.com/a/p",
		`<link>https://example.com/?a=1&amp;copy=2</link>`:                             "https://example.com/?a=1&copy=2",
		`<link>https://example.com/?a=1&copy=2</link>`:                                 "https://example.com/?a=1&copy=2",
		`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="self" href="https://x/"/>`: "",
	} {
		f, _ := parse(t, rss("<item>"+item+"</item>"))
		require.Equal(t, want, f.Items[0].URL, item)
	}
}

func TestEnclosures(t *testing.T) {
	for item, want := range map[string][]feed.Enclosure{
		`<enclosure url="https://example.com/a.mp3" length="123" type="audio/mpeg"/>`:              {{URL: "https://example.com/a.mp3", Type: "audio/mpeg", Length: 123}},
		`<enclosure url="https://example.com/a.mp3" length="?"/><enclosure url="b.mp3"/>`:          {{URL: "https://example.com/a.mp3"}, {URL: "b.mp3"}},
		`<m:content xmlns:m="http://search.yahoo.com/mrss/" url="https://example.com/a.jpg"/>`:     {{URL: "https://example.com/a.jpg"}},
		`<media:group><media:content url="https://example.com/a.jpg" fileSize="9"/></media:group>`: {{URL: "https://example.com/a.jpg", Length: 9}},
		`<enclosure/>`: nil,
	} {
		f, _ := parse(t, rss("<item>"+item+"</item>"))
		require.Equal(t, want, append([]feed.Enclosure(nil), f.Items[0].Enclosures...), item)
	}
}

func TestJSONFeeds(t *testing.T) {
	f, notes := parse(t, "\ufeff"+`{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[
		{"id":7,"external_url":"https://example.com/7","content_text":"x","date_modified":"2026-01-31T18:05:09+01:00","author":{"name":"Ada"},
		 "attachments":[{"url":"https://example.com/a.mp3","mime_type":"audio/mpeg","size_in_bytes":5}]}, "no item"]}`)
	require.Equal(t, "J", f.Title)
	require.Equal(t, []feed.Item{{
		ID: "7", GUID: "7", URL: "https://example.com/7", Content: "x", Author: "Ada", Date: "2026-01-31T18:05:09+01:00",
		Published:  time.Date(2026, 1, 31, 17, 5, 9, 0, time.UTC),
		Enclosures: []feed.Enclosure{{URL: "https://example.com/a.mp3", Type: "audio/mpeg", Length: 5}},
	}}, f.Items)
	require.Equal(t, "item 2: it is no record", notes[0].String())
	require.True(t, notes[0].Dropped)
}

func TestWhatIsNoFeedIsAnError(t *testing.T) {
	for text, message := range map[string]string{
		"": "it is empty", "  \n": "it is empty", "hello": "there is no element of RSS or Atom",
		"<!DOCTYPE html><p>Not found": "it is an HTML page", "\n<HTML><body>": "it is an HTML page", "<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html xmlns='x'/>": "it is an HTML page",
		"<opml version='1.0'><body/></opml>": "its first element is <opml>", "[]": "no JSON Feed", "{}": "no JSON Feed", `{"version":`: "the feed cannot be read",
	} {
		_, err := feed.Parse(text, nil)
		require.ErrorContains(t, err, message, text)
		require.True(t, node.IsPermanent(err))
	}
	for _, text := range []string{strings.Repeat(" ", feed.MaxBytes+1), "<rss>" + strings.Repeat("<a>", 2000), "<rss>" + strings.Repeat("<a/>", 1_000_001)} {
		_, err := feed.Parse(text, nil)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	}
}

func TestAFeedWithoutItemsIsEmpty(t *testing.T) {
	for _, text := range []string{rss(), "<feed xmlns='http://www.w3.org/2005/Atom'/>", "<!-- x --><rss/>", `{"version":"1","items":[]}`, "<!DOCTYPE rss [<!ENTITY a 'b]>'>]>\n<rss></rss>"} {
		f, notes := parse(t, text)
		require.Empty(t, f.Items)
		require.Empty(t, notes)
	}
}

func TestHostileFeedsTakeNoLongerThanOthers(t *testing.T) {
	start := time.Now()
	for _, text := range []string{
		"<rss>" + strings.Repeat("<aaaa>", 900) + strings.Repeat("</bbbb>", 1_000_000),
		"<rss " + strings.Repeat("xmlns:a='b' ", 500_000) + ">",
		"<rss>" + strings.Repeat("<a xmlns:b='c'>", 900) + strings.Repeat("<i xmlns:d='e'/>", 200_000),
		rss("<item><title>" + strings.Repeat("<b>&", 900) + strings.Repeat("<i>x</i>", 500_000)),
		"<!DOCTYPE a [" + strings.Repeat("] ", 2_000_000),
	} {
		_, _ = feed.Parse(text, nil)
	}
	require.Less(t, time.Since(start), time.Minute)
}

func sample(n int) string {
	item := `<item><guid isPermaLink="false">id</guid><title>No. 1 &amp; more</title><link>https://news.example/1</link><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate>` +
		`<dc:creator>Ed</dc:creator><description>&lt;p&gt;About &lt;b&gt;tea&lt;/b&gt; and milk.&lt;/p&gt;</description><content:encoded><![CDATA[<p>` + strings.Repeat("Some more text. ", 20) + `</p>]]></content:encoded></item>` + "\n"
	return `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title>` + strings.Repeat(item, n) + `</channel></rss>`
}

func BenchmarkParse(b *testing.B) {
	text := sample(1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := feed.Parse(text, nil)
		require.NoError(b, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample(1))
	f.Add("<feed xml:base='http://a/'><entry><author><name>x</name></author><content type='xhtml'><div>x<br/></div></content><link rel='enclosure' href='a'/></entry></feed>")
	f.Add(`{"version":"1","items":[{"id":1}]}`)
	f.Add("x<!DOCTYPE a [ ]> ]><rss><item><title><![CDATA[&#11;&eacute;&")
	f.Fuzz(func(t *testing.T, text string) {
		var notes reading.Notes
		got, err := feed.Parse(text, &notes)
		if err != nil {
			require.True(t, node.IsPermanent(err))
			return
		}
		for i := range got.Items {
			require.Equal(t, strings.ToValidUTF8(got.Items[i].Title, ""), got.Items[i].Title)
		}
	})
}
