package eml

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/reading"
)

// The limits of a message. Senders choose the structure of their messages, and each level of
// nesting costs another pass over everything below it.
const (
	maxDepth = 16
	maxParts = 1000
)

// reader reads one message.
type reader struct {
	notes    *reading.Notes
	item     string // the part that is read, for notes
	isFile   bool   // there may be several messages
	isText   bool   // the message was text already when it was given to us
	data     []byte // the whole message, until an encoding was looked for in it
	label    string // that encoding
	boundary string // of the multipart that the part is in
	parts    int
}

// part is a part of a message, or the message itself.
type part struct {
	number      string // such as 2.1; "" for the message itself
	header      header
	contentType params
	disposition params
	body        []byte // in its transfer encoding
	children    []*part
}

func tooMuch(format string, args ...any) error {
	err := node.Errorf(node.CodeLimitExceeded, format, args...)
	err.Permanent = true
	return err
}

// message reads a whole message.
func (r *reader) message(data []byte) (*part, error) {
	data = r.unwrap(data)
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	r.data = data
	return r.part(data, "", 0)
}

// unwrap leaves out what programs put before a message: a byte order mark, empty lines and
// the line that separates messages in a mailbox file.
func (r *reader) unwrap(data []byte) []byte {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		if text, _, _, err := charset.Text(data, charset.Auto, ""); err == nil {
			data, r.isText = []byte(text), true
		}
	}
	data = withoutCount(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if start := bytes.TrimLeft(data, "\r\n\t "); len(start) < len(data) {
		if line, _ := cutLine(start); isSeparator(line) || isField(line) && isKnown(line) {
			data = start
		}
	}
	line, after := cutLine(data)
	switch {
	case !isSeparator(line):
		return data
	case !r.isFile:
		return after
	}
	return r.firstOfMailbox(after)
}

// withoutCount reads the line with the length that Apple Mail puts before a message (.emlx).
func withoutCount(data []byte) []byte {
	line, after := cutLine(data)
	next, _ := cutLine(after)
	n, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil || n < 0 || !isField(next) {
		return data
	}
	return after[:min(n, len(after))]
}

// isSeparator reports whether a line begins a message of a mailbox file: "From ann@… Mon Feb
// 2 10:00:00 2026".
func isSeparator(line []byte) bool {
	return bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))
}

// firstOfMailbox cuts the messages behind the first one.
func (r *reader) firstOfMailbox(data []byte) []byte {
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte("\nFrom "))
		if i < 0 {
			return data
		}
		from += i + 1
		line, after := cutLine(data[from:])
		next, _ := cutLine(after)
		before := bytes.TrimSuffix(data[:from-1], []byte("\r"))
		if bytes.HasSuffix(before, []byte("\n")) && len(bytes.Fields(line)) >= 6 && isField(next) && isKnown(next) {
			r.notes.Dropped(0, "", "the file is a mailbox of several messages, of which only the first was read; split it")
			return before
		}
	}
}

// part reads a part and those in it.
func (r *reader) part(data []byte, number string, depth int) (*part, error) {
	r.at(number)
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		return nil, tooMuch("the message has more than %d parts, or parts in parts deeper than %d levels", maxParts, maxDepth)
	}
	h, body, err := r.readHeader(data)
	if err != nil {
		return nil, err
	}
	p := &part{number: number, header: h, body: body, disposition: parseParams(h.first("content-disposition"))}
	p.contentType = contentType(h.first("content-type"), &p.disposition)
	if !p.isMultipart() && !p.hidesParts() {
		return p, nil
	}
	pieces := r.split(p)
	if pieces == nil && depth > 0 && r.boundary == p.boundary() {
		return p, nil // its parts are those that come next
	}
	if pieces == nil {
		r.notes.Repaired(0, r.item, "a multipart has no parts that can be found by its boundary; it was read as text")
		p.contentType = params{value: textPlain}
		return p, nil
	}
	p.body = nil
	return p, r.children(p, pieces, depth)
}

// children reads the parts of p.
func (r *reader) children(p *part, pieces []piece, depth int) error {
	var inner *part // a multipart with the boundary of p, which has the next parts
	for i, piece := range pieces {
		number := strings.TrimPrefix(p.number+"."+strconv.Itoa(i+1), ".")
		r.boundary = p.boundary()
		child, err := r.part(piece.data, number, depth+1)
		if err != nil {
			return err
		}
		if inner != nil {
			inner.children = append(inner.children, child)
		} else {
			p.children = append(p.children, child)
		}
		switch {
		case piece.closes:
			inner = nil
		case child.isMultipart() && len(child.children) == 0 && child.boundary() == p.boundary():
			inner = child
		}
	}
	return nil
}

// at sets the part that notes are about.
func (r *reader) at(number string) {
	if r.item = ""; number != "" {
		r.item = "part " + number
	}
}

const (
	textPlain = "text/plain"
	textHTML  = "text/html"
)

