// Package eml reads messages as they are sent and kept: their texts, headers and attachments.
package eml

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

// Letter is a message as it was received.
type Letter struct {
	Header      mail.Header
	Text, HTML  string // as they were sent; either may be empty
	Attachments []Attachment
}

// Attachment is a part of a letter that is no text to read.
type Attachment struct {
	Filename string // as the sender calls it; may be empty or hostile
	MIME     string
	Data     []byte
}

// What a letter may consist of. Senders choose the shape of their messages, and
// each level costs another pass over all below it.
const (
	maxDepth = 16
	maxParts = 1000
)

// Read takes a message apart. It is lenient: what cannot be decoded stays as
// it is, and of a message that breaks off it keeps what is there.
func Read(raw []byte) (*Letter, error) {
	entity, err := message.Read(bytes.NewReader(raw))
	if entity == nil {
		return nil, node.Errorf(node.CodeFailed, "the message cannot be read: %w", err)
	}
	l := &Letter{Header: mail.Header{Header: entity.Header}}
	parts := 0
	err = entity.Walk(func(path []int, part *message.Entity, _ error) error {
		if parts++; parts > maxParts || len(path) > maxDepth {
			tooMuch := node.Errorf(node.CodeLimitExceeded, "the message has more than %d parts, or parts in parts deeper than %d levels", maxParts, maxDepth)
			tooMuch.Permanent = true
			return tooMuch
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
func (l *Letter) add(part *message.Entity) error {
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
	case own && kind == "text/plain" && l.Text == "":
		l.Text = lines(data)
	case own && kind == "text/html" && l.HTML == "":
		l.HTML = lines(data)
	default:
		name := names["filename"]
		if name == "" {
			name = params["name"]
		}
		l.Attachments = append(l.Attachments, Attachment{Filename: decoded(name), MIME: kind, Data: data})
	}
	return nil
}

// lines returns text as workflows know it: UTF-8, with \n between lines.
func lines(data []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n", "\n")
}

// Body returns the letter as plain text.
func (l *Letter) Body() string {
	if strings.TrimSpace(l.Text) == "" && l.HTML != "" {
		return htmltext.Of(l.HTML)
	}
	return l.Text
}

// snippetLength is in characters.
const snippetLength = 200

// Snippet returns the beginning of the letter in one line.
func (l *Letter) Snippet() string {
	text := []rune(strings.Join(strings.Fields(l.Body()), " "))
	return string(text[:min(len(text), snippetLength)])
}

// Field returns the header called name in plain text.
func (l *Letter) Field(name string) string {
	text, err := l.Header.Text(name)
	if err != nil {
		text = l.Header.Get(name)
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

// Addresses returns those in the header called name. One that is malformed gives
// none.
func (l *Letter) Addresses(name string) []*mail.Address {
	list, err := l.Header.AddressList(name)
	if err != nil {
		return nil
	}
	return list
}

// Shown returns the addresses in the header called name as a person would write
// them, and a malformed header as it is.
func (l *Letter) Shown(name string) []string {
	list := l.Addresses(name)
	texts := make([]string, 0, len(list))
	for _, a := range list {
		texts = append(texts, show(a))
	}
	if text := l.Field(name); len(texts) == 0 && text != "" {
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

// Headers returns all headers by lower-case name; one that comes several times,
// such as received, has a line for each.
func (l *Letter) Headers() map[string]any {
	all := map[string]any{}
	for fields := l.Header.Fields(); fields.Next(); {
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
