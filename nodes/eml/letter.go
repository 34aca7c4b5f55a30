// Package eml parses email messages: their texts, headers and attachments.
package eml

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // registers charsets such as ISO-8859-1
	"github.com/emersion/go-message/mail"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/htmltext"
)

// Letter is a received message.
type Letter struct {
	Header      mail.Header
	Text, HTML  string // as they were sent; either may be empty
	Attachments []Attachment
}

// Attachment is a part of a letter that is not its text.
type Attachment struct {
	Filename string // as the sender named it; may be empty or hostile
	MIME     string
	Data     []byte
}

// The limits of a letter. Senders choose the structure of their messages, and each level of
// nesting costs another pass over everything below it.
const (
	maxDepth = 16
	maxParts = 1000
)

// Read parses a message. It is lenient: content that cannot be decoded stays as it is, and
// of a truncated message the available parts are returned. If a limit is exceeded, the
// letter comes with an error.
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

// add adds one part. The first part of type text/plain and the first of type text/html
// become the letter's text, unless they are attachments.
func (l *Letter) add(part *message.Entity) error {
	kind, params, err := part.Header.ContentType()
	if err != nil || kind == "" {
		kind = "text/plain" // RFC 2045 section 5.2
	}
	if strings.HasPrefix(kind, "multipart/") {
		return nil // Walk visits its parts next
	}
	data, _ := io.ReadAll(part.Body) // of a truncated part, the available bytes
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

// lines returns text as workflows expect it: valid UTF-8 with \n at line ends.
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

// snippetLength is the length of a snippet in characters.
const snippetLength = 200

// Snippet returns the beginning of the letter's text on one line.
func (l *Letter) Snippet() string {
	text := []rune(strings.Join(strings.Fields(l.Body()), " "))
	return string(text[:min(len(text), snippetLength)])
}

// Field returns the header called name, decoded.
func (l *Letter) Field(name string) string {
	text, err := l.Header.Text(name)
	if err != nil {
		text = l.Header.Get(name)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// decoded decodes a parameter that the sender wrote as an encoded word. RFC 2047 forbids
// this, but it is common.
func decoded(text string) string {
	h := message.Header{}
	h.Set("Name", text)
	if plain, err := h.Text("Name"); err == nil {
		text = plain
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Addresses returns the addresses in the header called name; nil if the header is
// malformed.
func (l *Letter) Addresses(name string) []*mail.Address {
	list, err := l.Header.AddressList(name)
	if err != nil {
		return nil
	}
	return list
}

// Shown returns the addresses in the header called name in readable form. A malformed
// header is returned as it is.
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

// show formats an address for people: it decodes encoded words, and quotes the name only
// where it would be ambiguous.
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

// Headers returns all headers by lower-case name. A header that occurs several times, such
// as received, has one line for each.
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
