package time

import (
	"fmt"
	"strings"
	"time"
)

// readMail reads the dates of mail and HTTP, and those that date(1), C and JavaScript write:
//
//	Mon, 2 Feb 2026 10:00:00 -0500 (EST)
//	Monday, 02-Feb-26 10:00:00 GMT
//	Mon Feb  2 10:00:00 EST 2026
//	Mon Feb 02 2026 10:00:00 GMT+0100 (CET)
//
// The day of the week is not checked. ok is false if the text is no such date; err says which
// part of one cannot be read.
func readMail(text string) (m moment, ok bool, err error) {
	text, ok = withoutComments(text)
	if !ok {
		return m, false, nil
	}
	var d mailDate
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == ',' }) {
		if ok, err = d.take(i, word); !ok || err != nil {
			return m, false, err
		}
	}
	if d.dayOfMonth == 0 || d.month == 0 || !d.hasYear {
		return m, false, nil
	}
	d.day, ok = date(d.year, d.month, d.dayOfMonth)
	return d.moment, ok, nil
}

// withoutComments removes the comments in parentheses, which may be nested. It returns false
// if one is not closed.
func withoutComments(text string) (string, bool) {
	if !strings.ContainsAny(text, "()") {
		return text, true
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && depth > 0:
			i++
		case c == '(':
			depth++
			b.WriteByte(' ')
		case c == ')':
			if depth--; depth < 0 {
				return "", false
			}
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String(), depth == 0
}

// mailDate collects the words of a date of mail.
type mailDate struct {
	moment

	year, month, dayOfMonth int
	hasYear, hasClock       bool
}

// take reads the word at position i. Each kind of word may be there once.
func (d *mailDate) take(i int, word string) (ok bool, err error) {
	switch {
	case i == 0 && isWeekday(word):
		return true, nil
	case d.dayOfMonth == 0 && strings.Count(word, "-") == 2: // 02-Feb-26
		parts := strings.Split(word, "-")
		d.month = monthOf(parts[1])
		return d.month > 0 && d.takeNumber(parts[0]) && d.takeNumber(parts[2]), nil
	case strings.Contains(word, ":") && !d.hasClock:
		d.hasClock = true
		return d.readClock(word), nil
	case d.month == 0 && monthOf(word) > 0:
		d.month = monthOf(word)
		return true, nil
	case strings.Trim(word, "0123456789") == "":
		return d.takeNumber(word), nil
	case d.hasClock && d.zone == nil:
		d.zone, err = readZone(word)
		return d.zone != nil, err
	}
	return false, nil
}

// takeNumber reads the day of the month or, after it, the year. Years of two and three digits
// are those of RFC 5322: 00 to 49 are after 2000, the others after 1900.
func (d *mailDate) takeNumber(digits string) bool {
	if d.dayOfMonth == 0 {
		rest, ok := number(digits, 1, 2, &d.dayOfMonth)
		return ok && rest == ""
	}
	rest, ok := number(digits, 2, 4, &d.year)
	if !ok || rest != "" || d.hasYear || d.month == 0 {
		return false
	}
	d.hasYear = true
	switch {
	case len(digits) == 2 && d.year < 50:
		d.year += 2000
	case len(digits) < 4:
		d.year += 1900
	}
	return true
}

func isWeekday(word string) bool {
	return indexOf(word, []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}) > 0
}

// monthOf returns the number of an English month, or 0.
func monthOf(word string) int {
	return indexOf(word, []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
	})
}

// indexOf returns the position of the name that word is or abbreviates, from 1 on, or 0.
// Abbreviations have three letters, some four.
func indexOf(word string, names []string) int {
	word = strings.TrimSuffix(word, ".")
	for i, name := range names {
		n := len(word)
		if n == len(name) || n == 3 || n == 4 && len(name) > 4 {
			if n <= len(name) && strings.EqualFold(word, name[:n]) {
				return i + 1
			}
		}
	}
	return 0
}

// readZone reads the zone of a date of mail: an offset such as -0500, UTC and GMT, also with
// an offset behind, a name of RFC 5322 or a name that means the same everywhere. Other names
// are an error: they would be guessed. It returns nil if word is no zone at all.
func readZone(word string) (*time.Location, error) {
	if at, ok := readOffset(word); ok {
		return at, nil
	}
	name := strings.ToUpper(word)
	for _, utc := range []string{"GMT", "UTC"} {
		if offset, ok := strings.CutPrefix(name, utc); ok && offset != "" {
			at, _ := readOffset(offset)
			return at, nil
		}
	}
	if minutes, ok := namedOffsets()[name]; ok {
		return time.FixedZone("", minutes*60), nil
	}
	if len(name) == 1 && name >= "A" && name <= "Z" && name != "J" {
		return time.UTC, nil // RFC 5322: military zones were often written with the wrong sign
	}
	if len(name) >= 2 && len(name) <= 5 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && name != "AM" && name != "PM" {
		return nil, fmt.Errorf("the time zone %s is not the same everywhere; write its distance from UTC, such as +0100", name)
	}
	return nil, nil
}

// namedOffsets are the minutes from UTC of the zones with a name: those of RFC 5322, and
// those that mean one offset only.
func namedOffsets() map[string]int {
	return map[string]int{
		"UT": 0, "UTC": 0, "GMT": 0, "Z": 0,
		"EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
		"AST": -240, "ADT": -180, "AKST": -540, "AKDT": -480, "HST": -600,
		"WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "MET": 60, "MEST": 120, "MEZ": 60, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180,
		"JST": 540, "KST": 540, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780,
	}
}
