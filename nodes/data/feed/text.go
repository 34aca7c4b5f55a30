package feed

import (
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/svcflow/svc/nodes/reading"
)

// longestEntity is the length of the longest name of an HTML entity, with & and ;.
const longestEntity = 34

// decode returns the text of XML character data. Unlike HTML it reads entities with a
// semicolon only, so that an address such as ?a=1&copy=2 stays. Entities of HTML and an
// unescaped & are no XML: they are noted.
func (r *reader) decode(raw string) string {
	at := strings.IndexByte(raw, '&')
	if at < 0 {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	for ; at >= 0; at = strings.IndexByte(raw, '&') {
		b.WriteString(raw[:at])
		raw = raw[at:]
		end := strings.IndexByte(raw[:min(len(raw), longestEntity)], ';')
		char := ""
		if end > 0 {
			char = entity(raw[:end+1])
		}
		if char == "" {
			r.noteOnce("ampersand", "there is an & that is not written as &amp;")
			b.WriteByte('&')
			raw = raw[1:]
			continue
		}
		switch raw[1:end] {
		case "amp", "lt", "gt", "quot", "apos":
		default:
			if raw[1] != '#' {
				r.noteOnce("entity", "there is an entity of HTML, %s; it was read as %q", raw[:end+1], char)
			}
		}
		b.WriteString(char)
		raw = raw[end+1:]
	}
	b.WriteString(raw)
	return b.String()
}

// entity returns the text of an entity such as &amp; or &#228;, or "" if there is none.
func entity(name string) string {
	if strings.ContainsAny(name, " \t\r\n<") {
		return ""
	}
	if name[1] != '#' {
		for i := 1; i < len(name)-1; i++ {
			if c := name[i] | 0x20; (c < 'a' || c > 'z') && (name[i] < '0' || name[i] > '9') {
				return ""
			}
		}
	}
	text := html.UnescapeString(name)
	if strings.HasSuffix(text, ";") && text != ";" {
		return "" // not known, or only its beginning is
	}
	return text
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;") //nolint:gochecknoglobals // a constant table

// clean trims a value. It repairs text that was encoded in UTF-8 twice, and characters of
// Windows-1252 that are taken for control characters.
func (r *reader) clean(text string) string {
	text = strings.TrimSpace(cleanControls(strings.ToValidUTF8(text, "\uFFFD")))
	if once, ok := encodedTwice(text); ok {
		r.noteOnce("twice", "there is text that was encoded in UTF-8 twice: %q was read as %q", reading.Cut(text), reading.Cut(once))
		return once
	}
	if strings.IndexFunc(text, isC1) >= 0 {
		r.noteOnce("windows", "there are characters of Windows-1252 in text of another encoding")
		return strings.Map(func(c rune) rune {
			if isC1(c) {
				return charmap.Windows1252.DecodeByte(byte(c))
			}
			return c
		}, text)
	}
	return text
}

func isC1(c rune) bool { return c >= 0x80 && c <= 0x9F }

// encodedTwice returns the text whose bytes in UTF-8 are the characters of text, if there is
// one: somebody took UTF-8 for ISO-8859-1 or Windows-1252.
func encodedTwice(text string) (string, bool) {
	if strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 {
		return "", false
	}
	narrow := make([]byte, 0, len(text))
	for _, c := range text {
		b, ok := byte(c), c <= 0xFF
		if !ok {
			b, ok = charmap.Windows1252.EncodeRune(c)
		}
		if !ok {
			return "", false
		}
		narrow = append(narrow, b)
	}
	return string(narrow), utf8.Valid(narrow)
}

// resolve returns an address as an absolute one if base is known.
func resolve(base *url.URL, address string) string {
	address = strings.TrimSpace(address)
	if base == nil || address == "" {
		return address
	}
	u, err := base.Parse(address)
	if err != nil {
		return address
	}
	return u.String()
}

// isWeb reports whether an address is one of a web page.
func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
