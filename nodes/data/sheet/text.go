package sheet

import (
	"context"
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
)

// textReader collects the text of a shared or inline string: its runs, without the phonetic
// ones that say how a word is read.
type textReader struct {
	text     []byte
	taken    bool // inside of t
	phonetic int
}

func (r *textReader) start(name string) {
	switch name {
	case "t":
		r.taken = r.phonetic == 0
	case "rPh":
		r.phonetic++
	}
}

func (r *textReader) end(name string) {
	switch name {
	case "t":
		r.taken = false
	case "rPh":
		r.phonetic = max(0, r.phonetic-1)
	}
}

// holdEvery is how many bytes of the run's memory are reserved at a time.
const holdEvery = 256 << 10

// sharedStrings reads the texts that cells refer to by number.
func sharedStrings(ctx context.Context, p *parts, part string) (all []string, err error) {
	var r textReader
	weight := 0
	err = p.scan(part, func(_ *xml.Decoder, t xml.Token) (bool, error) {
		switch t := t.(type) {
		case xml.StartElement:
			if r.start(t.Name.Local); t.Name.Local == "si" {
				r = textReader{text: r.text[:0]}
			}
		case xml.EndElement:
			if r.end(t.Name.Local); t.Name.Local != "si" {
				break
			}
			all = append(all, unescape(string(r.text)))
			if weight += len(r.text) + 16; weight > holdEvery {
				err := errors.Join(ctx.Err(), node.Hold(ctx, weight))
				weight = 0
				return err == nil, err
			}
		case xml.CharData:
			if r.taken {
				r.text = append(r.text, t...)
			}
		}
		return true, nil
	})
	return all, err
}

// unescape decodes the escapes _xHHHH_ of characters that XML cannot hold (22.9.2.19).
// "_x005F_" is an underscore that is none.
func unescape(s string) string {
	i := strings.Index(s, "_x")
	if i < 0 {
		return s
	}
	var b strings.Builder
	for ; i >= 0; i = strings.Index(s, "_x") {
		b.WriteString(s[:i])
		s = s[i:]
		unit, ok := escape(s)
		if !ok {
			b.WriteByte('_')
			s = s[1:]
			continue
		}
		s = s[escapeLength:]
		if low, ok := escape(s); ok && utf16.IsSurrogate(unit) {
			if r := utf16.DecodeRune(unit, low); r != utf8.RuneError {
				unit, s = r, s[escapeLength:]
			}
		}
		b.WriteRune(unit) // a surrogate alone becomes U+FFFD
	}
	b.WriteString(s)
	return b.String()
}

const escapeLength = len("_xHHHH_")

// escape returns the code unit of the escape that s begins with.
func escape(s string) (rune, bool) {
	if len(s) < escapeLength || s[:2] != "_x" || s[6] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
