package eml

import (
	"bytes"
	"strings"

	"github.com/svcflow/svc/nodes/charset"
)

// partText decodes the text of a part: from its transfer encoding, its charset and its soft
// line ends. Line ends become \n.
func (r *reader) partText(p *part) string {
	encoding := p.header.first("content-transfer-encoding")
	data := decodeTransfer(encoding, p.body, func(f flaw) { r.notes.Repaired(0, r.item, "%s", f) })
	label := p.contentType.charset()
	if p.contentType.value == textHTML && saysNothing(label) {
		label = charset.Declared(data)
	}
	text, replaced := r.decode(data, label, isEncoded(encoding))
	if replaced > 0 {
		r.notes.Repaired(0, r.item, "%d characters are not valid in the encoding of the text and became U+FFFD", replaced)
	}
	if p.contentType.value == textPlain && strings.EqualFold(strings.TrimSpace(p.contentType.byName["format"]), "flowed") {
		text = unflow(lineEnds(text), strings.EqualFold(strings.TrimSpace(p.contentType.byName["delsp"]), "yes"))
	}
	return lineEnds(text)
}

// decode decodes bytes in the encoding that label names. Bytes that were not in a transfer
// encoding may have been decoded on their way, when a file was saved as UTF-8: then the
// label says what they were once.
func (r *reader) decode(data []byte, label string, encoded bool) (text string, replaced int) {
	if mark := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")); len(mark) < len(data) {
		return findText(mark, "utf-8")
	}
	if r.isText && !encoded {
		return charset.UTF8.Decode(data)
	}
	e, err := charset.ByLabel(label)
	if err != nil || isUTF8(e) || saysNothing(label) {
		if err != nil && label != "" && !saysNothing(label) && !isASCII(string(data)) {
			r.notes.Repaired(0, r.item, "there is no encoding %q; the encoding of the text was found by its bytes", cutText(label))
		}
		return findText(data, label)
	}
	if wide := strings.HasPrefix(e.String(), "utf-16"); wide {
		return decodeWide(e, data)
	}
	text, replaced = e.Decode(data)
	if replaced > 0 || !encoded && isSingleByte(e) && mostlyUTF8(data) {
		if other, fewer := findText(data, label); fewer < replaced || replaced == 0 {
			return other, fewer
		}
	}
	return text, replaced
}

// decodeWide decodes UTF-16. Without a byte order mark or name, the bytes tell the order.
func decodeWide(e charset.Encoding, data []byte) (text string, replaced int) {
	if bytes.IndexByte(data, 0) < 0 && isASCII(string(data)) {
		return string(data), 0
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return findText(data, "")
	}
	if by := charset.Find(data); strings.HasPrefix(by.String(), "utf-16") {
		e = by
	}
	return e.Decode(data)
}

func isSingleByte(e charset.Encoding) bool {
	name := e.String()
	return strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859") || strings.HasPrefix(name, "koi8") || strings.HasPrefix(name, "cp") ||
		strings.HasPrefix(name, "ibm") || name == "macintosh" || name == "x-mac-cyrillic"
}

// lineEnds returns text with \n at line ends.
func lineEnds(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	text = strings.ReplaceAll(text, "\r\r\n", "\n")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\r", "\n")
}

// unflow joins the lines of format=flowed (RFC 3676): a line that ends with a blank continues
// in the next one of the same depth of quotation.
func unflow(text string, delSp bool) string {
	var out strings.Builder
	out.Grow(len(text))
	depth, first := 0, true
	pending := "" // the end of the paragraph; it may be joined with the next line
	for line := range strings.SplitSeq(text, "\n") {
		d := len(line) - len(strings.TrimLeft(line, ">"))
		content := strings.TrimPrefix(line[d:], " ") // the blank is no content (section 4.4)
		if !first && d == depth && strings.HasSuffix(pending, " ") && pending != "-- " {
			if delSp {
				pending = pending[:len(pending)-1]
			}
			out.WriteString(pending)
			pending = content
			continue
		}
		out.WriteString(pending)
		if !first {
			out.WriteByte('\n')
		}
		if d > 0 {
			out.WriteString(line[:len(line)-len(content)])
		}
		depth, first, pending = d, false, content
	}
	out.WriteString(pending)
	return out.String()
}
