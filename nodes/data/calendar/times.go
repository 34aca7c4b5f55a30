package calendar

import (
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/zone"
)

// stamp is a date or a time as it is written.
type stamp struct {
	wall   time.Time // as if it were UTC
	isDate bool
	isUTC  bool
	offset *int   // seconds, for a time such as 20260901T100000+0200, which RFC 5545 does not know
	tzid   string // "" if it has none
	repair string // what was wrong with it, or ""
}

// stampOf reads a value of a property. ok is false if it is no time.
func stampOf(p *property, value string) (s stamp, ok bool) {
	value = strings.TrimSpace(value)
	s.tzid = p.param("TZID")
	text := value
	if strings.Contains(text, "-") && len(text) >= len(time.DateOnly) && text[4] == '-' && text[7] == '-' {
		text = text[:4] + text[5:7] + text[8:10] + strings.ReplaceAll(text[10:], ":", "")
		s.repair = "is in the extended format"
	}
	if len(text) < len("20060102") {
		return s, false
	}
	day, clock := text[:8], text[8:]
	if s.wall, ok = dayOf(day); !ok {
		return s, false
	}
	asDate := strings.EqualFold(p.param("VALUE"), "DATE")
	switch {
	case clock == "" && !asDate && p.name == "DTSTART":
		s.repair = "lacks VALUE=DATE"
	case clock != "" && asDate:
		s.repair = "is a time where VALUE=DATE promises a date; its time was left out"
		clock = ""
	}
	if clock == "" {
		s.isDate = true
		return s, true
	}
	return s, s.readClock(clock)
}

// readClock reads THHMMSS, THHMM or THH, and a Z or an offset behind.
func (s *stamp) readClock(text string) bool {
	if text[0]|0x20 != 't' && text[0] != ' ' {
		return false
	}
	digits, suffix := text[1:], ""
	if i := strings.IndexAny(digits, "Zz+-"); i >= 0 {
		digits, suffix = digits[:i], digits[i:]
	}
	digits, _, _ = strings.Cut(digits, ".") // fractions of seconds do not count
	if len(digits) == len("2400") || len(digits) == len("24") {
		digits += "0000"[:6-len(digits)]
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || len(digits) != len("150405") {
		return false
	}
	hour, minute, second := n/10000, n/100%100, n%100
	if hour > 24 || minute > 59 || second > 60 || hour == 24 && minute+second > 0 {
		return false
	}
	s.wall = s.wall.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second)
	switch {
	case suffix == "":
	case strings.EqualFold(suffix, "Z"):
		s.isUTC = true
	default:
		seconds, ok := offsetOf(strings.ReplaceAll(suffix, ":", ""))
		s.offset, s.repair = &seconds, "has a distance from UTC behind"
		return ok
	}
	return true
}

// dayOf reads YYYYMMDD.
func dayOf(text string) (time.Time, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || len(text) != len("20060102") {
		return time.Time{}, false
	}
	year, month, day := int(n/10000), time.Month(n/100%100), int(n%100)
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return t, year > 0 && t.Month() == month && t.Day() == day
}

// offsetOf reads an offset from UTC such as +0100 or -033045, in seconds.
func offsetOf(text string) (seconds int, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > len("+010203") {
		return 0, false
	}
	sign := 1
	switch text[0] {
	case '+':
		text = text[1:]
	case '-':
		text, sign = text[1:], -1
	}
	if len(text) < len("0100") {
		text += "0000"[:4-len(text)]
	}
	n, err := strconv.ParseUint((text + "00")[:6], 10, 32)
	if err != nil || n/100%100 > 59 || n%100 > 59 || n/10000 > 24 {
		return 0, false
	}
	return sign * int(n/10000*3600+n/100%100*60+n%100), true
}

// duration is a length: days of the calendar, and an exact time.
type duration struct {
	days  int
	exact time.Duration
}

// The limits of durations, which keep their sum within a [time.Duration].
const maxDays, maxSeconds = 100_000, 8_640_000_000

// durationOf reads a duration such as PT1H30M, P1DT12H or -P2W.
func durationOf(text string) (d duration, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	text, negative := strings.CutPrefix(text, "-")
	text, ok = strings.CutPrefix(strings.TrimPrefix(text, "+"), "P")
	if !ok || text == "" {
		return d, false
	}
	inTime, seconds := false, 0
	for text != "" {
		if !inTime {
			if text, inTime = strings.CutPrefix(text, "T"); text == "" {
				break
			}
		}
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.Atoi(text[:digits])
		if err != nil || n > maxSeconds || digits == len(text) {
			return d, false
		}
		switch unit := text[digits]; {
		case unit == 'W':
			d.days += 7 * n
		case unit == 'D':
			d.days += n
		case unit == 'H' && inTime:
			seconds += 3600 * n
		case unit == 'M' && inTime:
			seconds += 60 * n
		case unit == 'S' && inTime:
			seconds += n
		default:
			return d, false
		}
		if d.days > maxDays || seconds > maxSeconds {
			return d, false
		}
		text = text[digits+1:]
	}
	d.exact = time.Duration(seconds) * time.Second
	if negative {
		d = duration{-d.days, -d.exact}
	}
	return d, true
}

// place is a time in a zone: the wall time there. Dates have no zone.
type place struct {
	wall     time.Time // as if it were UTC
	isDate   bool
	floating bool // it names no zone, and has that of the reader
	at       *time.Location
}

// moment returns when it is.
func (p place) moment() time.Time { return zone.Local(p.wall, p.at) }

// in returns the wall time in another zone at the same moment. Dates and times that float
// stay what they are.
func (p place) in(at *time.Location) time.Time {
	if p.isDate || p.at == at {
		return p.wall
	}
	return zone.Wall(p.moment().In(at))
}
