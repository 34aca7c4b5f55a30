package feed

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

// parseJSON reads a JSON feed.
func parseJSON(text string, notes *reading.Notes) (*Feed, error) {
	v, err := value.DecodeText(strings.TrimRight(text, " \t\r\n\x00"))
	if err != nil {
		return nil, reading.Invalid("the feed cannot be read: %w", err)
	}
	top, isRecord := v.(map[string]any)
	items, isList := top["items"].([]any)
	version := textOf(top["version"])
	if !isRecord || version == "" || !isList && top["items"] != nil {
		return nil, reading.Invalid("the feed cannot be read: it is JSON, and no JSON Feed")
	}
	r := reader{notes: notes, noted: map[string]bool{}}
	feed := &Feed{Title: r.clean(textOf(top["title"])), Items: []Item{}}
	for i, v := range items {
		item, isRecord := v.(map[string]any)
		if !isRecord {
			notes.Dropped(0, fmt.Sprintf("item %d", i+1), "it is no record")
			continue
		}
		feed.Items = append(feed.Items, r.jsonItem(item))
	}
	return feed, nil
}

func (r *reader) jsonItem(v map[string]any) Item {
	d := draft{}
	d.texts[guid] = textOf(v["id"])
	d.texts[title] = textOf(v["title"])
	d.texts[link] = cmp.Or(strings.TrimSpace(textOf(v["url"])), textOf(v["external_url"]))
	d.texts[summary] = textOf(v["summary"])
	d.texts[content] = cmp.Or(textOf(v["content_html"]), textOf(v["content_text"]))
	d.texts[published], d.texts[updated] = textOf(v["date_published"]), textOf(v["date_modified"])
	authors, _ := v["authors"].([]any)
	for _, a := range append(authors, v["author"]) {
		person, _ := a.(map[string]any)
		if name := cmp.Or(textOf(person["name"]), textOf(a)); name != "" {
			d.texts[authorName] = name
			break
		}
	}
	attachments, _ := v["attachments"].([]any)
	for _, a := range attachments {
		file, _ := a.(map[string]any)
		d.enclosures = append(d.enclosures, enclosureOf(nil, attributes{
			{"url", textOf(file["url"])}, {"type", textOf(file["mime_type"])}, {"length", textOf(file["size_in_bytes"])},
		}))
	}
	return d.finish(r)
}

// textOf returns a single value as a text: ids are numbers in some feeds.
func textOf(v any) string {
	switch v := v.(type) {
	case nil, bool, []any, map[string]any:
		return ""
	case string:
		return v
	}
	return strings.Trim(string(value.Append(nil, v)), `"`)
}
