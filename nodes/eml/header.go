package eml

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/nodes/charset"
)

// field is a header field. Its value is unfolded, but its encoded words are not decoded.
type field struct {
	name  string // in lower case
	value string // valid UTF-8, without white space around it
}

// header is the header of a message or a part.
type header []field

// first returns the value of the first field called name that is not empty. If a field is
// repeated, mail programs show the first.
func (h header) first(name string) string {
	for _, f := range h {
		if f.name == name && f.value != "" {
			return f.value
		}
	}
	return ""
}

// all returns the values of the fields called name.
func (h header) all(name string) []string {
	var values []string
	for _, f := range h {
		if f.name == name && f.value != "" {
			values = append(values, f.value)
		}
	}
	return values
}

// maxHeader is the largest header of a message or part, in bytes.
const maxHeader = 1 << 20

// readHeader splits data into its header and its body. Lines that are no header fields are
// left out if more fields follow; otherwise the body begins there, as in messages that lack
// the empty line.
func (r *reader) readHeader(data []byte) (h header, body []byte, err error) {
	var lines [][]byte // the first line of each field with its continuations
	rest, start := data, 0
	for len(rest) > 0 {
		line, after := cutLine(rest)
		folded := len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
		switch blank := isBlank(line); {
		case blank && (!folded || !continues(after)):
			return r.fields(lines), after, nil
		case folded && len(lines) > 0:
			lines[len(lines)-1] = data[start : len(data)-len(after)] // it lies directly behind its field
		case isField(line):
			start = len(data) - len(rest)
			lines = append(lines, rest[:len(rest)-len(after)])
		case after == nil && isCutOff(line):
			return r.fields(lines), nil, nil
		case len(lines) > 0 && isDelimiter(line):
			return r.fields(lines), rest, nil
		case !headerFollows(after):
			r.notes.Repaired(0, r.item, "the empty line between the header and the text is missing")
			return r.fields(lines), rest, nil
		default:
			r.notes.Repaired(0, r.item, "a line in the header is no header field and was left out: %q", cutText(string(line)))
			after = skipFolded(after)
		}
		rest = after
		if len(data)-len(rest) > maxHeader {
			return nil, nil, tooMuch("a header of the message is larger than %d bytes", maxHeader)
		}
	}
	return r.fields(lines), nil, nil
}

// continues reports whether a line of white space within a header belongs to it: a known
// field or a continuation follows. Others end the header, as an empty line does.
func continues(after []byte) bool {
	line, _ := cutLine(after)
	return !isBlank(line) && (line[0] == ' ' || line[0] == '\t' || isField(line) && isKnown(line))
}

func skipFolded(data []byte) []byte {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\t') {
		line, after := cutLine(data)
		if isBlank(line) {
			break
		}
		data = after
	}
	return data
}

// fields parses the lines of a header. Bytes that are not valid UTF-8 are in the encoding
// that the header declares for the text, or any part of the message.
func (r *reader) fields(lines [][]byte) header {
	h := make(header, 0, len(lines))
	var raw []int // the fields that are not valid UTF-8
	for i, line := range lines {
		name, value, _ := bytes.Cut(line, []byte(":"))
		f := field{name: strings.ToLower(strings.TrimSpace(string(name))), value: unfold(value)}
		if !utf8.ValidString(f.value) {
			raw = append(raw, i)
		}
		h = append(h, f)
	}
	if len(raw) == 0 {
		return h
	}
	declared := parseParams(h.first("content-type")).charset()
	if declared == "" {
		if r.data != nil {
			r.findLabel()
		}
		declared = r.label
	}
	h.decode(raw, declared)
	return h
}

var charsetParameter = regexp.MustCompile(`(?i)\bcharset\s*=\s*"?([\w.:-]+)`)

