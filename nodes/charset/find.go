package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding/htmlindex"
)

// Find guesses the encoding of data by its bytes: UTF-8 if it is valid UTF-8, UTF-16 by its
// zero bytes, an East Asian or Cyrillic, Greek or Hebrew encoding if the letters make it
// likely, and Windows-1252 otherwise. Encodings of Latin letters other than Windows-1252
// cannot be told apart by their bytes, so they have to be declared.
func Find(data []byte) Encoding {
	data = data[:min(len(data), peeked)]
	if e, ok := wide(data); ok {
		return e
	}
	if utf8.Valid(wholeRunes(data)) {
		return UTF8
	}
	if shiftJIS(data) {
		return named("shift_jis")
	}
	found := chardet.Detect(data)
	if least, known := likely[found.Encoding]; known && found.Confidence >= least.confidence {
		if e := named(least.label); e.decodes(data) {
			return e
		}
	}
	return Windows1252
}

// likely are the encodings that are taken when the detector is sure enough. For encodings
// with several bytes a character less is enough, as few other texts are valid in them.
var likely = map[string]struct { //nolint:gochecknoglobals // a constant table
	label      string
	confidence float64
}{
	"SHIFT_JIS": {"shift_jis", 0.5}, "CP932": {"shift_jis", 0.5}, "EUC-JP": {"euc-jp", 0.5}, "GB2312": {"gb18030", 0.5}, "GB18030": {"gb18030", 0.5},
	"Big5": {"big5", 0.5}, "EUC-KR": {"euc-kr", 0.5}, "CP949": {"euc-kr", 0.5}, "ISO-2022-JP": {"iso-2022-jp", 0.9},
	"KOI8-R": {"koi8-r", 0.8}, "Windows-1251": {"windows-1251", 0.8}, "ISO-8859-5": {"iso-8859-5", 0.8}, "IBM866": {"ibm866", 0.8},
	"ISO-8859-7": {"windows-1253", 0.8}, "Windows-1253": {"windows-1253", 0.8}, "Windows-1255": {"windows-1255", 0.8}, "ISO-8859-8": {"windows-1255", 0.8},
}

func named(label string) Encoding {
	enc, err := htmlindex.Get(label)
	if err != nil {
		panic(err) // labels are constants
	}
	return Encoding{label, enc}
}

// decodes reports whether all of data is valid in the encoding, but for a character that is
// cut at the end.
func (e Encoding) decodes(data []byte) bool {
	text, replaced := e.Decode(data)
	if replaced == 1 && len(data) == peeked {
		r, _ := utf8.DecodeLastRuneInString(text)
		return r == utf8.RuneError
	}
	return replaced == 0
}

// wide reports whether data is UTF-16 without a byte order mark: every second byte of most
// Latin text is zero, and in other text that of delimiters, spaces and line ends is.
func wide(data []byte) (Encoding, bool) {
	data = data[:min(len(data), 512)&^1]
	if len(data) < 4 || bytes.IndexByte(data, 0) < 0 {
		return Encoding{}, false
	}
	var even, odd int
	for i, b := range data {
		if b == 0 && i%2 == 0 {
			even++
		} else if b == 0 {
			odd++
		}
	}
	switch pairs := len(data) / 2; {
	case odd > 0 && even == 0 && (odd*10 >= pairs*4 || isWideText(utf16le, data)):
		return utf16le, true
	case even > 0 && odd == 0 && (even*10 >= pairs*4 || isWideText(utf16be, data)):
		return utf16be, true
	}
	return Encoding{}, false
}

// isNarrowText reports whether data is UTF-8 that has nothing odd but zeros.
func isNarrowText(data []byte) bool {
	return utf8.Valid(wholeRunes(data)) && bytes.IndexFunc(data, func(r rune) bool { return r > 0 && r < ' ' && r != '\n' && r != '\r' && r != '\t' }) < 0
}

// isWideText reports whether data is text with line ends or delimiters in the encoding e:
// it has no control characters, and no characters that are not assigned.
func isWideText(e Encoding, data []byte) bool {
	if isNarrowText(data) {
		return false
	}
	text, replaced := e.Decode(data)
	if replaced > 1 || !strings.ContainsAny(text, "\n\r\t,;| ") { // one may be cut at the end
		return false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) && r != utf8.RuneError {
			return false
		}
	}
	return true
}

// shiftJIS reports whether data is Shift JIS with common characters only. The detector needs
// more text than the head of a table has. In Windows-1252 the lead bytes are quotes and
// dashes, which other such bytes do not follow.
func shiftJIS(data []byte) bool {
	pairs, highPairs := 0, 0
	for i := 0; i < len(data); i++ {
		lead := data[i]
		if lead < utf8.RuneSelf {
			continue
		}
		if i++; i == len(data) {
			break
		}
		trail := data[i]
		if lead < 0x81 || lead > 0x97 || trail < 0x40 || trail == 0x7f || trail > 0xfc {
			return false
		}
		pairs++
		if trail >= utf8.RuneSelf {
			highPairs++
		}
	}
	return pairs >= 2 && highPairs*3 >= pairs && named("shift_jis").decodes(data)
}
