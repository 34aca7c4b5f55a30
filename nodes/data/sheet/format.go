package sheet

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what a number format shows.
type kind int

const (
	number   kind = iota
	date          // a date, or a date and a time
	clock         // a time of day
	duration      // elapsed hours, minutes or seconds: [h]:mm
)

// format is a number format, by its sections.
type format []section

// section is a part of a number format for some values.
type section struct {
	kind    kind
	op      string // of the condition: <, <=, >, >=, =, <>; empty for none
	operand float64
}

// of returns what the format shows for n: the first section whose condition holds, as the
// usual sections for negative numbers and zero show the same kind.
func (f format) of(n float64) kind {
	for _, s := range f {
		if s.holds(n) {
			return s.kind
		}
	}
	return number
}

func (s *section) holds(n float64) bool {
	switch s.op {
	case "<":
		return n < s.operand
	case "<=":
		return n <= s.operand
	case ">":
		return n > s.operand
	case ">=":
		return n >= s.operand
	case "=":
		return n == s.operand
	case "<>":
		return n != s.operand
	}
	return true
}

// builtIn returns the format with an id that needs no code (ECMA-376, 18.8.30), with those
// of East Asian and Thai systems.
func builtIn(id int) format {
	switch {
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 36, id >= 50 && id <= 58, id >= 71 && id <= 74, id == 77, id == 81:
		return format{{kind: date}}
	case id >= 18 && id <= 21, id == 45, id == 47, id == 75, id == 76, id == 79, id == 80:
		return format{{kind: clock}}
	case id == 46, id == 78:
		return format{{kind: duration}}
	}
	return nil
}

// parseFormat returns the format with a code such as `[Red]yyyy\-mm\-dd;@`.
func parseFormat(code string) (f format) {
	for more := true; more; {
		var s section
		s, code, more = parseSection(code)
		f = append(f, s)
	}
	return f
}

// letters are the parts of a section that show dates.
type letters struct{ day, time, month, elapsed, digits bool }

// parseSection reads the first section of code. It returns the rest after a semicolon, and
// whether there is one.
func parseSection(code string) (s section, rest string, more bool) {
	var seen letters
	i := 0
	for i < len(code) && code[i] != ';' {
		switch code[i] {
		case '\\', '_', '*': // the next character stands for itself, for space, or for filling
			i++
			_, n := utf8.DecodeRuneInString(code[min(i, len(code)):])
			i += n
		case '"':
			i += 2 + strings.IndexByte(code[i+1:]+`"`, '"')
		case '[':
			end := strings.IndexByte(code[i:]+"]", ']')
			s.bracket(&seen, code[i+1:min(len(code), i+end)])
			i += end + 1
		default:
			i += seen.letter(code[i:])
		}
	}
	s.kind = seen.kind()
	if i >= len(code) {
		return s, "", false
	}
	return s, code[i+1:], true
}

// bracket reads what is in brackets: a condition, or elapsed time. Colours, currencies and
// languages show nothing.
func (s *section) bracket(seen *letters, inside string) {
	inside = strings.ToLower(inside)
	if inside != "" && strings.Trim(inside, inside[:1]) == "" && strings.ContainsAny(inside[:1], "hms") {
		seen.elapsed = true
		return
	}
	op := inside[:len(inside)-len(strings.TrimLeft(inside, "<>="))]
	if operand, err := strconv.ParseFloat(inside[len(op):], 64); err == nil && op != "" {
		s.op, s.operand = op, operand
	}
}

// generals are words that show a number as it is, though they have letters of dates.
var generals = []string{"general", "standard", "g/", "estándar", "algemeen", "allmänt", "genel", "standaard"} //nolint:gochecknoglobals // a constant table

// letter reads one letter or word of code and returns its length.
func (seen *letters) letter(code string) int {
	lower := strings.ToLower(code[:min(len(code), 16)])
	for _, word := range generals {
		if strings.HasPrefix(lower, word) {
			return len(word)
		}
	}
	switch lower[0] {
	case 'y', 'd', 'b': // b is the Buddhist year
		seen.day = true
	case 'g': // an era
		seen.day = true
	case 'm':
		seen.month = true
	case 'h', 's':
		seen.time = true
	case 'a':
		switch {
		case strings.HasPrefix(lower, "am/pm"):
			seen.time = true
			return len("am/pm")
		case strings.HasPrefix(lower, "a/p"):
			seen.time = true
			return len("a/p")
		case strings.HasPrefix(lower, "aaa"): // a day of the week
			seen.day = true
			return len("aaa")
		}
	case 'e': // the year of an era, or an exponent
		if len(lower) > 1 && (lower[1] == '+' || lower[1] == '-') || seen.digits {
			return 1
		}
		seen.day = true
	case '0', '#', '?':
		seen.digits = true
	}
	_, n := utf8.DecodeRuneInString(code)
	return n
}

func (seen *letters) kind() kind {
	switch {
	case seen.day:
		return date
	case seen.elapsed:
		return duration
	case seen.time:
		return clock
	case seen.month:
		return date
	}
	return number
}
