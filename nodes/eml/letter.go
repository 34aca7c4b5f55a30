// Package eml parses email messages: their texts, headers and attachments. It reads what
// mail programs send, whether or not it follows the standards; the reference is mailparser,
// the parser of Nodemailer.
package eml

import (
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/htmltext"
	"github.com/svcflow/svc/nodes/reading"
)

// Letter is a received message.
type Letter struct {
	Text, HTML  string // with \n at line ends; either may be empty
	Attachments []Attachment

	header header
}

// Attachment is a part of a letter that is not its text.
type Attachment struct {
	Filename string // as the sender named it; may be empty or hostile
	MIME     string
	Data     []byte
}

// Read parses a message. What is malformed is repaired and noted. If a limit is exceeded, the
// letter comes with an error. Of a truncated message the available parts are returned.
func Read(raw []byte, notes *reading.Notes) (*Letter, error) {
	return read(&reader{notes: notes}, raw)
}

// ReadFile is Read for a file. Of a mailbox file, which has several messages, it returns the
// first and notes that the others were dropped.
func ReadFile(raw []byte, notes *reading.Notes) (*Letter, error) {
	return read(&reader{notes: notes, isFile: true}, raw)
}

// ReadText is ReadFile for a file that was decoded to UTF-8 before, whatever encodings its
// parts declare.
func ReadText(text string, notes *reading.Notes) (*Letter, error) {
	return read(&reader{notes: notes, isFile: true, isText: true}, []byte(text))
}

func read(r *reader, raw []byte) (*Letter, error) {
	root, err := r.message(raw)
	l := &Letter{}
	if root != nil {
		l.header = root.header
		at := position{root: true, first: true}
		at.named = !has(root, at, true) // then text with the name of a file is the text
		c := collector{reader: r, letter: l, hasText: has(root, at, false)}
		c.add(root, at)
		l.Text, l.HTML = strings.Join(c.texts, "\n"), strings.Join(c.pages, "<br/>\n")
	}
	return l, err
}

// IsMessage reports whether the letter has one of the header fields that most messages have.
// What has none is something else.
func (l *Letter) IsMessage() bool {
	return slices.ContainsFunc(l.header, func(f field) bool { return isKnown([]byte(f.name)) })
}

// collector collects the texts and attachments of a message.
type collector struct {
	*reader
	letter       *Letter
	hasText      bool // some part is plain text
	texts, pages []string
}

// position says where a part is in its message.
type position struct {
	root        bool // it is the message itself
	alternative bool // it, or what holds it, is one of several forms of the same text
	first       bool // no other part comes before it
	named       bool // text with the name of a file is text of the letter
}

// child returns the position of the i-th part of a multipart at this position.
func (at position) child(p *part, i int) position {
	at.root = false
	at.alternative = at.alternative || p.contentType.value == "multipart/alternative"
	at.first = at.first && i == 0
	return at
}

// add adds a part and those in it. Parts of text become the letter's text, in their order;
// HTML does, too, where it is no other form of the same text.
func (c *collector) add(p *part, at position) {
	if p.isMultipart() {
		for i, child := range p.children {
			c.add(child, at.child(p, i))
		}
		return
	}
	c.at(p.number)
	if !p.isText(at) {
		c.attach(p)
		return
	}
	text := c.partText(p)
	switch {
	case text == "":
	case p.contentType.value == textHTML:
		c.pages = append(c.pages, text)
		if !at.alternative && c.hasText {
			c.texts = append(c.texts, htmltext.Of(text))
		}
	default:
		c.texts = append(c.texts, text)
	}
}

// has reports whether a part, or one in it, is text of the letter; only plain text counts
// unless html is set.
func has(p *part, at position, html bool) bool {
	if !p.isMultipart() {
		return p.isText(at) && (html || p.contentType.value != textHTML && len(p.body) > 0)
	}
	for i, child := range p.children {
		if has(child, at.child(p, i), html) {
			return true
		}
	}
	return false
}

