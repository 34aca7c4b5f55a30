package calendar

import (
	"io"
	"mime/quotedprintable"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/nodes/charset"
)

// Rejoin moves the folds of data that are inside of a character of UTF-8 behind it. Some
// programs fold lines after 75 bytes whatever these are; the character is lost then when
// the bytes are decoded. Other encodings are left as they are.
func Rejoin(data []byte) []byte {
	if !hasCut(data) {
		return data
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		missing, fold := cutAt(data, i)
		if fold == 0 {
			out = append(out, data[i])
			i++
			continue
		}
		rest := i + fold
		out = append(append(out, data[rest:rest+missing]...), data[i:rest]...)
		i = rest + missing
	}
	return out
}

func hasCut(data []byte) bool {
	for i, b := range data {
		if b == '\r' || b == '\n' {
			if _, fold := cutAt(data, i); fold > 0 {
				return true
			}
		}
	}
	return false
}

// cutAt returns the length of the fold at position i and how many bytes of the character
// before it follow the fold, or zeros if there is no fold inside of a character.
func cutAt(data []byte, i int) (missing, fold int) {
	if data[i] != '\r' && data[i] != '\n' || i == 0 || data[i-1] < utf8.RuneSelf {
		return 0, 0
	}
	start := i - 1
	for start > 0 && i-start < utf8.UTFMax && !utf8.RuneStart(data[start]) {
		start--
	}
	have := i - start
	switch lead := data[start]; {
	case lead >= 0xf0:
		missing = 4 - have
	case lead >= 0xe0:
		missing = 3 - have
	case lead >= 0xc0:
		missing = 2 - have
	}
	for i+fold < len(data) && (data[i+fold] == '\r' || data[i+fold] == '\n') && fold < 2 {
		fold++
	}
	if missing <= 0 || i+fold+missing >= len(data) || data[i+fold] != ' ' && data[i+fold] != '\t' {
		return 0, 0
	}
	fold++
	whole := slices.Concat(data[start:i], data[i+fold:min(len(data), i+fold+missing)])
	if !utf8.Valid(whole) {
		return 0, 0
	}
	return missing, fold
}

// lines reads unfolded lines.
type lines struct {
	rest   string
	number int // of the line that was read last
	next   int
}

// newLines reads text, whose lines end with LF, CR LF or CR.
func newLines(text string) *lines {
	if strings.Count(text, "\r") != strings.Count(text, "\r\n") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	return &lines{rest: text}
}

// physical cuts the next line from the rest.
func (l *lines) physical() string {
	l.next++
	line, rest, _ := strings.Cut(l.rest, "\n")
	l.rest = rest
	return strings.TrimSuffix(line, "\r")
}

// read returns the next line that is not empty, or false at the end.
func (l *lines) read() (string, bool) {
	line := ""
	for line == "" {
		if l.rest == "" {
			return "", false
		}
		line = strings.TrimLeft(strings.TrimPrefix(l.physical(), "\ufeff"), " \t") // files that are joined have the mark inside
	}
	l.number = l.next
	if !l.folded() {
		return l.soft(line), true
	}
	var b strings.Builder
	b.WriteString(line)
	for l.folded() {
		if part := l.physical(); part != "" {
			b.WriteString(part[1:])
		}
	}
	return l.soft(b.String()), true
}

// folded reports whether the next line continues this one. Empty lines between them come of
// line ends such as CR CR LF.
func (l *lines) folded() bool {
	if l.rest == "" {
		return false
	}
	switch l.rest[0] {
	case ' ', '\t':
		return true
	case '\n', '\r':
		next := strings.TrimLeft(l.rest, "\r\n")
		return next != "" && (next[0] == ' ' || next[0] == '\t')
	}
	return false
}

// soft adds the lines that a value in quoted-printable continues with. vCalendar 1.0 has
// such values.
func (l *lines) soft(line string) string {
	for strings.HasSuffix(line, "=") && l.rest != "" && quoted(line) {
		line += "\n" + l.physical()
	}
	return line
}

func quoted(line string) bool {
	head, _, _ := strings.Cut(line, ":")
	return strings.Contains(strings.ToUpper(head), "QUOTED-PRINTABLE")
}

