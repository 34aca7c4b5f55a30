package feed

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/svcflow/svc/nodes/reading"
)

var (
	comment = regexp.MustCompile(`\([^()]*\)`)
	// clock matches a time of day: 10:30, 10:30:15.25, 3:04 p.m.
	clock = regexp.MustCompile(`(?i)(?:(오전|오후)\s*)?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d+)?)?(?:\s*(am|pm|a\.m\.|p\.m\.))?`)
	// compactClock matches the time of day of a compact ISO 8601 date, or its hour only.
	compactClock = regexp.MustCompile(`^([\d-]+)T(\d{2})(?:(\d{2})(\d{2})?)?(?:\.\d+)?(Z|[+-].*|)$`)
	// offset matches a zone as an offset: +0100, -07:00, GMT-5.
	offset  = regexp.MustCompile(`(?i)^(?:gmt|utc|ut|[a-z]{3,4})?([+-])[+-]?(\d{1,2})(?::?(\d{2}))?(?::\d{2})?$`)
	ordinal = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)$`)
)

var errDate = errors.New("no date")

// date is what is known of a date.
type date struct {
	year, month, day, yearDay, hour, minute, second int

	twelve  bool // the time has am or pm
	offset  int  // of the zone, in seconds
	unknown string
}

// parseDate reads a date in any of the forms of feedparser and of people. It returns an
// error beside a time if it does not know the zone and took UTC. A date without a zone is in
// UTC. Dates whose day and month cannot be told apart, such as 02/03/2026, are refused.
func parseDate(text string) (time.Time, error) {
	text = strings.TrimSpace(comment.ReplaceAllString(text, " "))
	if m := compactClock.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("%sT%s:%s:%s%s", m[1], m[2], or(m[3], "00"), or(m[4], "00"), m[5])
	}
	var d date
	before, after := text, ""
	if at := clock.FindStringSubmatchIndex(text); at != nil {
		if !d.setClock(clock.FindStringSubmatch(text)) {
			return time.Time{}, errDate
		}
		before, after = text[:at[0]], text[at[1]:]
	}
	if len(after) > 1 && after[0] == ':' && (after[1] == '-' || after[1] == '+') {
		after = after[1:] // 2006-01-02T15:04:05:-0700
	}
	if after != "" && (after[0] == ':' || unicode.IsDigit(rune(after[0]))) {
		return time.Time{}, errDate
	}
	rest, ok := d.zone(after)
	if !ok || !d.calendar(trimT(before)+" "+rest) {
		return time.Time{}, errDate
	}
	return d.time()
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// trimT removes the T between date and time.
func trimT(text string) string {
	if t := strings.TrimRight(text, "Tt"); t != text && t != "" && unicode.IsDigit(rune(t[len(t)-1])) {
		return t
	}
	return text
}

func (d *date) setClock(m []string) bool {
	d.hour, d.minute, d.second = number(m[2]), number(m[3]), max(number(m[4]), 0)
	half := strings.ToLower(strings.ReplaceAll(m[5], ".", ""))
	if m[1] != "" {
		half = map[string]string{"오전": "am", "오후": "pm"}[m[1]]
		d.offset = 9 * 3600
	}
	if half != "" {
		if d.hour > 12 || d.hour == 0 && m[1] == "" {
			return false
		}
		d.twelve = true
		d.hour %= 12
		if half == "pm" {
			d.hour += 12
		}
	}
	return d.minute < 60 && d.second <= 60 && (d.hour < 24 || d.hour == 24 && d.minute == 0 && d.second == 0)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// zone takes the zone from what follows the time, and returns the rest.
func (d *date) zone(after string) (rest string, ok bool) {
	var left []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(after, ",", " ")) {
		if m := offset.FindStringSubmatch(word); m != nil {
			hours, minutes := number(m[2]), max(number(m[3]), 0)
			if hours > 24 || minutes > 59 {
				return "", false
			}
			d.offset, d.unknown = hours*3600+minutes*60, ""
			if m[1] == "-" {
				d.offset = -d.offset
			}
			continue
		}
		name := strings.TrimPrefix(strings.ToLower(word), "etc/")
		hours, known := zones[name]
		switch {
		case known:
			if d.offset == 0 { // an offset is better: -0700 (PDT)
				d.offset = int(hours * 3600)
			}
		case isWord(word) && months[name] == 0 && !isWeekday(name) && monthOf(name) == 0:
			if d.offset == 0 {
				d.unknown = word
			}
		default:
			left = append(left, word)
		}
	}
	return strings.Join(left, " "), true
}

func isWord(word string) bool {
	for _, c := range word {
		if !unicode.IsLetter(c) {
			return false
		}
	}
	return word != ""
}

// calendar takes the day from text.
func (d *date) calendar(text string) bool {
	var numbers []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return strings.ContainsRune(" \t\r\n,-/.", c) }) {
		if m := ordinal.FindStringSubmatch(word); m != nil {
			word = m[1]
		}
		word, isKorean := trimKorean(word)
		if isKorean {
			d.offset = 9 * 3600
		}
		switch {
		case number(word) >= 0:
			numbers = append(numbers, word)
		case monthOf(word) > 0:
			if d.month > 0 {
				return false
			}
			d.month = monthOf(word)
		case isWeekday(word), word == "at":
		default:
			return false
		}
	}
	if d.month > 0 {
		return d.namedMonth(numbers)
	}
	return d.numeric(numbers, text)
}

// trimKorean removes the words for year, month and day.
func trimKorean(word string) (string, bool) {
	for _, unit := range []string{"년", "월", "일"} {
		if text, ok := strings.CutSuffix(word, unit); ok {
			return text, true
		}
	}
	return word, false
}

func (d *date) namedMonth(numbers []string) bool {
	if len(numbers) != 2 {
		return false
	}
	day, year := numbers[0], numbers[1]
	if len(day) > 2 {
		day, year = year, day
	}
	return len(day) <= 2 && d.setYear(year) && d.setDay(d.month, number(day))
}

func (d *date) setYear(text string) bool {
	d.year = number(text)
	switch {
	case len(text) <= 2 && d.year < 90:
		d.year += 2000
	case len(text) <= 2:
		d.year += 1900
	}
	return len(text) <= 2 || len(text) == 4
}

func (d *date) setDay(month, day int) bool {
	d.month, d.day = month, day
	return month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// numeric takes a date without the name of a month.
func (d *date) numeric(numbers []string, text string) bool {
	n := make([]int, 3)
	for i := range min(len(numbers), 3) {
		n[i] = number(numbers[i])
	}
	switch {
	case len(numbers) == 0 || len(numbers) > 3:
		return false
	case len(numbers) == 1:
		return d.compact(numbers[0])
	case len(numbers[0]) == 4 && len(numbers) == 2 && len(numbers[1]) == 3:
		d.year, d.yearDay = n[0], n[1]
		return n[1] >= 1 && n[1] <= 366
	case len(numbers[0]) == 4 && len(numbers) == 2:
		return d.setYear(numbers[0]) && d.setDay(n[1], 1)
	case len(numbers) == 2:
		return false
	case len(numbers[0]) == 4 || len(numbers[2]) == 2 && !strings.Contains(text, "."):
		return d.setYear(numbers[0]) && d.setDay(n[1], n[2])
	}
	return d.dayFirst(n[0], n[1], strings.Contains(text, ".")) && d.setYear(numbers[2])
}

// dayFirst takes a day and a month in the order that is certain.
func (d *date) dayFirst(a, b int, points bool) bool {
	switch {
	case points, a > 12, a == b:
		return d.setDay(b, a)
	case b > 12, d.twelve:
		return d.setDay(a, b)
	}
	return false
}

// compact takes a date such as 20060102, 2006002 or 2006.
func (d *date) compact(text string) bool {
	switch len(text) {
	case 8:
		return d.setYear(text[:4]) && d.setDay(number(text[4:6]), number(text[6:]))
	case 7:
		d.year, d.yearDay = number(text[:4]), number(text[4:])
		return d.yearDay >= 1 && d.yearDay <= 366
	case 4:
		return d.setYear(text) && d.setDay(1, 1)
	}
	return false
}

func (d *date) time() (time.Time, error) {
	month, day := time.Month(d.month), d.day
	if d.yearDay > 0 {
		month, day = time.January, d.yearDay
	} else if day > time.Date(d.year, month+1, 0, 0, 0, 0, 0, time.UTC).Day() {
		return time.Time{}, errDate
	}
	at := time.Date(d.year, month, day, d.hour, d.minute, d.second, 0, time.UTC).Add(-time.Duration(d.offset) * time.Second)
	if at.Year() < 1 || at.Year() > 9999 || at.IsZero() {
		return time.Time{}, errDate
	}
	if d.unknown != "" {
		return at, fmt.Errorf("the zone %q of its date is not known; UTC was taken", reading.Cut(d.unknown))
	}
	return at, nil
}

func isWeekday(word string) bool {
	if len(word) < 3 {
		return false
	}
	switch word[:3] {
	case "mon", "tue", "wed", "thu", "fri", "sat", "sun":
		return true
	}
	switch word {
	case "κυρ", "δευ", "τρι", "τετ", "πεμ", "παρ", "σαβ":
		return true
	}
	return false
}

// monthOf returns the number of a month by its name, or 0.
func monthOf(word string) int {
	word = strings.ToLower(word)
	if n := months[word]; n > 0 {
		return n
	}
	if len(word) > 3 {
		return months[word[:3]]
	}
	return 0
}

// months are the names of months that feedparser knows: English, Greek and Hungarian.
var months = map[string]int{ //nolint:gochecknoglobals // a constant table
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	"ιαν": 1, "φεβ": 2, "μάώ": 3, "μαώ": 3, "μάρ": 3, "μαρ": 3, "απρ": 4, "μάι": 5, "μαϊ": 5, "μαι": 5, "ιούν": 6, "ιον": 6, "ιούλ": 7, "ιολ": 7,
	"αύγ": 8, "αυγ": 8, "σεπ": 9, "οκτ": 10, "νοέ": 11, "νοε": 11, "δεκ": 12,
	"január": 1, "februári": 2, "február": 2, "március": 3, "április": 4, "május": 5, "június": 6, "július": 7, "augusztus": 8, "szeptember": 9, "október": 10,
}

// zones are the offsets of zone names, in hours: those of RFC 822 as feedparser reads them,
// and those of Europe and East Asia. Names with several meanings have that of feeds.
var zones = map[string]float64{ //nolint:gochecknoglobals // a constant table
	"z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "a": -1, "m": -12, "n": 1, "y": 12,
	"adt": -3, "ast": -4, "at": -4, "edt": -4, "est": -5, "et": -5, "cdt": -5, "cst": -6, "ct": -6,
	"mdt": -6, "mst": -7, "mt": -7, "pdt": -7, "pst": -8, "pt": -8, "akdt": -8, "akst": -9, "hst": -10, "nst": -3.5, "ndt": -2.5,
	"bst": 1, "west": 1, "cet": 1, "met": 1, "mez": 1, "cest": 2, "mest": 2, "mesz": 2, "eet": 2, "eest": 3, "msk": 3, "msd": 4,
	"jst": 9, "kst": 9, "hkt": 8, "sgt": 8, "aest": 10, "aedt": 11, "acst": 9.5, "acdt": 10.5, "awst": 8, "nzst": 12, "nzdt": 13,
}
