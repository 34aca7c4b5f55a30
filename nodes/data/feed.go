package data

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type feedItem struct {
	ID        string `port:"id"`
	Title     string `port:"title"`
	URL       string `port:"url"`
	Published string `port:"published"`
	Author    string `port:"author"`
	Summary   string `port:"summary"`
	Content   string `port:"content"`
}

type feedOut struct {
	Title string     `port:"title" doc:"What the feed is called."`
	Items []feedItem `port:"items" doc:"What is in it, in its order. published is ISO 8601; what an item does not say is an empty text."`
	Count int        `port:"count" doc:"How many items there are."`
}

func (d disk) feedParseNode() node.Node {
	return fromOne(node.Func("data.feed_parse", "Read feed", d.feedParse).
		Aliases("rss, atom, news, podcast, blog", "rss, atom, nachrichten, podcast, blog").
		Example(map[string]any{"text": `<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>Hello</title><link>https://example.com/1</link></item></channel></rss>`}).Doc(
		"Reads a feed: RSS, Atom or JSON Feed, as `io.http_request` brings it. `<item><guid>1</guid><title>Hello</title></item>` gives an item with id `1` and that title. " +
			"An item without an id has its address as one. Summaries and contents are HTML as they were sent; `data.html_to_text` makes text of them."))
}

// maxFeed is the largest feed, in bytes.
const maxFeed = 16 << 20

func (d disk) feedParse(ctx context.Context, in source) (out feedOut, err error) {
	text, err := d.whole(ctx, in, markupTimes)
	if err != nil {
		return out, err
	}
	if err := checkFeed(text); err != nil {
		return out, err
	}
	feed, err := gofeed.NewParser().ParseString(text)
	if err != nil {
		return out, wrong("the feed cannot be read: %s", cut(strings.ToValidUTF8(err.Error(), "\uFFFD")))
	}
	if feed.FeedType == "json" && feed.FeedVersion == "" {
		return out, wrong("the feed cannot be read: it is JSON, and no JSON Feed")
	}
	out.Title, out.Items = plainText(feed.Title), []feedItem{}
	for _, item := range feed.Items {
		if item != nil {
			out.Items = append(out.Items, itemOf(item))
		}
	}
	out.Count = len(out.Items)
	return out, nil
}

func plainText(s string) string { return strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD") }

func itemOf(item *gofeed.Item) feedItem {
	made := feedItem{
		ID: plainText(item.GUID), Title: plainText(item.Title), URL: plainText(item.Link),
		Summary: plainText(item.Description), Content: plainText(item.Content),
	}
	if made.ID == "" {
		made.ID = made.URL
	}
	published := item.PublishedParsed
	if published == nil {
		published = item.UpdatedParsed
	}
	if published != nil {
		made.Published = published.UTC().Format(time.RFC3339)
	}
	if len(item.Authors) > 0 && item.Authors[0] != nil {
		made.Author = plainText(item.Authors[0].Name)
		if made.Author == "" {
			made.Author = plainText(item.Authors[0].Email)
		}
	}
	return made
}

// checkFeed refuses deeply nested feeds: the library's parser is recursive.
func checkFeed(text string) error {
	if len(text) > maxFeed {
		return tooMuch("the feed has %d bytes; at most %d can be read", len(text), maxFeed)
	}
	if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")), "{") {
		if _, err := value.DecodeText(strings.TrimPrefix(text, "\ufeff")); err != nil {
			return wrong("the feed cannot be read: %w", err)
		}
		return nil
	}
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for depth, elements := 0, 0; ; {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return wrong("the feed cannot be read: line %d: %s", line, cut(strings.ToValidUTF8(err.Error(), "\uFFFD")))
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
			elements++
		case xml.EndElement:
			depth--
		}
		if depth > value.MaxDepth || elements > limit.Unfolded {
			line, _ := decoder.InputPos()
			return tooMuch("line %d: elements nest deeper than %d, or there are more than %d", line, value.MaxDepth, limit.Unfolded)
		}
	}
}
