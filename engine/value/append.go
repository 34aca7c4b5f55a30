package value

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Append appends v to dst as compact JSON. The keys of records are sorted, floats are the
// shortest text that reads back as the same float (without a fraction if there is none),
// and text has as few escapes as RFC 8259 allows. A credential is written as its reference.
// Anything that is not a value is written as null.
func Append(dst []byte, v any) []byte { return appendUpTo(dst, v, math.MaxInt) }

// AppendMax is [Append] for values that may be too long to print: if v takes more than
// limit bytes, it stops early and returns the original dst and false.
//
// A value can be small in memory and very long as JSON, because lists and records may
// contain the same part many times.
func AppendMax(dst []byte, v any, limit int) ([]byte, bool) {
	out := appendUpTo(dst, v, len(dst)+limit)
	if len(out)-len(dst) > limit {
		return dst, false
	}
	return out, true
}

// Preview returns the JSON of v if it has at most limit bytes; whole is then true.
// Otherwise it returns the first limit bytes and an ellipsis.
func Preview(v any, limit int) (text string, whole bool) {
	out := appendUpTo(nil, v, limit)
	if len(out) <= limit {
		return string(out), true
	}
	return strings.ToValidUTF8(string(out[:limit]), "") + ellipsis, false
}

// Shorten returns text, or its beginning and its end with an ellipsis between them,
// together at most limit bytes. limit must be at least the length of the ellipsis.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	room := limit - len(ellipsis)
	head, tail := text[:room-room/2], text[len(text)-room/2:]
	return strings.ToValidUTF8(head, "") + ellipsis + strings.ToValidUTF8(tail, "")
}

// ellipsis replaces the omitted part of a text.
const ellipsis = "…"

// scalarBytes is enough room for most values other than lists, records and long texts.
const scalarBytes = 32

// appendUpTo appends v, but stops after dst has become longer than end.
func appendUpTo(dst []byte, v any, end int) []byte {
	dst = Grow(dst, scalarBytes)
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case float64:
		return appendFloat(dst, v)
	case string:
		return AppendText(dst, v)
	case []any:
		return appendList(dst, v, end)
	case map[string]any:
		return appendRecord(dst, v, end)
	case Credential:
		return AppendText(dst, string(v))
	case Media:
		return v.append(dst)
	}
	return append(dst, "null"...)
}

// AppendExact is [Append], but adds a fraction to floats that have none, so that [Decode]
// returns the same value: 2.0 instead of the int 2.
func AppendExact(dst []byte, v any) []byte {
	switch v := v.(type) {
	case float64:
		from := len(dst)
		dst = appendFloat(dst, v)
		if whole(dst[from:]) {
			dst = append(dst, Fraction...)
		}
		return dst
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendExact(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		return AppendRecord(dst, v, AppendExact)
	}
	return Append(dst, v)
}

// AppendRecord appends a record as [Append] does, but appends the values of its fields with
// appendValue.
func AppendRecord(dst []byte, record map[string]any, appendValue func(dst []byte, v any) []byte) []byte {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(record)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(append(AppendText(dst, name), ':'), record[name])
	}
	return append(dst, '}')
}

// Fraction is the suffix that AppendExact adds to a float without a fraction.
const Fraction = ".0"

// whole reports whether the text of a float would be read as an int.
func whole(text []byte) bool {
	_, err := strconv.ParseInt(string(text), 10, 64)
	return err == nil && string(text) != "-0"
}

// maxPooledBuffer is the largest capacity of a pooled buffer, in bytes.
const maxPooledBuffer = 1 << 20

//nolint:gochecknoglobals // a pool outlives its users by nature; it halves the time for a big value
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Encode returns v as [Append] prints it, in a new slice whose capacity is close to its
// length.
func Encode(v any) []byte { return Encoded(v, Append) }

// Encoded is Encode with another function than [Append].
func Encoded(v any, appendValue func(dst []byte, v any) []byte) []byte {
	buffer := buffers.Get().(*[]byte)
	*buffer = appendValue((*buffer)[:0], v)
	text := grown(*buffer, len(*buffer))
	if cap(*buffer) <= maxPooledBuffer {
		buffers.Put(buffer)
	}
	return text
}

// AppendText appends s to dst as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendText(dst []byte, s string) []byte {
	if plain(s) {
		dst = append(Grow(dst, len(s)+2), '"')
		return append(append(dst, s...), '"')
	}
	dst, _ = jsontext.AppendQuote(Grow(dst, len(s)+2), s) // the error only means that there is a U+FFFD now
	return dst
}

// plain reports whether s is ASCII that needs no escapes. It checks eight bytes at a time.
func plain(s string) bool {
	const (
		ones  = 0x0101010101010101
		tops  = 0x80 * ones
		space = ' ' * ones
		quote = '"' * ones
		slash = '\\' * ones
	)
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		q, b := w^quote, w^slash
		// A byte is below 0x20, or 0 after its xor, if subtracting 1 from it carries into
		// its top bit.
		if (w|(w-space)|(q-ones)|(b-ones))&tops != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if out, ok := appendDecimal(dst, f); ok {
		return out
	}
	return shortestFloat(dst, f)
}

// appendDecimal appends a float with up to four decimals, which covers most numbers in
// practice. No two texts of up to 15 digits denote the same float, so this text is the
// shortest.
func appendDecimal(dst []byte, f float64) ([]byte, bool) {
	const decimals, scale, most = 4, 10_000, 1e15
	scaled := f * scale
	n := int64(scaled)
	if f == 0 || math.Abs(scaled) >= most || float64(n) != scaled || float64(n)/scale != f { // 0 may be -0
		return dst, false
	}
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendInt(dst, n/scale, 10)
	rest := n % scale
	if rest == 0 {
		return dst, true
	}
	digits := [1 + decimals]byte{'.'}
	for i := decimals; i > 0; i-- {
		digits[i] = '0' + byte(rest%10)
		rest /= 10
	}
	return append(dst, bytes.TrimRight(digits[:], "0")...), true
}

func appendList(dst []byte, list []any, end int) []byte {
	dst = append(dst, '[')
	if likely(list) {
		return appendAlike(dst, list, end)
	}
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst = appendUpTo(dst, e, end); len(dst) > end {
			return dst
		}
	}
	return append(dst, ']')
}

// pair is a field of a record. Sorting pairs saves looking up each key again.
type pair struct {
	key   string
	value any
}

func appendRecord(dst []byte, record map[string]any, end int) []byte {
	var small [8]pair // on the stack
	pairs := small[:0]
	for k, v := range record {
		pairs = append(pairs, pair{k, v})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendText(dst, pairs[i].key), ':')
		if dst = appendUpTo(dst, pairs[i].value, end); len(dst) > end {
			return dst
		}
	}
	return append(dst, '}')
}
