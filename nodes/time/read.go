package time

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// maxText is longer than any time that is written down, in bytes.
const maxText = 128

// read converts a value to a time: a text in ISO 8601 or the format of mail, in the zone at if
// it names none, or Unix time as a number.
func read(v any, at *time.Location) (time.Time, error) {
	switch v := v.(type) {
	case int:
		return fromNumber(float64(v))
	case float64:
		return fromNumber(v)
	case string:
		return readText(strings.TrimSpace(v), at)
	}
	return time.Time{}, fmt.Errorf("a time is a text such as 2026-01-31T18:05:09Z or a number of seconds since 1970, not %s", value.KindOf(v))
}

func readText(text string, at *time.Location) (time.Time, error) {
	if len(text) > maxText {
		return time.Time{}, notTime(text)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil && usual(t) {
		return t, nil
	}
	plain := strings.ReplaceAll(text, "\u2212", "-") // the minus sign that ISO 8601 asks for
	if isNumber(plain) {
		return readDigits(plain, at)
	}
	p, ok := readISO(plain)
	if !ok {
		var err error
		if p, ok, err = readMail(plain); err != nil {
			return time.Time{}, err
		}
	}
	if !ok {
		return time.Time{}, notTime(text)
	}
	return p.in(text, at)
}

// usual reports whether t needs no further checks: the common case, which should be fast.
func usual(t time.Time) bool {
	_, offset := t.Zone()
	return t.Year() > 0 && t.Year() < lastYear && offset > -24*3600 && offset < 24*3600
}

func notTime(text string) error {
	return fmt.Errorf("%q is no time that is understood; write it as 2026-01-31T18:05:09Z", cut(text))
}

// isNumber reports whether text is a decimal number.
func isNumber(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E' {
			return false
		}
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// minDigits is the number of digits from which a number in a text is Unix time. Shorter ones
// may be a year or a day.
const minDigits = 9

// The lengths of dates in the basic format of ISO 8601.
const (
	basicOrdinal = 7  // YYYYDDD
	basicDate    = 8  // YYYYMMDD
	basicMinute  = 12 // YYYYMMDDHHMM
	basicSecond  = 14 // YYYYMMDDHHMMSS
	basicMilli   = 17 // YYYYMMDDHHMMSSmmm
)

// readDigits reads a text that is a number: Unix time, or a date and time in the basic format
// of ISO 8601.
func readDigits(text string, at *time.Location) (time.Time, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return time.Time{}, notTime(text)
	}
	if p, isBasic := readBasic(text); isBasic && len(text) != basicMinute && likelyYear(text) {
		return p.in(text, at)
	}
	digits, _, _ := strings.Cut(text, ".")
	switch {
	case len(strings.Trim(text, "+-")) < minDigits:
		return time.Time{}, notTime(text)
	case mayBeDate(digits):
		return time.Time{}, fmt.Errorf("%q may be a date or Unix time; give a layout such as YYYYMMDDHHmm, X or x", text)
	}
	return fromUnix(n)
}

// mayBeDate reports whether an integer begins with a year as dates do, and as Unix time it
// would be in the years 1970 to 1976 or after 2500. Those of 10 and 13 digits are current
// Unix time.
func mayBeDate(digits string) bool {
	switch len(digits) {
	case basicDate, 11, basicMinute, basicSecond, basicMilli:
		return likelyYear(digits)
	}
	return false
}

// likelyYear reports whether digits begin with a year that dates are likely to have.
func likelyYear(digits string) bool {
	var year int
	_, ok := number(digits, 4, 4, &year)
	return ok && year >= 1800 && year < 2200
}

// fromNumber converts Unix time. Numbers that may be dates in the basic format, such as
// 20260131 from a table, are refused: they would be in August 1970 or in the year 2612.
func fromNumber(n float64) (time.Time, error) {
	if digits := strconv.FormatFloat(n, 'f', -1, 64); mayBeDate(digits) {
		if _, isDate := readBasic(digits); isDate || len(digits) > basicDate {
			return time.Time{}, fmt.Errorf("the number %s may be a date or Unix time; make it a text, or read it with a layout such as YYYYMMDD", digits)
		}
	}
	return fromUnix(n)
}

// Numbers from this on are milliseconds: as seconds, they would be after the year 5000.
const milliseconds = 1e11

// fromUnix converts Unix time in seconds or milliseconds.
func fromUnix(n float64) (time.Time, error) {
	if math.Abs(n) >= milliseconds {
		n /= 1000
	}
	if !(math.Abs(n) < milliseconds) { // no year of more than four digits, and no NaN
		return time.Time{}, fmt.Errorf("%v is too much for a time", n)
	}
	whole := math.Floor(n)
	return time.Unix(int64(whole), int64(math.Round((n-whole)*1e6))*1000), nil
}
