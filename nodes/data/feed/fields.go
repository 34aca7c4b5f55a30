package feed

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// attribute is an attribute of an element; its name is in lower case.
type attribute struct{ name, value string }

type attributes []attribute

func attributesOf(z *html.Tokenizer, more bool) attributes {
	var all attributes
	for more {
		var name, value []byte
		name, value, more = z.TagAttr()
		all = append(all, attribute{string(name), string(value)})
	}
	return all
}

// first returns the value of the first of the attributes that there is.
func (a attributes) first(names ...string) string {
	for _, name := range names {
		for i := range a {
			if a[i].name == name && a[i].value != "" {
				return a[i].value
			}
		}
	}
	return ""
}

// field is a field of an item whose value is a text.
type field uint8

const (
	none field = iota
	title
	link
	guid
	published
	updated
	created
	author
	authorName
	authorMail
	summary
	content
	feedTitle
	fields // how many there are
)

// source is where a field comes from. A lower rank wins; among equal ones the first that is
// not empty wins, or the last if last is set.
type source struct {
	field field
	rank  uint8
	last  bool
}

// sources are the elements of an item that have a value. feedparser decides alike, but for
// descriptions of other vocabularies, which it takes by their order.
var sources = map[string]source{ //nolint:gochecknoglobals // a constant table
	"title": {title, 1, false}, "dc:title": {title, 2, false}, "media:title": {title, 3, false},
	"link": {link, 1, true},
	"guid": {guid, 1, true}, "id": {guid, 1, true},
	"pubdate": {published, 1, true}, "published": {published, 1, true}, "issued": {published, 1, true}, "dcterms:issued": {published, 2, true},
	"updated": {updated, 1, true}, "modified": {updated, 1, true}, "lastbuilddate": {updated, 1, true}, "dc:date": {updated, 2, true}, "dcterms:modified": {updated, 2, true},
	"created": {created, 1, true}, "dcterms:created": {created, 2, true},
	"author": {author, 1, false}, "dc:author": {author, 2, false}, "dc:creator": {author, 2, false}, "itunes:author": {author, 3, false},
	"description": {summary, 1, false}, "summary": {summary, 1, false}, "abstract": {summary, 1, false},
	"dc:description": {summary, 2, false}, "itunes:summary": {summary, 3, false}, "media:description": {summary, 4, false},
	"content": {content, 1, false}, "content:encoded": {content, 1, false}, "fullitem": {content, 1, false},
	"body": {content, 1, false}, "xhtml:body": {content, 1, false}, "xhtml:div": {content, 2, false},
}

// draft is an item that is being read.
type draft struct {
	texts       [fields]string
	otherLink   string // an alternate that is no HTML
	about       string // rdf:about
	isPermalink bool
	hasAuthor   bool // the author that was found first has ended
	enclosures  []Enclosure
	media       []Enclosure
}

func newDraft(base *url.URL, attrs attributes, ns namespaces) *draft {
	d := &draft{}
	for i := range attrs {
		if attrs[i].name == "about" || ns.known(attrs[i].name) == "rdf:about" {
			d.about = resolve(base, attrs[i].value)
		}
	}
	d.texts[link] = resolve(base, attrs.first("href")) // CDF
	d.texts[updated] = attrs.first("lastmod")
	return d
}

// open decides what an element means. Its parent is the innermost open element.
func (r *reader) open(f *frame, known string, attrs attributes) {
	parent := whole
	if len(r.stack) > 0 {
		parent = r.stack[len(r.stack)-1].role
	}
	switch parent {
	case whole:
		switch known {
		case "rss", "rdf:rdf", "rdf", "feed", "channel":
			f.role = whole
		case "title", "dc:title":
			if r.item == nil {
				f.field, f.attrs = feedTitle, attrs
			}
		}
	case entry, group:
		r.openField(f, known, attrs, parent == group)
	case person:
		switch known {
		case "foaf:person":
			f.role = person
		case "name", "foaf:name", "itunes:name":
			f.field = authorName
		case "email", "foaf:mbox", "itunes:email":
			f.field = authorMail
		}
	}
}

