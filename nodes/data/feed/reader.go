package feed

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

// role says what an open element means for the feed.
type role uint8

const (
	other  role = iota // nothing in it is of interest
	whole              // rss, rdf, channel or feed
	entry              // item or entry
	group              // a group of media in an item
	person             // an author with child elements
	markup             // an element inside of a value
)

// frame is an open element.
type frame struct {
	name  string // as written, in lower case
	role  role
	field field
	attrs attributes // of an element with a field
	ns    namespaces
	base  *url.URL
}

// reader reads an XML feed.
type reader struct {
	text     string
	notes    *reading.Notes
	noted    map[string]bool // kinds of repairs that were noted
	line     int             // lines before the current token
	feed     *Feed
	stack    []frame
	names    map[string]int // how many elements of each name are open
	elements int
	rooted   bool // the root element was seen
	ranks    [fields]uint8
	item     *draft
	value    capture
}

// capture collects the value of a field.
type capture struct {
	on       bool
	depth    int // of the element with the field in the stack
	text     strings.Builder
	isMarkup bool // the value has child elements, so it is markup
}

// noteOnce notes a repair of one kind, where it is first seen.
func (r *reader) noteOnce(kind, format string, args ...any) {
	if !r.noted[kind] {
		r.noted[kind] = true
		r.notes.Repaired(r.line+1, "", format, args...)
	}
}

func (r *reader) read() error {
	z := html.NewTokenizer(strings.NewReader(r.text))
	z.AllowCDATA(true)
	for {
		kind := z.Next()
		raw := z.Raw()
		lines := bytes.Count(raw, []byte("\n"))
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return reading.Invalid("the feed cannot be read: line %d: %w", r.line+1, err)
			}
			return r.finish()
		case html.TextToken:
			r.data(string(raw))
		case html.StartTagToken, html.SelfClosingTagToken:
			z.NextIsNotRawText()
			name, more := z.TagName()
			if err := r.start(string(name), attributesOf(z, more), kind == html.SelfClosingTagToken); err != nil {
				return err
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		}
		r.line += lines
	}
}

// finish ends what is still open.
func (r *reader) finish() error {
	switch {
	case !r.rooted:
		return reading.Invalid("the feed cannot be read: there is no element of RSS or Atom in it")
	case r.item != nil:
		r.notes.Dropped(r.line+1, r.clean(r.item.texts[title]), "the feed ends within an item; the item is left out")
		r.item = nil
	case len(r.stack) > 0:
		r.notes.Repaired(r.line+1, "", "the feed ends before </%s>; there may have been more items", r.stack[0].name)
	}
	r.feed.Title = r.clean(r.feed.Title)
	return nil
}

const (
	cdataStart = "<![CDATA["
	cdataEnd   = "]]>"
)

// data takes character data.
func (r *reader) data(raw string) {
	if !r.value.on {
		return
	}
	text, isCDATA := strings.CutPrefix(raw, cdataStart)
	if isCDATA {
		text = strings.TrimSuffix(text, cdataEnd)
	} else {
		text = r.decode(raw)
	}
	if r.value.isMarkup {
		text = escaper.Replace(text)
	}
	r.value.text.WriteString(text)
}

func (r *reader) start(name string, attrs attributes, closed bool) error {
	if r.elements++; r.elements > limit.Unfolded || len(r.stack) >= value.MaxDepth {
		return reading.TooMuch("line %d: elements nest deeper than %d, or there are more than %d", r.line+1, value.MaxDepth, limit.Unfolded)
	}
	f := r.frameOf(name, attrs)
	known := f.ns.known(name)
	if !r.rooted {
		if err := checkRoot(known); err != nil {
			return err
		}
		r.rooted = true
	}
	isEntry := known == "item" || known == "entry"
	if isEntry && r.item != nil {
		r.noteOnce("open", "<%s> begins before the item before it ends", name)
		r.closeItem()
		f.ns, f.base = r.scope()
	}
	switch {
	case r.value.on && r.inPerson(known):
		r.value.on = false
		r.stack[len(r.stack)-1].role, r.stack[len(r.stack)-1].field = person, none
		r.open(&f, known, attrs)
	case r.value.on:
		f.role = markup
		r.openMarkup(name, attrs, closed)
	case isEntry:
		f.role = entry
		r.item = newDraft(f.base, attrs, f.ns)
		r.ranks = [fields]uint8{}
	default:
		r.open(&f, known, attrs)
	}
	r.stack = append(r.stack, f)
	r.names[name]++
	if f.field != none {
		r.value.on, r.value.depth, r.value.isMarkup = true, len(r.stack)-1, false
		r.value.text.Reset()
	}
	if closed {
		r.pop(closed)
	}
	return nil
}