// property is a content line.
type property struct {
	line   int
	name   string // in upper case
	params string // such as TZID=Europe/Berlin;VALUE=DATE-TIME
	value  string
}

// longestName is longer than any name of a property.
const longestName = 128

// parseLine splits a content line. It returns false if it has no name.
func parseLine(line string, number int) (property, bool) {
	end := strings.IndexAny(line[:min(len(line), longestName)], ":;")
	if end <= 0 {
		return property{}, false
	}
	name := strings.TrimSpace(line[:end])
	for i := range len(name) {
		if c := name[i]; c|0x20 < 'a' || c|0x20 > 'z' {
			if (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
				return property{}, false
			}
		}
	}
	if name == "" {
		return property{}, false
	}
	p := property{line: number, name: strings.ToUpper(name)}
	if line[end] == ':' {
		p.value = line[end+1:]
		return p, true
	}
	colon := valueAt(line, end, isTime(p.name))
	if colon < 0 {
		return property{}, false
	}
	p.params, p.value = line[end+1:colon], line[colon+1:]
	return p, true
}

func isTime(name string) bool {
	switch name {
	case "DTSTART", "DTEND", "RECURRENCE-ID", "EXDATE", "RDATE":
		return true
	}
	return false
}

// valueAt returns the position of the colon before the value, or -1. Quotes count where a
// value of a parameter begins, so that one inside of a value does no harm. If none fits,
// quotes do not count. The value of a time has to look like one: names of zones such as
// "(UTC+01:00) Berlin" are often not quoted.
func valueAt(line string, from int, times bool) int {
	first, inQuotes := -1, false
	for i := from; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' && inQuotes:
			inQuotes = false
		case c == '"' && (line[i-1] == '=' || line[i-1] == ','):
			inQuotes = true
		case c == ':' && !inQuotes:
			if !times || likeTime(line[i+1:]) {
				return i
			}
			if first < 0 {
				first = i
			}
		}
	}
	if inQuotes || first < 0 {
		for i := from; i < len(line); i++ {
			if line[i] == ':' && (!times || likeTime(line[i+1:])) {
				return i
			}
		}
	}
	return first
}

// likeTime reports whether text begins with a date.
func likeTime(text string) bool {
	text = strings.TrimLeft(text, " ")
	if len(text) < len("20060102") {
		return false
	}
	for i := range 6 {
		if c := text[i]; (c < '0' || c > '9') && (i != 4 || c != '-') {
			return false
		}
	}
	return true
}

// param returns the value of a parameter, without quotes, or "".
func (p *property) param(name string) string {
	for rest := p.params; rest != ""; {
		end := len(rest)
		inQuotes := false
		for i := range len(rest) {
			if rest[i] == '"' && (inQuotes || i > 0 && rest[i-1] == '=') {
				inQuotes = !inQuotes
			}
			if rest[i] == ';' && !inQuotes {
				end = i
				break
			}
		}
		key, value, _ := strings.Cut(rest[:end], "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(strings.Trim(strings.TrimSpace(value), `"`))
		}
		rest = rest[min(len(rest), end+1):]
	}
	return ""
}

// text returns the value of a text without its escapes.
func (p *property) text() string {
	value := p.value
	if p.params != "" && strings.EqualFold(p.param("ENCODING"), "QUOTED-PRINTABLE") {
		value = p.quotedPrintable()
	}
	return strings.ToValidUTF8(unescape(value), "\uFFFD")
}

func (p *property) quotedPrintable() string {
	decoded, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.value)))
	if err != nil {
		return p.value
	}
	text, _, _, err := charset.Text(decoded, "", p.param("CHARSET"))
	if err != nil {
		return string(decoded)
	}
	return text
}

// unescape resolves the escapes of a text. A backslash before another character stays.
func unescape(value string) string {
	if strings.IndexByte(value, '\\') < 0 {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) {
			switch c := value[i+1]; c {
			case 'n', 'N':
				b.WriteByte('\n')
				i++
				continue
			case ',', ';', '\\', ':', '"':
				b.WriteByte(c)
				i++
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return b.String()
}