// openField opens an element of an item.
func (r *reader) openField(f *frame, known string, attrs attributes, inGroup bool) {
	switch {
	case known == "media:group":
		f.role = group
	case known == "media:content":
		r.item.media = append(r.item.media, enclosureOf(f.base, attrs))
		f.role = group
	case inGroup && !strings.HasPrefix(known, "media:"):
	case known == "enclosure":
		r.item.enclosures = append(r.item.enclosures, enclosureOf(f.base, attrs))
	case known == "link" && attrs.first("href", "url", "uri") != "":
		r.item.link(f.base, attrs)
	default:
		f.field = sources[known].field
		f.attrs = attrs
		if known == "guid" || known == "id" {
			r.item.isPermalink = strings.EqualFold(strings.TrimSpace(attrs.or("ispermalink", "true")), "true")
		}
	}
}

func (a attributes) or(name, otherwise string) string {
	for i := range a {
		if a[i].name == name {
			return a[i].value
		}
	}
	return otherwise
}

// link takes a link that is an attribute, as in Atom.
func (d *draft) link(base *url.URL, attrs attributes) {
	address, kind := resolve(base, attrs.first("href", "url", "uri")), strings.ToLower(attrs.or("type", "text/html"))
	switch strings.ToLower(attrs.or("rel", "alternate")) {
	case "alternate", "":
		switch kind {
		case "text/html", "application/xhtml+xml", "html", "xhtml":
			d.texts[link] = address
		default:
			if d.otherLink == "" {
				d.otherLink = address
			}
		}
	case "enclosure":
		d.enclosures = append(d.enclosures, enclosureOf(base, attrs))
	}
}

func enclosureOf(base *url.URL, attrs attributes) Enclosure {
	length, err := strconv.ParseInt(strings.TrimSpace(attrs.first("length", "filesize")), 10, 64)
	if err != nil || length < 0 {
		length = 0
	}
	return Enclosure{URL: resolve(base, attrs.first("url", "href", "uri")), Type: strings.TrimSpace(attrs.first("type")), Length: length}
}

// set sets the field of the element f.
func (r *reader) set(f *frame, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	switch f.field {
	case feedTitle:
		if r.feed.Title == "" {
			r.feed.Title = r.markupOf(f, text)
		}
		return
	case authorName, authorMail:
		if r.item != nil && !r.item.hasAuthor && r.item.texts[f.field] == "" {
			r.item.texts[f.field] = strings.TrimSpace(text)
		}
		return
	case link:
		if r.item != nil {
			r.item.link(f.base, append(f.attrs, attribute{"href", strings.ReplaceAll(text, "&amp;", "&")}))
		}
		return
	case guid:
		if r.item != nil && r.item.isPermalink {
			text = resolve(f.base, text)
		}
	case title, summary, content:
		text = r.markupOf(f, text)
	}
	if r.item != nil {
		r.item.set(sources[f.ns.known(f.name)], &r.ranks, text)
	}
}

func (d *draft) set(s source, ranks *[fields]uint8, text string) {
	rank := ranks[s.field]
	if s.field == summary && s.rank == 1 && rank == 1 {
		s = source{field: content, rank: 2} // a second summary is the content
		rank = ranks[content]
	}
	if rank == 0 || s.rank < rank || s.rank == rank && s.last {
		d.texts[s.field], ranks[s.field] = text, s.rank
	}
}

// wrapper matches the element that XHTML in Atom has around it.
var wrapper = regexp.MustCompile(`(?s)^\s*<div(?:\s[^>]*)?>(.*)</div>\s*$`)

// markupOf returns the markup of a title, a summary or a content.
func (r *reader) markupOf(f *frame, text string) string {
	kind := strings.ToLower(strings.TrimSpace(f.attrs.first("type")))
	if r.value.isMarkup && (kind == "xhtml" || kind == "application/xhtml+xml") {
		if m := wrapper.FindStringSubmatch(text); m != nil && balanced(m[1]) {
			return m[1]
		}
		return text
	}
	isText := kind == "" || !strings.Contains(kind, "/") || strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "xml")
	if strings.EqualFold(f.attrs.first("mode"), "base64") || !isText && !r.value.isMarkup {
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err == nil && utf8.Valid(data) {
			return string(data)
		}
	}
	return text
}

// balanced reports whether no </div> in text closes an element before text.
func balanced(text string) bool {
	depth := 0
	for i := strings.Index(text, "div"); i >= 0; {
		switch {
		case strings.HasSuffix(text[:i], "</"):
			if depth--; depth < 0 {
				return false
			}
		case strings.HasSuffix(text[:i], "<"):
			depth++
		}
		next := strings.Index(text[i+3:], "div")
		if next < 0 {
			break
		}
		i += 3 + next
	}
	return true
}