// scope returns the namespaces and the base address of the innermost open element.
func (r *reader) scope() (namespaces, *url.URL) {
	if len(r.stack) == 0 {
		return nil, nil
	}
	top := &r.stack[len(r.stack)-1]
	return top.ns, top.base
}

func (r *reader) frameOf(name string, attrs attributes) frame {
	f := frame{name: name}
	f.ns, f.base = r.scope()
	f.ns = f.ns.with(attrs)
	if base := attrs.first("xml:base", "base"); base != "" {
		if f.base != nil {
			base = resolve(f.base, base)
		}
		if u, err := url.Parse(base); err == nil && u.IsAbs() {
			f.base = u
		}
	}
	return f
}

func checkRoot(known string) error {
	switch known {
	case "rss", "rdf:rdf", "rdf", "feed", "channel":
		return nil
	case "html", "head", "body", "title", "meta", "script", "div", "p", "xhtml:html":
		return errHTML()
	}
	return reading.Invalid("the feed cannot be read: its first element is <%s>, so it is no RSS or Atom", reading.Cut(known))
}

// inPerson reports whether an element belongs to the author that is being read.
func (r *reader) inPerson(known string) bool {
	if r.stack[len(r.stack)-1].field != author || r.value.depth != len(r.stack)-1 {
		return false
	}
	switch known {
	case "name", "email", "uri", "url", "homepage", "foaf:person", "itunes:name", "itunes:email":
		return true
	}
	return false
}

// openMarkup adds a start tag to the value that is being read.
func (r *reader) openMarkup(name string, attrs attributes, closed bool) {
	if !r.value.isMarkup {
		r.value.isMarkup = true
		text := escaper.Replace(r.value.text.String())
		r.value.text.Reset()
		r.value.text.WriteString(text)
	}
	b := &r.value.text
	b.WriteString("<" + local(name))
	for i := range attrs {
		if !strings.HasPrefix(attrs[i].name, "xmlns") {
			b.WriteString(" " + attrs[i].name + `="` + strings.ReplaceAll(escaper.Replace(attrs[i].value), `"`, "&quot;") + `"`)
		}
	}
	if closed {
		b.WriteByte('/')
	}
	b.WriteByte('>')
}

func local(name string) string { return name[strings.IndexByte(name, ':')+1:] }

// end takes an end tag. One that closes nothing is ignored; elements inside that are still
// open end with it.
func (r *reader) end(name string) {
	for i := len(r.stack) - 1; i >= 0 && r.names[name] > 0; i-- {
		if r.stack[i].name != name {
			continue
		}
		if i < len(r.stack)-1 {
			r.noteOnce("closed", "</%s> stands where </%s> is expected", name, r.stack[len(r.stack)-1].name)
		}
		for len(r.stack) > i {
			r.pop(false)
		}
		return
	}
	r.noteOnce("closed", "</%s> closes nothing", reading.Cut(name))
}

// closeItem ends the item that is open.
func (r *reader) closeItem() {
	for r.item != nil && len(r.stack) > 0 {
		r.pop(false)
	}
}

// pop ends the innermost open element. An element without content has its end in its tag.
func (r *reader) pop(empty bool) {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	r.names[f.name]--
	switch {
	case f.role == markup:
		if !empty && !isVoid(local(f.name)) {
			r.value.text.WriteString("</" + local(f.name) + ">")
		}
	case f.field != none && r.value.on && r.value.depth == len(r.stack):
		r.value.on = false
		r.set(&f, r.value.text.String())
	case f.role == person && r.item != nil && r.item.texts[authorName]+r.item.texts[authorMail] != "":
		r.item.hasAuthor = true
	case f.role == entry && r.item != nil:
		r.feed.Items = append(r.feed.Items, r.item.finish(r))
		r.item = nil
	}
}

// isVoid reports whether an element of HTML has no end tag.
func isVoid(name string) bool {
	switch name {
	case "br", "img", "hr", "input", "wbr", "area", "col", "embed", "source", "track", "link", "meta":
		return true
	}
	return false
}