// isText reports whether a part is text of the letter and no attachment. Text with the name
// of a file is an attachment. Some programs name their text, too, but only in the content
// type: the first part, and forms of the same text.
func (p *part) isText(at position) bool {
	switch p.contentType.value {
	case textPlain, textHTML, "message/delivery-status":
	default:
		return false
	}
	if kind := strings.ToLower(decodeWords(p.disposition.value)); kind != "" && kind != "inline" {
		return false
	}
	if p.disposition.byName["filename"] != "" {
		return at.named
	}
	return at.named || p.contentType.byName["name"] == "" || at.root || at.alternative || at.first
}

// attach adds a part as an attachment.
func (c *collector) attach(p *part) {
	name := p.disposition.name("filename")
	if name == "" {
		name = p.contentType.name("name")
	}
	data := decodeTransfer(p.header.first("content-transfer-encoding"), p.body, func(f flaw) {
		item := c.item
		if name != "" {
			item = name
		}
		c.notes.Repaired(0, item, "%s", f)
	})
	c.letter.Attachments = append(c.letter.Attachments, Attachment{Filename: name, MIME: p.contentType.value, Data: data})
}

// Body returns the letter as plain text.
func (l *Letter) Body() string {
	if strings.TrimSpace(l.Text) == "" && l.HTML != "" {
		return htmltext.Of(l.HTML)
	}
	return l.Text
}

// snippetLength is the length of a snippet in characters.
const snippetLength = 200

// Snippet returns the beginning of the letter's text on one line.
func (l *Letter) Snippet() string {
	text := []rune(strings.Join(strings.Fields(l.Body()), " "))
	return string(text[:min(len(text), snippetLength)])
}

// Field returns the first header field called name, decoded.
func (l *Letter) Field(name string) string {
	return decodeWords(l.header.first(strings.ToLower(name)))
}

// Date returns the time in the header field Date. It is false if there is none, or if it
// cannot be read, which is noted.
func (l *Letter) Date(notes *reading.Notes) (t time.Time, ok bool) {
	text := l.header.first("date")
	if text == "" {
		return t, false
	}
	t, unknown, ok := parseDate(decodeWords(text))
	switch {
	case !ok:
		notes.Repaired(0, "Date", "the date %q cannot be read; timestamp is empty", cutText(text))
	case unknown != "":
		notes.Repaired(0, "Date", "the time zone %q of the date is unknown; it was read as UTC", cutText(unknown))
	}
	return t, ok
}

// IDs returns the message ids in the header fields called name, such as References, without
// angle brackets.
func (l *Letter) IDs(name string) []string {
	var ids []string
	for _, text := range l.header.all(strings.ToLower(name)) {
		ids = append(ids, messageIDs(text)...)
	}
	return ids
}

// messageIDs returns the texts in angle brackets, or all words if there are no brackets.
func messageIDs(text string) []string {
	text = decodeWords(text)
	if !strings.Contains(text, "<") {
		return strings.Fields(text)
	}
	var ids []string
	for {
		_, behind, found := strings.Cut(text, "<")
		if !found {
			return ids
		}
		end := strings.IndexAny(behind, "<>")
		if end < 0 {
			end = len(behind)
		}
		if id := strings.Join(strings.Fields(behind[:end]), ""); id != "" {
			ids = append(ids, id)
		}
		text = behind[end:]
	}
}

// MessageID returns the id that the sender gave the message, in angle brackets, or "".
func (l *Letter) MessageID() string {
	if ids := l.IDs("Message-Id"); len(ids) > 0 {
		return "<" + ids[0] + ">"
	}
	return ""
}

// Headers returns all headers by lower-case name. A header that occurs several times, such
// as received, has one line for each.
func (l *Letter) Headers() map[string]any {
	lines := map[string][]string{}
	for _, f := range l.header {
		lines[f.name] = append(lines[f.name], decodeWords(f.value))
	}
	all := make(map[string]any, len(lines))
	for name, values := range lines {
		all[name] = strings.Join(values, "\n")
	}
	return all
}
