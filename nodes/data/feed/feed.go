// Package feed reads RSS, Atom, CDF and JSON feeds, also malformed ones, as feedparser does.
//
// XML feeds are read by a tokenizer that accepts everything: it needs no well-formed
// document, does not recurse, and one bad item does not spoil the others.
package feed

import (
	"regexp"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/reading"
)

// Feed is a feed.
type Feed struct {
	Title string
	Items []Item // in the order of the feed
}

// Item is an item of a feed. What the feed does not say is empty.
type Item struct {
	ID         string // the guid or id, else the address
	GUID       string // the guid or id as the item has it; may be empty
	Title      string
	URL        string
	Published  time.Time // in UTC; when it was changed if that is all that is known
	Date       string    // Published as written
	Author     string    // the name, or else the mail address
	Summary    string
	Content    string
	Enclosures []Enclosure
}

// Enclosure is a file that belongs to an item, such as the sound of a podcast.
type Enclosure struct {
	URL    string
	Type   string
	Length int64 // in bytes; 0 if unknown
}

// MaxBytes is the size of the largest feed.
const MaxBytes = 16 << 20

// Parse reads a feed that was decoded already: the encoding that it declares is ignored.
// Text that is no feed is an error.
func Parse(text string, notes *reading.Notes) (*Feed, error) {
	if len(text) > MaxBytes {
		return nil, reading.TooMuch("the feed has %d bytes; at most %d can be read", len(text), MaxBytes)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	start := strings.TrimLeft(text, " \t\r\n\x00")
	switch {
	case start == "":
		return nil, reading.Invalid("the feed cannot be read: it is empty")
	case start[0] == '{' || start[0] == '[':
		return parseJSON(start, notes)
	case isHTML(start):
		return nil, errHTML()
	}
	r := reader{notes: notes, feed: &Feed{Items: []Item{}}, noted: map[string]bool{}, names: map[string]int{}}
	r.text = r.withoutControls(r.withoutDoctype(r.fromRoot(text)))
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.feed, nil
}

// isHTML reports whether text begins as an HTML page does.
func isHTML(text string) bool {
	head := strings.ToLower(text[:min(len(text), 64)])
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

func errHTML() error {
	return reading.Invalid("the feed cannot be read: it is an HTML page; look in it for the address of its feed (link rel=alternate)")
}

// root matches where a feed begins.
var root = regexp.MustCompile(`(?i)<\?xml\s|<(?:[a-z0-9]+:)?(?:rss|rdf|feed|channel)[\s>]`)

// fromRoot removes what stands before the feed, such as a message of the server's program.
func (r *reader) fromRoot(text string) string {
	at := root.FindStringIndex(text)
	if at == nil {
		return text
	}
	before := text[:at[0]]
	if junk := strings.TrimSpace(before); junk != "" && !strings.HasPrefix(junk, "<!") && !strings.HasPrefix(junk, "<?") {
		r.notes.Repaired(1, "", "there is text before the feed: %q", reading.Cut(junk))
	} else if junk != "" {
		return text // a comment, a DOCTYPE or an instruction
	}
	r.line += strings.Count(before, "\n")
	return text[at[0]:]
}

// withoutDoctype removes a DOCTYPE that has declarations: the tokenizer would end it early.
func (r *reader) withoutDoctype(text string) string {
	start := strings.Index(strings.ToUpper(text[:min(len(text), 4096)]), "<!DOCTYPE")
	if start < 0 {
		return text
	}
	open, end := strings.IndexByte(text[start:], '['), strings.IndexByte(text[start:], '>')
	if open < 0 || end < open {
		return text
	}
	closed := strings.Index(text[start+open:], "]")
	for closed >= 0 {
		at := start + open + closed
		if rest := strings.TrimLeft(text[at+1:], " \t\r\n"); strings.HasPrefix(rest, ">") {
			removed := text[start : len(text)-len(rest)+1]
			return text[:start] + strings.Repeat("\n", strings.Count(removed, "\n")) + rest[1:]
		}
		next := strings.Index(text[at+1:], "]")
		if next < 0 {
			break
		}
		closed += next + 1
	}
	return text
}

// withoutControls removes the control characters that XML does not allow.
func (r *reader) withoutControls(text string) string {
	at := strings.IndexFunc(text, isControl)
	if at < 0 {
		return text
	}
	r.notes.Repaired(r.line+strings.Count(text[:at], "\n")+1, "", "there are control characters, such as %U; they were left out", text[at])
	return cleanControls(text)
}

func isControl(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF
}

func cleanControls(text string) string {
	return strings.Map(func(c rune) rune {
		if isControl(c) {
			return -1
		}
		return c
	}, text)
}