// findLabel finds the first encoding that the message declares for a part and that is not
// UTF-8.
func (r *reader) findLabel() {
	const within = 64 << 10
	found := charsetParameter.FindAllSubmatch(r.data[:min(len(r.data), within)], 10)
	r.data = nil // it is searched once
	for _, match := range found {
		label := string(match[1])
		if e, err := charset.ByLabel(label); err == nil && !isUTF8(e) && !saysNothing(label) {
			r.label = label
			return
		}
	}
}

// decode decodes fields that are not valid UTF-8. All have the same encoding.
func (h header) decode(raw []int, declared string) {
	values := make([]string, len(raw))
	for i, at := range raw {
		values[i] = escapeRaw(h[at].value)
	}
	text, _ := findText([]byte(strings.Join(values, "\n")), declared)
	decoded := strings.Split(text, "\n")
	for i, at := range raw {
		if len(decoded) == len(raw) {
			h[at].value = decoded[i]
		} else {
			h[at].value = strings.ToValidUTF8(values[i], "\uFFFD")
		}
	}
}

// unfold joins the lines of a field: a line end and the white space behind it become one
// blank.
func unfold(value []byte) string {
	value = bytes.TrimRight(value, "\r\n")
	if bytes.IndexByte(value, '\n') < 0 {
		return strings.TrimSpace(strings.ReplaceAll(string(value), "\r", " "))
	}
	var b strings.Builder
	for line := range bytes.Lines(value) {
		if b.Len() > 0 {
			line = bytes.TrimLeft(line, " \t")
		}
		line = bytes.TrimRight(line, "\r\n")
		if b.Len() > 0 && len(line) > 0 {
			b.WriteByte(' ')
		}
		b.Write(line)
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\r", " "))
}

// cutLine returns the first line of data without its line end, and what is behind it.
func cutLine(data []byte) (line, after []byte) {
	line, after, found := bytes.Cut(data, []byte("\n"))
	if !found {
		return data, nil
	}
	return bytes.TrimRight(line, "\r"), after
}

// isDelimiter reports whether a line may be a boundary between parts.
func isDelimiter(line []byte) bool { return len(line) > 2 && line[0] == '-' && line[1] == '-' }

func isBlank(line []byte) bool { return len(bytes.Trim(line, " \t\r")) == 0 }

// isField reports whether a line begins with the name of a header field and a colon. Blanks
// before the colon are an error that is common.
func isField(line []byte) bool {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return false
	}
	name := bytes.TrimRight(line[:colon], " \t")
	return len(name) > 0 && !slices.ContainsFunc(name, func(b byte) bool { return b <= ' ' || b >= 0x7f })
}

// headerFollows reports whether the next lines have a field that only headers have.
func headerFollows(data []byte) bool {
	for range 50 {
		if len(data) == 0 {
			return false
		}
		line, after := cutLine(data)
		if isBlank(line) {
			return false
		}
		if isField(line) && isKnown(line) {
			return true
		}
		data = after
	}
	return false
}

// known are fields that many messages have.
var known = []string{ //nolint:gochecknoglobals // a constant table
	"from", "to", "cc", "bcc", "subject", "date", "sender", "received", "message-id", "mime-version", "reply-to", "return-path",
	"references", "in-reply-to", "delivered-to", "dkim-signature", "list-id", "user-agent", "importance", "priority",
}

// isKnown reports whether the field in line is one of those that most messages have.
func isKnown(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(":"))
	text := strings.ToLower(strings.TrimSpace(string(name)))
	return slices.Contains(known, text) || strings.HasPrefix(text, "content-") || strings.HasPrefix(text, "x-")
}

// isCutOff reports whether the last line of truncated data is the beginning of a field.
func isCutOff(line []byte) bool {
	text := strings.ToLower(string(line))
	return isKnown(line) || strings.HasPrefix("content-", text) || slices.ContainsFunc(known, func(name string) bool { return strings.HasPrefix(name, text) })
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// cutText shortens a text for a message.
func cutText(text string) string {
	const longest = 64
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
