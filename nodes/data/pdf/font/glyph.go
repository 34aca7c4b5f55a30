package font

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// nameText returns the text of a glyph by its name, as the Adobe Glyph List specifies: the
// list itself, uniXXXX and uXXXXXX, several names with underlines between, and what follows
// a period is a variant. It is "" if the name means nothing.
func nameText(name string) string {
	if r, known := glyphs()[name]; known {
		return string(r)
	}
	name, _, _ = strings.Cut(name, ".")
	if r, known := glyphs()[name]; known {
		return string(r)
	}
	if strings.Contains(name, "_") {
		var b strings.Builder
		for part := range strings.SplitSeq(name, "_") {
			b.WriteString(nameText(part))
		}
		return b.String()
	}
	if hex, is := strings.CutPrefix(name, "uni"); is && len(hex) >= 4 && len(hex)%4 == 0 && len(hex) < 64 {
		var units []uint16
		for i := 0; i < len(hex); i += 4 {
			n, err := strconv.ParseUint(hex[i:i+4], 16, 16)
			if err != nil {
				return ""
			}
			units = append(units, uint16(n))
		}
		return string(utf16.Decode(units))
	}
	if hex, is := strings.CutPrefix(name, "u"); is && len(hex) >= 4 && len(hex) <= 6 {
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil && n <= 0x10ffff {
			return string(rune(n))
		}
	}
	return ""
}

// numbered returns the text of glyphs that are named by their code, as some writers of
// subset fonts do: a letter or two and a number, which is decimal, or hexadecimal if hex.
func numbered(name string, hex bool) string {
	digits := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	base := 10
	if hex {
		if len(name) != 3 {
			return ""
		}
		digits, base = name[1:], 16
	} else if len(name)-len(digits) > 2 || digits == "" {
		return ""
	}
	n, err := strconv.ParseUint(digits, base, 16)
	if err != nil || n < ' ' || n > 0xff {
		return ""
	}
	return string(rune(n))
}
