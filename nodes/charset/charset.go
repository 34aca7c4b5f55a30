// Package charset finds the encoding of text that nodes read, and decodes it to UTF-8.
//
// An encoding is found in this order: a byte order mark, the label that the user gave, the
// encoding that the data declares (content type, XML declaration, meta element), and the
// bytes themselves. Names are those of the WHATWG Encoding Standard, and the code pages
// cp437 and cp850, which ZIP archives use.
package charset

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Auto is the label that asks to find the encoding.
const Auto = "auto"

// Encoding is an encoding of text. The zero value is UTF-8.
type Encoding struct {
	name string
	enc  encoding.Encoding // nil for UTF-8
}

// UTF8 and Windows1252 are the encodings of text that says nothing else.
var (
	UTF8        = Encoding{}                                    //nolint:gochecknoglobals // a constant table
	Windows1252 = Encoding{"windows-1252", charmap.Windows1252} //nolint:gochecknoglobals // a constant table
)

// String returns the name of the encoding in lower case, such as "shift_jis".
func (e Encoding) String() string {
	if e.name == "" {
		return "utf-8"
	}
	return e.name
}

// pages are the encodings that the WHATWG standard lacks, and UTF-16 without a byte order,
// which is little-endian unless a byte order mark says otherwise.
var pages = map[string]Encoding{ //nolint:gochecknoglobals // a constant table
	"cp437": {"cp437", charmap.CodePage437}, "ibm437": {"cp437", charmap.CodePage437},
	"cp850": {"cp850", charmap.CodePage850}, "ibm850": {"cp850", charmap.CodePage850},
	"cp852": {"cp852", charmap.CodePage852}, "cp858": {"cp858", charmap.CodePage858}, "cp865": {"cp865", charmap.CodePage865},
	"cp1252": Windows1252, "utf8": UTF8, "utf16": {"utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	"cp932": {"shift_jis", mustIndex("shift_jis")}, "cp936": {"gbk", mustIndex("gbk")}, "cp949": {"euc-kr", mustIndex("euc-kr")}, "cp950": {"big5", mustIndex("big5")},
}

func mustIndex(label string) encoding.Encoding {
	enc, err := htmlindex.Get(label)
	if err != nil {
		panic(err) // labels are constants
	}
	return enc
}

// ByLabel returns the encoding that label names: a label of the WHATWG standard in any
// case, such as "latin1" or "Shift_JIS", or a code page such as "cp437".
func ByLabel(label string) (Encoding, error) {
	label = strings.ToLower(strings.Trim(label, " \t\r\n\f\"'"))
	if e, ok := pages[label]; ok {
		return e, nil
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		enc, err = htmlindex.Get(usual(label))
	}
	if err != nil {
		return Encoding{}, fmt.Errorf("there is no encoding %q; use a name such as utf-8, windows-1252, shift_jis or cp437", label)
	}
	name, err := htmlindex.Name(enc)
	if err != nil || name == "replacement" {
		return Encoding{}, fmt.Errorf("the encoding %q cannot be read", label)
	}
	if name == "utf-8" {
		return UTF8, nil
	}
	return Encoding{name, enc}, nil
}

// Reader returns the text of data in UTF-8, without a byte order mark. Bytes that are not
// valid in the encoding become U+FFFD.
func (e Encoding) Reader(r io.Reader) io.Reader {
	if e.enc == nil {
		return transform.NewReader(r, unicode.UTF8.NewDecoder())
	}
	return transform.NewReader(r, e.enc.NewDecoder())
}

// Decode returns the text of data in UTF-8, and how many characters of it could not be
// decoded and became U+FFFD. It does not look for a byte order mark.
func (e Encoding) Decode(data []byte) (text string, replaced int) {
	if e.enc == nil && utf8.Valid(data) {
		return string(data), 0
	}
	enc := e.enc
	if enc == nil {
		enc = unicode.UTF8
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil { // decoders replace what is invalid; they have no errors
		return strings.ToValidUTF8(string(data), "\uFFFD"), 1
	}
	text = string(out)
	if replaced = strings.Count(text, "\uFFFD"); replaced > 0 && e.enc == nil {
		replaced -= bytes.Count(data, []byte("\uFFFD")) // those that the sender wrote
	}
	return text, replaced
}

// Text decodes data. label is what the user asked for, "" or [Auto] for nothing; declared
// is the encoding that the data itself names, "" for none. A byte order mark wins over both.
// A declaration that the bytes contradict is ignored. replaced counts the characters that
// could not be decoded.
func Text(data []byte, label, declared string) (text string, e Encoding, replaced int, err error) {
	e, mark, err := choose(data, label, declared)
	if err != nil {
		return "", e, 0, err
	}
	text, replaced = e.Decode(data[mark:])
	return text, e, replaced, nil
}

// choose returns the encoding of data and the length of its byte order mark.
func choose(data []byte, label, declared string) (Encoding, int, error) {
	if e, mark := byMark(data); mark > 0 {
		return e, mark, nil
	}
	if label != "" && label != Auto {
		e, err := ByLabel(label)
		return e, 0, err
	}
	if e, err := ByLabel(declared); declared != "" && err == nil && fits(e, data) {
		return e, 0, nil
	}
	return Find(data), 0, nil
}

// byMark returns the encoding that a byte order mark names, and the length of the mark.
func byMark(data []byte) (Encoding, int) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return UTF8, 3
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return utf16le, 2
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return utf16be, 2
	}
	return Encoding{}, 0
}

var (
	utf16le = Encoding{"utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)} //nolint:gochecknoglobals // a constant table
	utf16be = Encoding{"utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}    //nolint:gochecknoglobals // a constant table
)

// fits reports whether data may be in the encoding that it declares. UTF-8 that is valid
// and not plain ASCII is UTF-8, whatever is declared: text that was decoded on its way keeps
// its old declaration.
func fits(e Encoding, data []byte) bool {
	valid := utf8.Valid(wholeRunes(data))
	switch {
	case e.enc == nil:
		return valid
	case e.name == "utf-16le" || e.name == "utf-16be":
		return bytes.IndexByte(data[:min(len(data), 64)], 0) >= 0
	}
	return !valid || ascii(data)
}

func ascii(data []byte) bool { return asciiPrefix(data) == len(data) }

// wholeRunes cuts an incomplete rune at the end of head.
func wholeRunes(head []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
		if b := head[len(head)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(head[len(head)-i:]) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}

// Encode returns text in the encoding. A character that the encoding lacks is an error.
func (e Encoding) Encode(text string) ([]byte, error) {
	if e.enc == nil {
		return []byte(text), nil
	}
	out, err := e.enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the text has a character that %s cannot write", e)
	}
	return out, nil
}