// contentType parses a content type. A wrong one is text (RFC 2045 section 5.2); a missing
// one is also found by the name of the file.
func contentType(text string, disposition *params) params {
	if first, rest, ok := strings.Cut(strings.TrimSpace(text), " "); ok && !strings.Contains(first, ";") && strings.Contains(rest, "=") {
		text = first + ";" + rest // text/plain charset=utf-8
	}
	p := parseParams(text)
	p.value = strings.ToLower(strings.Join(strings.Fields(p.value), ""))
	kind, sub, ok := strings.Cut(p.value, "/")
	switch {
	case ok && kind != "" && sub != "":
		return p
	case text == "":
		p.value = typeOfName(disposition.name("filename"))
		if p.value == "" && strings.EqualFold(disposition.value, "attachment") {
			p.value = "application/octet-stream"
		}
	case kind == "multipart" || p.byName["boundary"] != "":
		p.value = "multipart/mixed"
	}
	if p.value == "" || !strings.Contains(p.value, "/") {
		p.value = textPlain
	}
	return p
}

func (p *part) isMultipart() bool { return strings.HasPrefix(p.contentType.value, "multipart/") }

func (p *part) boundary() string { return strings.TrimRight(p.contentType.byName["boundary"], " \t") }

// hidesParts reports whether a part that is declared as something else has parts: some
// programs write the boundary and another type.
func (p *part) hidesParts() bool {
	if !strings.HasPrefix(p.contentType.value, "text/") {
		return false
	}
	pieces, _ := splitAt(p.body, p.boundary())
	if pieces != nil {
		p.contentType.value = "multipart/mixed"
	}
	return pieces != nil
}

// piece is the source of a part.
type piece struct {
	data   []byte
	closes bool // the closing boundary is behind it
}

// split returns the parts of a multipart, nil if there are none. If the boundary is missing
// or wrong, it is found in the body.
func (r *reader) split(p *part) []piece {
	boundary := p.boundary()
	body := p.body
	pieces, closed := splitAt(body, boundary)
	if pieces == nil {
		if decoded := decodeTransfer(p.header.first("content-transfer-encoding"), body, nil); len(decoded) > 0 && len(decoded) != len(body) {
			body = decoded // a multipart must not be encoded, but some are
			pieces, closed = splitAt(body, boundary)
		}
	}
	if pieces == nil && (r.boundary == "" || r.boundary != boundary) {
		found := findBoundary(body)
		if pieces, closed = splitAt(body, found); pieces != nil {
			r.notes.Repaired(0, r.item, "the boundary %q does not occur in the message; its parts were separated by %q", cutText(boundary), cutText(found))
		}
	}
	if pieces != nil && !closed {
		r.notes.Repaired(0, r.item, "the closing boundary is missing; the message may be incomplete")
	}
	return pieces
}

// splitAt splits a body at the lines with the boundary. What is before the first and behind
// the closing one is left out. Too many parts are left together at the end.
func splitAt(body []byte, boundary string) (pieces []piece, closed bool) {
	if boundary == "" {
		return nil, false
	}
	delimiter := []byte("--" + boundary)
	nested := isNested(body, boundary)
	start := -1 // of the current part
	for from := 0; ; {
		i := bytes.Index(body[from:], delimiter)
		if i < 0 {
			break
		}
		i += from
		from = i + len(delimiter)
		if i > 0 && body[i-1] != '\n' {
			continue
		}
		after, last, ok := delimiterEnd(body[from:])
		if !ok {
			continue
		}
		if start >= 0 {
			pieces = append(pieces, piece{withoutLineEnd(body[start:max(i, start)]), last})
		}
		from += after
		if start = from; last {
			start = -1
		}
		if last && len(pieces) > 0 && !nested || len(pieces) > maxParts {
			return pieces, true
		}
	}
	if start >= 0 {
		pieces = append(pieces, piece{body[start:], false})
	}
	return pieces, start < 0
}

// isNested reports whether a part in a body has the same boundary as the body. Outlook
// Express for Mac writes such messages.
func isNested(body []byte, boundary string) bool {
	return bytes.Contains(body, []byte(`boundary="`+boundary+`"`)) || bytes.Contains(body, []byte("boundary="+boundary+"\n"))
}

// delimiterEnd checks that only white space, or two hyphens, follow a boundary on its line,
// and returns the length of the rest of the line.
func delimiterEnd(rest []byte) (length int, last, ok bool) {
	line := rest
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		line = rest[:i+1]
	}
	text := bytes.TrimRight(line, " \t\r\n")
	return len(line), string(text) == "--", len(text) == 0 || string(text) == "--"
}

// withoutLineEnd cuts the line end before a boundary, which belongs to the boundary.
func withoutLineEnd(data []byte) []byte {
	data = bytes.TrimSuffix(data, []byte("\n"))
	return bytes.TrimSuffix(data, []byte("\r"))
}

// findBoundary returns the boundary that a body seems to have: the text of the first line
// that begins with two hyphens and has header fields behind it, or "".
func findBoundary(body []byte) string {
	for rest := body; len(rest) > 0; {
		line, after := cutLine(rest)
		rest = after
		if len(line) < 3 || len(line) > 200 || line[0] != '-' || line[1] != '-' {
			continue
		}
		next, _ := cutLine(after)
		name, _, _ := bytes.Cut(next, []byte(":"))
		if bytes.HasPrefix(bytes.ToLower(name), []byte("content-")) {
			return string(bytes.TrimRight(line[2:], " \t"))
		}
	}
	return ""
}
