package data

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/feed"
	"github.com/svcflow/svc/nodes/data/xmltree"
	"github.com/svcflow/svc/nodes/reading"
)

type feedItem struct {
	ID         string          `port:"id"`
	Title      string          `port:"title"`
	URL        string          `port:"url"`
	Published  string          `port:"published"`
	Author     string          `port:"author"`
	Summary    string          `port:"summary"`
	Content    string          `port:"content"`
	Enclosures []feedEnclosure `port:"enclosures"`
}

type feedEnclosure struct {
	URL    string `port:"url"`
	Type   string `port:"type"`
	Length int    `port:"length"`
}

type feedOut struct {
	Title string     `port:"title" doc:"What the feed is called."`
	Items []feedItem `port:"items" doc:"What is in it, in its order. published is ISO 8601; what an item does not say is an empty text. enclosures are its files, such as the sound of a podcast; length is in bytes, or 0."`
	Count int        `port:"count" doc:"How many items there are."`
}

func (d disk) feedParseNode() node.Node {
	return reading.Node(node.Func("data.feed_parse", "Read feed", d.feedParse).
		Aliases("rss, atom, news, podcast, blog", "rss, atom, nachrichten, podcast, blog").
		Example(map[string]any{"text": `<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>Hello</title><link>https://example.com/1</link></item></channel></rss>`}).Doc(
		"Reads a feed: RSS, Atom or JSON Feed, as `io.http_request` brings it. `<item><guid>1</guid><title>Hello</title></item>` gives an item with id `1` and that title. "+
			"Summaries and contents are HTML as they were sent; `data.html_to_text` makes text of them.\n\n"+
			"An item without an id has its address as one, and an item without an address has its guid as one, if that is a permalink. "+
			"published is when it was changed if it does not say when it was published. Dates are in UTC; a date without a zone counts as UTC, and one whose day and month can be mixed up, such as `02/03/2026`, is left out. "+
			"Addresses are made absolute by `xml:base`. Images and films of Media RSS are enclosures if there are no others.\n\n"+
			"A file is decoded by its byte order mark or as it declares; a text was decoded before, so its declaration is ignored. "+
			"Repaired are control characters, an `&` that is not escaped, HTML entities, tags that do not match, text before the feed, and text that was encoded twice. "+
			"Dropped are an item that is cut off at the end, and an item of a JSON Feed that is no record. An HTML page is an error."), "path", "text", "base64")
}

func (d disk) feedParse(ctx context.Context, in reading.Source) (out feedOut, err error) {
	input, err := in.Whole(ctx, d.Files, markupTimes)
	if err != nil {
		return out, err
	}
	notes := reading.NotesOf(ctx)
	text, err := input.Text(notes, xmltree.Declared(input.Data))
	if err != nil {
		return out, err
	}
	f, err := feed.Parse(text, notes)
	if err != nil {
		return out, err
	}
	out.Title, out.Items, out.Count = f.Title, make([]feedItem, len(f.Items)), len(f.Items)
	for i := range f.Items {
		out.Items[i] = feedItemOf(&f.Items[i])
	}
	return out, nil
}

func feedItemOf(item *feed.Item) feedItem {
	out := feedItem{
		ID: item.ID, Title: item.Title, URL: item.URL, Author: item.Author, Summary: item.Summary, Content: item.Content,
		Enclosures: make([]feedEnclosure, len(item.Enclosures)),
	}
	if !item.Published.IsZero() {
		out.Published = item.Published.Format(time.RFC3339)
	}
	for i, e := range item.Enclosures {
		out.Enclosures[i] = feedEnclosure{URL: e.URL, Type: e.Type, Length: int(e.Length)}
	}
	return out
}
