package email

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // ISO-8859-1 and all the others
	"github.com/emersion/go-message/mail"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/htmltext"
)

// letter is a message as it was received.
type letter struct {
	header      mail.Header
	text, html  string // as they were sent; either may be empty
	attachments []attachment
}

// attachment is a part of a letter that is no text to read.
type attachment struct {
	filename string // as the sender calls it; may be empty or hostile
	mime     string
	data     []byte
}

// What a letter may consist of. Senders choose the shape of their messages, and
// each level costs another pass over all below it.
const (
	maxDepth = 16
	maxParts = 1000
)

// readLetter takes a message apart. It is lenient: what cannot be decoded stays as
// it is, and of a message that breaks off it keeps what is there.
func readLetter(raw []byte) (*letter, error) {
	entity, err := message.Read(bytes.NewReader(raw))
	if entity == nil {
		return nil, node.Errorf(node.CodeFailed, "the message cannot be read: %s", reason(err))
	}
	l := &letter{header: mail.Header{Header: entity.Header}}
	parts := 0
	err = entity.Walk(func(path []int, part *message.Entity, _ error) error {
		if parts++; parts > maxParts || len(path) > maxDepth {
			return permanent(node.CodeLimitExceeded, "the message has more than %d parts, or parts in parts deeper than %d levels", maxParts, maxDepth)
		}
		return l.add(part)
	})
	if tooMuch, ok := errors.AsType[*node.Error](err); ok {
		return l, tooMuch
	}
	return l, nil
}

// add takes in one part. The first text of each kind is the letter's own, unless
// the sender attached it.
func (l *letter) add(part *message.Entity) error {
	kind, params, err := part.Header.ContentType()
	if err != nil || kind == "" {
		kind = "text/plain" // RFC 2045 section 5.2
	}
	if strings.HasPrefix(kind, "multipart/") {
		return nil // its parts come next
	}
	data, _ := io.ReadAll(part.Body) // of what breaks off, the beginning
	disposition, names, _ := part.Header.ContentDisposition()
	own := disposition != "attachment" && names["filename"] == "" && params["name"] == ""
	switch {
	case own && kind == "text/plain" && l.text == "":
		l.text = lines(data)
	case own && kind == "text/html" && l.html == "":
		l.html = lines(data)
	default:
		name := names["filename"]
		if name == "" {
			name = params["name"]
		}
		l.attachments = append(l.attachments, attachment{filename: decoded(name), mime: kind, data: data})
	}
	return nil
}

// lines returns text as workflows know it: UTF-8, with \n between lines.
func lines(data []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n", "\n")
}

// body returns the letter as plain text.
func (l *letter) body() string {
	if strings.TrimSpace(l.text) == "" && l.html != "" {
		return htmltext.Of(l.html)
	}
	return l.text
}

// snippetLength is in characters.
const snippetLength = 200

// snippet returns the beginning of the letter in one line.
func (l *letter) snippet() string {
	text := []rune(strings.Join(strings.Fields(l.body()), " "))
	return string(text[:min(len(text), snippetLength)])
}

// field returns the header called name in plain text.
func (l *letter) field(name string) string {
	text, err := l.header.Text(name)
	if err != nil {
		text = l.header.Get(name)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// decoded returns a parameter that its sender wrote as an encoded word, against
// the rules but as many do.
func decoded(text string) string {
	h := message.Header{}
	h.Set("Name", text)
	if plain, err := h.Text("Name"); err == nil {
		text = plain
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// addresses returns those in the header called name. One that is malformed gives
// none.
func (l *letter) addresses(name string) []*mail.Address {
	list, err := l.header.AddressList(name)
	if err != nil {
		return nil
	}
	return list
}

// shown returns the addresses in the header called name as a person would write
// them, and a malformed header as it is.
func (l *letter) shown(name string) []string {
	list := l.addresses(name)
	texts := make([]string, 0, len(list))
	for _, a := range list {
		texts = append(texts, show(a))
	}
	if text := l.field(name); len(texts) == 0 && text != "" {
		texts = append(texts, text)
	}
	return texts
}

// show writes an address for people: no encoded words, and quotes only where the
// name would otherwise be read as something else.
func show(a *mail.Address) string {
	text := a.Address
	switch {
	case a.Name == "":
	case strings.ContainsAny(a.Name, `()<>[]:;@\,."`):
		text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.Name) + `" <` + a.Address + ">"
	default:
		text = a.Name + " <" + a.Address + ">"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// headers returns all headers by lower-case name; one that comes several times,
// such as received, has a line for each.
func (l *letter) headers() map[string]any {
	all := map[string]any{}
	for fields := l.header.Fields(); fields.Next(); {
		text, err := fields.Text()
		if err != nil {
			text = fields.Value()
		}
		name := strings.ToLower(strings.ToValidUTF8(fields.Key(), "\uFFFD"))
		text = strings.ToValidUTF8(text, "\uFFFD")
		if before, again := all[name].(string); again {
			text = before + "\n" + text
		}
		all[name] = text
	}
	return all
}
