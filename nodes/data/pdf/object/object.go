// Package object reads the structure of PDF files: objects, cross-reference tables, streams
// and encryption. It reads damaged files as other readers do: a table that is missing or
// wrong is rebuilt from the objects that the file has.
package object

import (
	"strings"
	"unicode/utf16"
)

// An object is nil, a bool, an int, a float64, or one of these.
type (
	// Name is a name, without its slash.
	Name string
	// String is a string of bytes.
	String string
	// Array is a list of objects.
	Array []any
	// Dict is a dictionary.
	Dict map[Name]any
	// Ref refers to an object of the file.
	Ref struct{ Num, Gen int }
	// Stream is a dictionary with data. [File.Decode] returns the data.
	Stream struct {
		Dict Dict
		raw  []byte
		key  *key // nil if it is not encrypted
	}
)

// Int returns a number as an int, or 0.
func Int(o any) int {
	switch n := o.(type) {
	case int:
		return n
	case float64:
		if n > -1<<53 && n < 1<<53 {
			return int(n)
		}
	}
	return 0
}

// Float returns a number, or 0.
func Float(o any) float64 {
	switch n := o.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// IsNumber reports whether o is a number.
func IsNumber(o any) bool {
	switch o.(type) {
	case int, float64:
		return true
	}
	return false
}

// Text returns a text string: UTF-16 or UTF-8 with a byte order mark, or PDFDocEncoding.
func Text(s String) string {
	switch {
	case strings.HasPrefix(string(s), "\xfe\xff"):
		return UTF16(s[2:])
	case strings.HasPrefix(string(s), "\xff\xfe"):
		swapped := []byte(s[2:])
		for i := 0; i+1 < len(swapped); i += 2 {
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		}
		return UTF16(String(swapped))
	case strings.HasPrefix(string(s), "\xef\xbb\xbf"):
		return strings.ToValidUTF8(string(s[3:]), "\uFFFD")
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(docEncoding(s[i]))
	}
	return b.String()
}

// UTF16 decodes big-endian UTF-16.
func UTF16(s String) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

// docEncoding decodes a byte of PDFDocEncoding (ISO 32000, D.3), which is Latin-1 but for
// two ranges.
func docEncoding(c byte) rune {
	const low, high = "\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc",
		"\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d\u2018\u2019\u201a\u2122\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161\u017e\ufffd\u20ac"
	switch {
	case c >= 0x18 && c < 0x20:
		return []rune(low)[c-0x18]
	case c >= 0x80 && c <= 0xa0:
		return []rune(high)[c-0x80]
	}
	return rune(c)
}
