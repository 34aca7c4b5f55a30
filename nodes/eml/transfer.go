package eml

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// flaw says what is wrong with an encoded body; "" if nothing is.
type flaw string

// decodeTransfer decodes a body. Unknown encodings leave it as it is. What was repaired is
// passed to note, unless that is nil.
func decodeTransfer(encoding string, body []byte, note func(flaw)) []byte {
	data, wrong := body, flaw("")
	switch transferName(encoding) {
	case "base64":
		data, wrong = decodeBase64(body)
	case "quoted-printable":
		data, wrong = decodeQuotedPrintable(body)
	case "x-uuencode", "uuencode", "x-uue", "uue":
		data, wrong = decodeUU(body)
	}
	if wrong != "" && note != nil {
		note(wrong)
	}
	return data
}

// transferName returns the name of a transfer encoding without comments, quotes and
// parameters.
func transferName(text string) string {
	text, _, _ = strings.Cut(text, ";")
	text, _, _ = strings.Cut(text, "(")
	return strings.ToLower(strings.Trim(text, " \t\"'"))
}

func isEncoded(encoding string) bool {
	name := transferName(encoding)
	return name == "base64" || name == "quoted-printable" || strings.Contains(name, "uue")
}

const (
	badAlphabet = -1 // no character of base64
	padding     = -2
)

// decodeBase64 decodes base64 as programs write it: in pieces with padding each, without
// padding, with the characters for URLs, and with junk between.
func decodeBase64(body []byte) ([]byte, flaw) {
	out := make([]byte, 0, len(body))
	for line := range bytes.Lines(body) {
		out = append(out, bytes.TrimRight(line, "\r\n")...)
	}
	if n, err := base64.StdEncoding.Decode(out, out); err == nil {
		return out[:n:n], ""
	}
	out = out[:0]
	var bits, count int
	junk := 0
	ended := false // by padding
	for len(body) > 0 {
		line, after := cutLine(body)
		body = after
		if ended && !isBase64(line) {
			junk++ // such as the footer of a mailing list
			continue
		}
		for i, c := range line {
			v := base64Value(c)
			if v >= 0 {
				if bits, count = bits<<6|v, count+1; count == 4 {
					out = append(out, byte(bits>>16), byte(bits>>8), byte(bits)) //nolint:gosec // the lowest 24 bits
					bits, count = 0, 0
				}
				continue
			}
			if v == padding {
				out = appendPiece(out, bits, count)
				bits, count, ended = 0, 0, true
				if isBase64(line[i:]) {
					continue
				}
				junk++
				break
			}
			if c > ' ' {
				junk++
			}
		}
	}
	out = appendPiece(out, bits, count)
	switch {
	case count == 1:
		return out, "its base64 is incomplete"
	case junk > 0:
		return out, "its base64 has other characters, which were left out"
	}
	return out, ""
}

// appendPiece appends the bytes of an incomplete group of count characters.
func appendPiece(out []byte, bits, count int) []byte {
	switch count {
	case 2:
		return append(out, byte(bits>>4)) //nolint:gosec // 8 bits
	case 3:
		return append(out, byte(bits>>10), byte(bits>>2)) //nolint:gosec // 16 bits
	}
	return out
}

// isBase64 reports whether a line behind the padding is base64 again. Lines of hyphens and
// underscores, which base64 for URLs may have, begin footers.
func isBase64(line []byte) bool {
	for _, c := range line {
		if c == ' ' || c == '-' || c == '_' || base64Value(c) == badAlphabet && c > ' ' {
			return false
		}
	}
	return true
}

func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	case c == '=':
		return padding
	}
	return badAlphabet
}

// decodeQuotedPrintable decodes quoted-printable. Wrong escapes and control characters stay
// as they are; white space at the end of lines, which transport adds, is left out.
func decodeQuotedPrintable(body []byte) ([]byte, flaw) {
	out := make([]byte, 0, len(body))
	wrong := flaw("")
	for len(body) > 0 {
		end := bytes.IndexByte(body, '\n')
		line, lineEnd := body, []byte(nil)
		if end >= 0 {
			line, body = body[:end], body[end+1:]
			trimmed := bytes.TrimRight(line, "\r")
			lineEnd = []byte("\n")
			if len(trimmed) < len(line) {
				lineEnd = []byte("\r\n")
			}
			line = trimmed
		} else {
			body = nil
		}
		line = bytes.TrimRight(line, " \t")
		if soft, ok := bytes.CutSuffix(line, []byte("=")); ok {
			line, lineEnd = soft, nil
		}
		var bad bool
		if out, bad = appendUnescaped(out, line); bad {
			wrong = "its quoted-printable has wrong escapes, which were kept as they are"
		}
		out = append(out, lineEnd...)
	}
	return out, wrong
}

// appendUnescaped appends a line with its escapes decoded.
func appendUnescaped(out, line []byte) (_ []byte, bad bool) {
	for {
		i := bytes.IndexByte(line, '=')
		if i < 0 {
			return append(out, line...), bad
		}
		out = append(out, line[:i]...)
		line = line[i:]
		if len(line) >= 3 {
			if high, low := hexDigit(line[1]), hexDigit(line[2]); high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low)) //nolint:gosec // both are below 16
				line = line[3:]
				continue
			}
		}
		out, line, bad = append(out, '='), line[1:], true
	}
}

// decodeUU decodes uuencode: between the lines begin and end, each line begins with its
// length.
func decodeUU(body []byte) ([]byte, flaw) {
	var out []byte
	begun := false
	for len(body) > 0 {
		line, after := cutLine(body)
		body = after
		switch {
		case !begun:
			begun = bytes.HasPrefix(line, []byte("begin "))
			continue
		case len(line) == 0:
			continue
		case string(line) == "end":
			return out, ""
		}
		length := int(line[0]-' ') & 63
		start := len(out)
		for line = line[1:]; len(out)-start < length && len(line) > 0; line = line[min(4, len(line)):] {
			var bits int
			for i := range 4 {
				bits <<= 6
				if i < len(line) {
					bits |= int(line[i]-' ') & 63
				}
			}
			out = append(out, byte(bits>>16), byte(bits>>8), byte(bits)) //nolint:gosec // the lowest 24 bits
		}
		out = out[:min(len(out), start+length)]
	}
	return out, "its uuencode has no end"
}
