package trigger_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/trigger"
)

// press is a server with a feed.
type press struct {
	mu      sync.Mutex
	entries []int
	tagged  bool // sends an ETag, else a date
	whole   int  // number of complete responses
	format  func(entries []int) string
	status  int
}

// ServeHTTP implements [http.Handler].
func (p *press) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tag := fmt.Sprintf(`"%v"`, p.entries)
	date := time.Date(2026, 1, 1, 0, 0, len(p.entries), 0, time.UTC).Format(http.TimeFormat)
	switch {
	case p.status != 0:
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(p.status)
		return
	case p.tagged && r.Header.Get("If-None-Match") == tag, !p.tagged && r.Header.Get("If-Modified-Since") == date:
		w.WriteHeader(http.StatusNotModified)
		return
	case p.tagged:
		w.Header().Set("ETag", tag)
	default:
		w.Header().Set("Last-Modified", date)
	}
	p.whole++
	_, _ = w.Write([]byte(p.format(p.entries)))
}

func (p *press) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func rss(entries []int) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>`)
	for _, n := range slices.Backward(entries) { // the latest first
		fmt.Fprintf(&b, `<item><guid>id-%d</guid><title>No. %d &amp; more</title><link>https://news.example/%d</link>`+
			`<pubDate>Thu, 01 Jan 2026 00:00:%02d GMT</pubDate><author>ed@news.example (Ed)</author><description>About %d</description></item>`,
			n, n, n, n, n)
	}
	return b.String() + `</channel></rss>`
}

func atom(entries []int) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>n</id><updated>2026-01-01T00:00:00Z</updated>`)
	for _, n := range slices.Backward(entries) {
		fmt.Fprintf(&b, `<entry><id>id-%d</id><title>No. %d &amp; more</title><link href="https://news.example/%d"/>`+
			`<updated>2026-01-01T00:00:%02dZ</updated><author><name>Ed</name></author><summary>About %d</summary></entry>`,
			n, n, n, n, n)
	}
	return b.String() + `</feed>`
}

func jsonFeed(entries []int) string {
	var items []string
	for _, n := range slices.Backward(entries) {
		items = append(items, fmt.Sprintf(`{"id":"id-%d","title":"No. %d & more","url":"https://news.example/%d","date_published":"2026-01-01T00:00:%02dZ","authors":[{"name":"Ed"}],"summary":"About %d"}`,
			n, n, n, n, n))
	}
	return `{"version":"https://jsonfeed.org/version/1.1","title":"News","items":[` + strings.Join(items, ",") + `]}`
}

// pollOf returns the source of a polling trigger.
func pollOf(t *testing.T, c trigger.Config, typ string, config record) node.Poll {
	t.Helper()
	source, err := nodetest.New(t, trigger.Plugin(c)).Source(typ, config)
	require.NoError(t, err)
	return source.(node.Poll)
}

func TestFeed(t *testing.T) {
	for name, format := range map[string]func([]int) string{"rss": rss, "atom": atom, "json": jsonFeed} {
		for _, tagged := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", tagged), func(t *testing.T) {
				p := &press{entries: []int{1, 2}, format: format, tagged: tagged}
				server := httptest.NewServer(p)
				defer server.Close()
				poll := pollOf(t, trigger.Config{HTTP: server.Client()}, "trigger.feed", record{"url": server.URL + "/feed", "every": "1h"})
				require.Equal(t, time.Hour, poll.Every)
				found, memory, err := poll.Look(t.Context(), nil)
				require.NoError(t, err)
				require.Empty(t, found, "what is there at the first look is not new")

				found, same, err := poll.Look(t.Context(), memory)
				require.NoError(t, err)
				require.Empty(t, found)
				require.Equal(t, memory, same)
				require.Equal(t, 1, p.whole, "nothing has changed, so nothing is sent")

				p.set(func() { p.entries = []int{2, 3, 4} })
				found, next, err := poll.Look(t.Context(), memory)
				require.NoError(t, err)
				require.Len(t, found, 1)
				require.Equal(t, 2, found[0].Outputs["count"])
				items := found[0].Outputs["items"].([]any)
				first := items[0].(record)
				require.Contains(t, first["author"], "Ed")
				delete(first, "author")
				require.Equal(t, record{
					"id": "id-3", "title": "No. 3 & more", "url": "https://news.example/3", "published": "2026-01-01T00:00:03.000Z", "summary": "About 3",
				}, first, "the oldest first")
				again, _, err := poll.Look(t.Context(), memory)
				require.NoError(t, err)
				require.Equal(t, found[0].Key, again[0].Key, "what is told once more is the same")

				p.set(func() { p.entries = []int{1, 3, 4} })
				found, _, err = poll.Look(t.Context(), next)
				require.NoError(t, err)
				require.Empty(t, found, "one that has come back")
			})
		}
	}
}

func TestFeedsThatAreNone(t *testing.T) {
	p := &press{format: func([]int) string { return "<html>" }}
	server := httptest.NewServer(p)
	defer server.Close()
	poll := pollOf(t, trigger.Config{HTTP: server.Client()}, "trigger.feed", record{"url": server.URL})
	_, _, err := poll.Look(t.Context(), nil)
	require.Equal(t, "bad_answer", node.CodeOf(err))
	p.set(func() { p.status = http.StatusTooManyRequests })
	_, _, err = poll.Look(t.Context(), nil)
	require.Equal(t, "http_status", node.CodeOf(err))
	require.Equal(t, 2*time.Minute, node.RetryAfter(err))
	p.set(func() {
		p.status, p.format = 0, func([]int) string { return "<rss>" + strings.Repeat(" ", 17<<20) + "</rss>" }
	})
	_, _, err = poll.Look(t.Context(), nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = poll.Look(ctx, nil)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(err))
	server.Close()
	_, _, err = poll.Look(t.Context(), nil)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(err))
	require.NotContains(t, err.Error(), "127.0.0.1")

	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	for _, config := range []record{{"url": "news"}, {"url": "file:///etc/passwd"}, {"url": "https://x.example", "every": "0s"}, {"url": "https://x.example", "every": "soon"}} {
		require.Len(t, h.Problems("trigger.feed", config), 1, config)
	}
}
