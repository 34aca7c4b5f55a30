package eml

import (
	"strconv"
	"strings"
	"time"
)

// zones are the names of zones in dates of mails, with their hours from UTC. Those of RFC
// 5322 come first; the others mean one zone only.
var zones = map[string]float64{ //nolint:gochecknoglobals // a constant table
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
	"WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "BST": 1, "MSK": 3, "MSD": 4,
	"AKST": -9, "AKDT": -8, "HST": -10, "AST": -4, "ADT": -3, "NST": -3.5, "NDT": -2.5, "BRT": -3, "BRST": -2, "ART": -3,
	"JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "PHT": 8, "WIB": 7, "ICT": 7, "PKT": 5, "AWST": 8, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "SAST": 2,
}

// date is what parseDate has found.
type date struct {
	year, month, day     int
	hour, minute, second int
	hasTime, hasYear     bool
	zone                 float64 // hours
	hasZone              bool
	unknown              string // the name of a zone
	pm, am               bool
	begun                bool // some word was read
}

// parseDate reads a date of a mail: RFC 5322 with its obsolete forms, asctime, ISO 8601 and
// what lies between. Without a zone it is in UTC. unknown is a zone whose name says nothing.
func parseDate(text string) (t time.Time, unknown string, ok bool) {
	text = strings.TrimSpace(withoutComments(text))
	if len(text) > 100 {
		return t, "", false
	}
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, "", true
		}
	}
	var d date
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		if !d.take(word) {
			return t, "", false
		}
	}
	t, ok = d.time()
	return t, d.unknown, ok
}

// withoutComments leaves out what is in parentheses.
func withoutComments(text string) string {
	start := strings.IndexByte(text, '(')
	if start < 0 {
		return text
	}
	var b strings.Builder
	for ; start >= 0; start = strings.IndexByte(text, '(') {
		b.WriteString(text[:start])
		end := commentEnd(text, start)
		if end < 0 {
			return b.String()
		}
		b.WriteByte(' ')
		text = text[end+1:]
	}
	b.WriteString(text)
	return b.String()
}

// take reads a word of a date.
func (d *date) take(word string) bool {
	switch {
	case strings.Contains(word, ":") && !d.hasTime:
		return d.clock(word)
	case strings.Count(word, ".") == 2 && d.hasYear && !d.hasTime: // 10.30.00
		return d.clock(strings.ReplaceAll(word, ".", ":"))
	case d.hasTime && (word[0] == '+' || word[0] == '-'):
		return d.offset(word)
	case word[0] >= '0' && word[0] <= '9':
		return d.number(word)
	}
	defer func() { d.begun = true }()
	name := strings.ToUpper(strings.TrimRight(word, "."))
	if month := monthOf(name); month > 0 && d.month == 0 {
		d.month = month
		return true
	}
	switch {
	case isWeekday(name):
		return true
	case name == "AM" || name == "PM":
		d.am, d.pm = name == "AM", name == "PM"
		return d.hasTime
	case !d.hasTime:
		return !d.hasYear && d.day == 0 && d.month == 0 && !d.begun // a weekday in another language
	}
	return d.zoneName(name)
}

// zoneName reads a zone such as EST or GMT+0100. The letters of the military are UTC (RFC
// 5322 section 4.3).
func (d *date) zoneName(name string) bool {
	if i := strings.IndexAny(name, "+-"); i > 0 {
		d.hasZone = false // the offset counts
		return isLetters(name[:i]) && d.offset(name[i:])
	}
	if !isLetters(name) {
		return false
	}
	if d.hasZone { // a name behind an offset is a comment
		return true
	}
	hours, known := zones[name]
	if !known && len(name) > 1 {
		d.unknown = name
	}
	d.zone, d.hasZone = hours, true
	return true
}

func isLetters(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// number reads a day, a year, or both with a month between: 2-Feb-26.
func (d *date) number(word string) bool {
	if parts := strings.Split(word, "-"); len(parts) == 3 {
		return d.take(parts[0]) && d.take(parts[1]) && d.take(parts[2])
	}
	n, err := strconv.Atoi(strings.TrimRight(word, "."))
	switch {
	case err != nil:
		return false
	case d.day == 0 && n >= 1 && n <= 31 && len(word) <= 3:
		d.day = n
		return true
	case d.hasYear:
		return false
	}
	d.hasYear, d.year = true, n
	switch { // RFC 5322 section 4.3
	case len(word) == 2 && n < 50:
		d.year += 2000
	case len(word) <= 3:
		d.year += 1900
	}
	return len(word) >= 2 && len(word) <= 4
}

// clock reads 10:00, 10:00:00 or 10:00:00.123, with a zone directly behind it.
func (d *date) clock(word string) bool {
	if i := strings.IndexAny(word, "+-Zz"); i > 0 {
		zone := word[i:]
		word = word[:i]
		d.hasTime = true
		if zone == "Z" || zone == "z" {
			d.hasZone = true
		} else if !d.offset(zone) {
			return false
		}
	}
	parts := strings.Split(word, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return false
	}
	last, _, _ := strings.Cut(parts[len(parts)-1], ".")
	parts[len(parts)-1] = last
	for i, to := range []*int{&d.hour, &d.minute, &d.second}[:len(parts)] {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || len(parts[i]) > 2 {
			return false
		}
		*to = n
	}
	d.hasTime = true
	return true
}

// offset reads +0100, +01:00, +100 or +01.
func (d *date) offset(word string) bool {
	digits := strings.Replace(word[1:], ":", "", 1)
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || len(digits) > 4 {
		return false
	}
	hours, minutes := n/100, n%100
	if len(digits) <= 2 {
		hours, minutes = n, 0
	}
	if hours > 15 || minutes > 59 {
		return false
	}
	if d.hasZone && !(d.zone == 0 && d.unknown == "") {
		return false
	}
	d.zone, d.hasZone = float64(hours)+float64(minutes)/60, true
	if word[0] == '-' {
		d.zone = -d.zone
	}
	return true
}

func (d *date) time() (t time.Time, ok bool) {
	if d.pm && d.hour < 12 {
		d.hour += 12
	} else if d.am && d.hour == 12 {
		d.hour = 0
	}
	if d.month == 0 || d.day == 0 || !d.hasYear || d.hour > 24 || d.minute > 59 || d.second > 60 {
		return t, false
	}
	if day := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC); day.Day() != d.day {
		return t, false
	}
	zone := time.FixedZone("", int(d.zone*3600))
	return time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, min(d.second, 59), 0, zone), true
}

// monthOf returns the month that an English name, or its first letters, names; 0 for none.
func monthOf(name string) int {
	for month := time.January; month <= time.December; month++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToUpper(month.String()), name) || month == time.September && name == "SEPT" {
			return int(month)
		}
	}
	return 0
}

func isWeekday(name string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToUpper(day.String()), name) || day == time.Thursday && name == "THUR" {
			return true
		}
	}
	return false
}
