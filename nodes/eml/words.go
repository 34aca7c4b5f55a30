package eml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/nodes/charset"
)

// word is an encoded word (RFC 2047): =?charset?Q?text?=.
type word struct {
	label string
	data  []byte
	end   int // the index behind it
}

// decodeWords decodes the encoded words in text, also where RFC 2047 forbids them. White
// space between two words is left out. The bytes of neighbours in the same encoding are
// joined before they are decoded, because programs split words inside a character.
func decodeWords(text string) string {
	at := strings.Index(text, "=?")
	if at < 0 {
		return text
	}
	var b strings.Builder
	var pending word
	flush := func() {
		if pending.end > 0 {
			b.WriteString(wordText(pending.data, pending.label))
		}
		pending = word{}
	}
	done := 0
	for at >= 0 && at < len(text) {
		w, ok := readWord(text, at)
		if !ok {
			at = indexFrom(text, at+2)
			continue
		}
		between := text[done:at]
		if pending.end == 0 || strings.TrimSpace(between) != "" {
			flush()
			b.WriteString(between)
		} else if !strings.EqualFold(pending.label, w.label) {
			flush()
		}
		pending = word{label: w.label, data: append(pending.data, w.data...), end: w.end}
		done = w.end
		at = indexFrom(text, done)
	}
	flush()
	b.WriteString(text[done:])
	return b.String()
}

// escapeRaw escapes bytes that are no ASCII in encoded words of a header that is not decoded
// yet: they are in the encoding of their word, not in that of the header.
func escapeRaw(value string) string {
	var b strings.Builder
	for at := strings.Index(value, "=?"); at >= 0; at = strings.Index(value, "=?") {
		b.WriteString(value[:at])
		w, ok := readWord(value, at)
		if !ok {
			b.WriteString("=?")
			value = value[at+2:]
			continue
		}
		raw := value[at:w.end]
		value = value[w.end:]
		if utf8.ValidString(raw) { // UTF-8, or nothing to escape
			b.WriteString(raw)
			continue
		}
		for i := range len(raw) {
			if raw[i] < utf8.RuneSelf {
				b.WriteByte(raw[i])
			} else {
				fmt.Fprintf(&b, "=%02X", raw[i])
			}
		}
	}
	b.WriteString(value)
	return b.String()
}

func indexFrom(text string, from int) int {
	if i := strings.Index(text[from:], "=?"); i >= 0 {
		return from + i
	}
	return -1
}

// readWord reads the encoded word that begins at start. Its text may have blanks and
// question marks.
func readWord(text string, start int) (w word, ok bool) {
	rest := text[start+2:]
	mark := strings.IndexByte(rest[:min(len(rest), 64)], '?')
	if mark < 0 || mark+2 >= len(rest) || rest[mark+2] != '?' {
		return w, false
	}
	label, _, _ := strings.Cut(rest[:mark], "*") // the language
	if strings.ContainsAny(label, " \t,;<>@\"") {
		return w, false
	}
	encoding, content := rest[mark+1], rest[mark+3:]
	if next := strings.Index(content, "=?"); next >= 0 { // another word, or "=" and the end of this one
		content = content[:min(len(content), next+3)]
	}
	length := strings.Index(content, "?=")
	if length < 0 {
		return w, false
	}
	w.label, w.end = label, start+2+mark+3+length+2
	switch content = content[:length]; encoding {
	case 'q', 'Q':
		w.data = decodeQ(content)
		if !isASCII(content) && utf8.ValidString(content) {
			w.label = "utf-8" // it was decoded on its way
		}
	case 'b', 'B':
		w.data, _ = decodeBase64([]byte(content))
	default:
		return w, false
	}
	return w, true
}

// decodeQ decodes the Q encoding. Wrong escapes stay as they are.
func decodeQ(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '_' {
			c = ' '
		}
		if c == '=' {
			j := i + 1
			for j < len(text) && (text[j] == ' ' || text[j] == '\t') { // a line that was folded inside the escape
				j++
			}
			if j+1 < len(text) {
				if high, low := hexDigit(text[j]), hexDigit(text[j+1]); high >= 0 && low >= 0 {
					out = append(out, byte(high<<4|low)) //nolint:gosec // both are below 16
					i = j + 1
					continue
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// wordText decodes bytes in the encoding that label names. If there is no such encoding, or
// the bytes are not valid in it, the encoding is found by the bytes.
func wordText(data []byte, label string) string {
	if e, err := charset.ByLabel(label); err == nil && !isUTF8(e) && !saysNothing(label) {
		if text, replaced := e.Decode(data); replaced == 0 {
			return text
		}
	}
	text, _ := findText(data, label)
	return text
}

func isUTF8(e charset.Encoding) bool { return e.String() == charset.UTF8.String() }

// saysNothing reports whether programs use a label for whatever they have.
func saysNothing(label string) bool {
	switch strings.ToLower(strings.Trim(label, " \"'")) {
	case "", "us-ascii", "ascii", "7bit", "8bit", "unknown", "unknown-8bit", "x-unknown", "default", "_autodetect_all":
		return true
	}
	return false
}

// findText decodes data of which the declared encoding is UTF-8, wrong or unknown, and
// returns how many characters were replaced. Text that is UTF-8 but for some bytes is UTF-8.
func findText(data []byte, label string) (text string, replaced int) {
	if mostlyUTF8(data) {
		return charset.UTF8.Decode(data)
	}
	if saysNothing(label) {
		label = ""
	}
	text, _, replaced, err := charset.Text(data, charset.Auto, label)
	if err != nil { // only for labels that users give
		return strings.ToValidUTF8(string(data), "\uFFFD"), 1
	}
	return text, replaced
}

// mostlyUTF8 reports whether data has more valid characters of several bytes than bytes that
// are not valid.
func mostlyUTF8(data []byte) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			invalid++
		} else {
			valid++
		}
		i += size
	}
	return valid > invalid
}
