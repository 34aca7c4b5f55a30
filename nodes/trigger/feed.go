package trigger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/charset"
	feeds "github.com/svcflow/svc/nodes/data/feed"
	"github.com/svcflow/svc/nodes/data/xmltree"
	"github.com/svcflow/svc/nodes/service"
)

func feedNode(web *http.Client) node.Node {
	text := func(name string) value.Field { return value.Field{Name: name, Type: value.String()} }
	item := value.RecordOf(text("id"), text("title"), text("url"), text("published"), text("author"), text("summary"))
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.feed", Label: "Feed", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("rss, atom, news, blog, podcast, json feed", "rss, atom, nachrichten, blog, podcast"),
			Example: &node.Example{Config: map[string]any{"url": "https://go.dev/blog/feed.atom"}},
			Description: "Starts the workflow when a feed (RSS, Atom or JSON Feed) has new entries, once it is active.\n\n" +
				"Example: with `url` = `https://go.dev/blog/feed.atom` and `every` = `1h` it looks once an hour; a new article is one of `items`, with its " +
				"title and url. Several new ones come together, the oldest first.\n\n" +
				"What is in the feed at the first look is not new. A server that says that nothing has changed is asked for nothing more. An entry that was " +
				"changed is not new.",
			Inputs: []node.Port{
				setting(node.Port{Name: "url", Type: value.String(), Description: "Where the feed is: an address with http or https."}),
				everyPort("15m"),
			},
			Outputs: []node.Port{
				{Name: "items", Type: value.ListOf(item), Description: "The new entries, the oldest first. What the feed does not say of one is empty."},
				{Name: "count", Type: value.Int(), Description: "How many there are."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) {
			every, problems := everyOf(b)
			address, _ := b.Config["url"].(string)
			if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
				problems = append(problems, node.Invalid("url", "give the address of the feed, with http:// or https:// and a host"))
			}
			f := &feed{web: web, address: address}
			return node.Bound{
				Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs,
				Sample: func(time.Time) map[string]any { return map[string]any{"items": []any{}, "count": 0} },
				Source: node.Poll{Every: every, Look: f.look},
			}, problems
		},
	}
}

// feed is a feed that is polled.
type feed struct {
	web     *http.Client
	address string
}

// codeHTTPStatus means that the server responds, but not with a feed.
const codeHTTPStatus = "http_status"

const feedTime = time.Minute

// look implements [node.Poll].
func (f *feed) look(ctx context.Context, memory []byte) ([]node.Firing, []byte, error) {
	k, first := recall(memory, "feed "+nameFor(f.address))
	parsed, err := f.fetch(ctx, &k)
	if err != nil || parsed == nil {
		return nil, memory, err
	}
	entries := slices.Clone(parsed.Items)
	slices.Reverse(entries) // feeds list the latest entry first
	slices.SortStableFunc(entries, func(a, b feeds.Item) int { return a.Published.Compare(b.Published) })
	names := make([]string, len(entries))
	for i := range entries {
		e := &entries[i]
		names[i] = nameFor(cmp.Or(e.GUID, e.URL, e.Title+"\x00"+e.Date))
	}
	items, told := []any{}, []string{}
	for i, isNew := range k.meet(names) {
		if isNew {
			items, told = append(items, itemOf(&entries[i])), append(told, names[i])
		}
	}
	if first || len(items) == 0 {
		return nil, k.text(), nil
	}
	return []node.Firing{{Key: nameFor(told...), Outputs: map[string]any{"items": items, "count": len(items)}}}, k.text(), nil
}

// fetch downloads the feed. It returns nil if the feed has not changed.
func (f *feed) fetch(ctx context.Context, k *known) (*feeds.Feed, error) {
	if f.web == nil {
		return nil, node.Errorf(node.CodeUnavailable, "there is no network here")
	}
	ctx, cancel := context.WithTimeout(ctx, feedTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return nil, node.Errorf(node.CodeInvalidConfig, "the address of the feed cannot be used")
	}
	req.Header.Set("User-Agent", "svc/1")
	req.Header.Set("Accept", "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5")
	for name, text := range map[string]string{"If-None-Match": k.ETag, "If-Modified-Since": k.Modified} {
		if text != "" {
			req.Header.Set(name, text)
		}
	}
	resp, err := f.web.Do(req)
	if err != nil {
		return nil, f.unanswered(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	switch {
	case resp.StatusCode == http.StatusNotModified:
		return nil, nil //nolint:nilnil // nil means that the feed has not changed
	case resp.StatusCode != http.StatusOK:
		return nil, f.refused(resp)
	}
	parsed, err := parseFeed(resp)
	if ctx.Err() != nil {
		return nil, f.unanswered(ctx, ctx.Err())
	}
	k.ETag, k.Modified = short(resp.Header.Get("ETag")), short(resp.Header.Get("Last-Modified"))
	return parsed, err
}

// short returns an ETag or date, or "" if it is too long to store.
func short(text string) string {
	if len(text) > 1024 {
		return ""
	}
	return text
}

// parseFeed reads the feed of a response. What had to be repaired in it is not reported.
func parseFeed(resp *http.Response) (*feeds.Feed, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, feeds.MaxBytes+1))
	switch {
	case err != nil:
		return nil, node.Errorf(node.CodeUnavailable, "the feed broke off while it was read")
	case len(body) > feeds.MaxBytes:
		return nil, node.Errorf(node.CodeLimitExceeded, "the feed has more than %d MiB", feeds.MaxBytes>>20)
	}
	text, _, _, err := charset.Text(body, charset.Auto, cmp.Or(charsetOf(resp.Header), xmltree.Declared(body)))
	if err != nil {
		return nil, node.Errorf(service.CodeBadAnswer, "the encoding of the feed cannot be read")
	}
	parsed, err := feeds.Parse(text, nil)
	if err != nil {
		return nil, node.Errorf(service.CodeBadAnswer, "what is at this address is no feed in RSS, Atom or JSON")
	}
	return parsed, nil
}

// charsetOf returns the encoding that the server names, or "".
func charsetOf(h http.Header) string {
	_, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return params["charset"]
}

// unanswered returns the error for a failed request, without resolved IP addresses.
func (f *feed) unanswered(ctx context.Context, err error) error {
	if known, ok := errors.AsType[*node.Error](err); ok {
		return known
	}
	reason := "it cannot be reached"
	if ctx.Err() != nil {
		reason = fmt.Sprintf("there is no answer within %s", feedTime)
	}
	return &node.Error{Code: node.CodeUnavailable, Message: "the feed does not answer: " + reason + "; check the address", Err: err}
}

func (f *feed) refused(resp *http.Response) error {
	e := node.Errorf(codeHTTPStatus, "the feed answers %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	e.RetryAfter, _ = service.RetryAfter(resp.StatusCode, resp.Header)
	return e
}

// mostSummary is the longest summary in an output, in bytes.
const mostSummary = 64 << 10

// itemOf returns the output for an entry.
func itemOf(e *feeds.Item) map[string]any {
	at := ""
	if !e.Published.IsZero() {
		at = e.Published.Format(timeLayout)
	}
	return map[string]any{
		"id": cmp.Or(e.ID, e.Title), "title": e.Title, "url": e.URL, "published": at,
		"author": e.Author, "summary": value.Shorten(cmp.Or(e.Summary, e.Content), mostSummary),
	}
}
