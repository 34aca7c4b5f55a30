package value

import (
	"bytes"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads one JSON text strictly (RFC 8259): record keys must be unique, text must be
// valid UTF-8, and nothing may follow the value. A number without fraction and exponent
// that fits 64 bits is an int, so that ids are not rounded. Every other number, including
// -0, is a float; one that is out of range is an error. Lists and records nest up to
// [MaxDepth]. Its error is a [*SyntaxError].
//
// The value does not alias data.
func Decode(data []byte) (any, error) {
	r := readers.Get().(*Reader)
	defer r.release()
	return r.decode(data, false)
}

// DecodeLenient is [Decode] for text from other programs: of two equal keys the last one
// counts, and invalid Unicode becomes U+FFFD.
func DecodeLenient(data []byte) (any, error) {
	r := readers.Get().(*Reader)
	defer r.release()
	return r.decode(data, true)
}

// DecodeText is [DecodeLenient] for a string.
func DecodeText(text string) (any, error) {
	r := readers.Get().(*Reader)
	defer r.release()
	r.copied = append(r.copied, text...)
	return r.decode(r.copied, true)
}

func (r *Reader) decode(data []byte, lenient bool) (v any, err error) {
	r.begin(data, lenient, math.MaxInt)
	if v, ok := r.walked(); ok {
		return v, nil
	}
	err = r.read(func(r *Reader) error {
		v, err = r.Value()
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Indent appends v to dst as indented JSON: like [Append], but with each member of a list
// or record on a separate line, indented by two spaces per level.
func Indent(dst []byte, v any) []byte { return IndentJSON(dst, Encode(v)) }

// IndentJSON appends the JSON text src to dst in the layout of [Indent]. Text that is not
// JSON is appended unchanged.
func IndentJSON(dst, src []byte) []byte {
	out, err := jsontext.AppendFormat(dst, src, jsontext.WithIndent(indentation),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil { // only for text that is not from Append
		return append(dst, bytes.TrimSpace(src)...)
	}
	return out
}

// IndentJSONMax is [IndentJSON] for text that [Append] wrote and that may become too long:
// if the result would have more than limit bytes, it returns the original dst and false.
//
// Lines can be a thousand levels deep, so the layout can make a text two thousand times as
// long.
func IndentJSONMax(dst, src []byte, limit int) ([]byte, bool) {
	if len(src) > limit || indentedSize(src, limit) > limit {
		return dst, false
	}
	return IndentJSON(dst, src), true
}

const indentation = "  "

// indentedSize returns the length of the compact JSON text src when it is indented. It
// stops counting above limit.
func indentedSize(src []byte, limit int) int {
	size, depth := 0, 0
	line := func() { size += 1 + depth*len(indentation) }
	for i := 0; i < len(src) && size <= limit; i++ {
		size++
		switch src[i] {
		case '"':
			n := stringLength(src[i:])
			size, i = size+n-1, i+n-1
		case ':':
			size++
		case ',':
			line()
		case '{', '[':
			depth++
			if !empty(src[i:]) {
				line()
			}
		case '}', ']':
			depth--
			if !empty(src[i-1:]) {
				line()
			}
		}
	}
	return size
}

// stringLength returns the length of the JSON string at the start of src.
func stringLength(src []byte) int {
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// empty reports whether src begins with an empty list or record.
func empty(src []byte) bool {
	return len(src) > 1 && (src[0] == '[' && src[1] == ']' || src[0] == '{' && src[1] == '}')
}
