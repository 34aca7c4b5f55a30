package time

import (
	"strings"
	"time"
)

// readISO reads ISO 8601 in the extended and the basic format: a calendar date, a week date
// (2026-W05-6) or an ordinal date (2026-031); then a time and an offset from UTC, if it has
// them. A blank may replace the T and separate the offset.
func readISO(text string) (moment, bool) {
	var m moment
	day, rest, hasTime := cutTime(text)
	if !m.readDay(day) {
		return m, false
	}
	if !hasTime {
		return m, true
	}
	digits, zone := rest, ""
	if i := strings.IndexAny(rest, "Zz+- "); i >= 0 {
		digits, zone = rest[:i], strings.TrimSpace(rest[i:])
		var ok bool
		if m.zone, ok = readOffset(zone); !ok {
			return m, false
		}
	}
	return m, m.readClock(digits)
}

// readBasic reads a date and time that are digits only.
func readBasic(digits string) (moment, bool) {
	var m moment
	switch len(digits) {
	case basicOrdinal, basicDate:
		return m, m.readDay(digits)
	case basicMinute, basicSecond:
	case basicMilli:
		digits = digits[:basicSecond] + "." + digits[basicSecond:]
	default:
		return m, false
	}
	ok := m.readDay(digits[:basicDate]) && m.readClock(digits[basicDate:])
	return m, ok && m.hour < 24 && m.minute < 60 && m.second < 60
}

// cutTime splits a date and a time at the T or the blank between them.
func cutTime(text string) (day, rest string, found bool) {
	i := strings.IndexAny(text, "Tt ")
	if i < 0 {
		return text, "", false
	}
	return text[:i], strings.TrimLeft(text[i+1:], " "), true
}

func (m *moment) readDay(text string) (ok bool) {
	var year, month, day int
	rest, ok := number(text, 4, 4, &year)
	if !ok {
		return false
	}
	rest, extended := strings.CutPrefix(rest, "-")
	if rest != "" && rest[0]|0x20 == 'w' {
		return m.readWeek(year, rest[1:], extended)
	}
	if len(rest) == 3 && strings.Trim(rest, "0123456789") == "" {
		rest, _ = number(rest, 3, 3, &day)
		m.day = time.Date(year, 1, day, 0, 0, 0, 0, time.UTC)
		return rest == "" && m.day.Year() == year
	}
	if rest, ok = number(rest, 2, 2, &month); !ok {
		return false
	}
	rest, dash := strings.CutPrefix(rest, "-")
	if rest, ok = number(rest, 2, 2, &day); !ok || rest != "" || dash != extended {
		return false
	}
	m.day, ok = date(year, month, day)
	return ok
}

// readWeek reads the week and the day of a week date. Without a day it is the Monday.
func (m *moment) readWeek(year int, text string, extended bool) bool {
	week, day := 0, 1
	rest, ok := number(text, 2, 2, &week)
	if !ok {
		return false
	}
	if rest != "" {
		digit, dash := strings.CutPrefix(rest, "-")
		if rest, ok = number(digit, 1, 1, &day); !ok || rest != "" || dash != extended {
			return false
		}
	}
	if day < 1 || day > 7 {
		return false
	}
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // is in the first week
	monday := fourth.AddDate(0, 0, 1-weekday(fourth)+7*(week-1))
	if y, w := monday.ISOWeek(); y != year || w != week {
		return false
	}
	m.day = monday.AddDate(0, 0, day-1)
	return true
}

// readClock reads HH:MM, HH:MM:SS, HH, HHMM or HHMMSS. The seconds may have a fraction.
func (m *moment) readClock(text string) bool {
	rest, ok := number(text, 2, 2, &m.hour)
	if !ok || rest == "" {
		return ok
	}
	rest, extended := strings.CutPrefix(rest, ":")
	if rest, ok = number(rest, 2, 2, &m.minute); !ok || rest == "" {
		return ok
	}
	rest, colon := strings.CutPrefix(rest, ":")
	if rest, ok = number(rest, 2, 2, &m.second); !ok || colon != extended {
		return false
	}
	return rest == "" || m.readFraction(rest)
}

// readFraction reads the fraction of a second: a point or a comma, and digits, of which nine
// count.
func (m *moment) readFraction(text string) bool {
	digits := text[1:]
	if text[0] != '.' && text[0] != ',' || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	_, ok := number((digits + "00000000")[:9], 9, 9, &m.nano)
	return ok
}

// readOffset reads an offset from UTC: Z, +01:00, +0100 or +01.
func readOffset(text string) (*time.Location, bool) {
	if text == "Z" || text == "z" {
		return time.UTC, true
	}
	var hours, minutes int
	if len(text) < 3 || text[0] != '+' && text[0] != '-' {
		return nil, false
	}
	rest, ok := number(text[1:], 2, 2, &hours)
	if ok && rest != "" {
		rest, ok = number(strings.TrimPrefix(rest, ":"), 2, 2, &minutes)
	}
	if !ok || rest != "" || hours > 23 || minutes > 59 {
		return nil, false
	}
	seconds := hours*3600 + minutes*60
	if text[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), true
}
