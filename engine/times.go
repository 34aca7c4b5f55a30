package engine

import (
	"bytes"
	"strconv"
	"time"
)

// clock prints times, as RFC 3339 in UTC, to the microsecond. Results have one for each node,
// most of them in the same second, of which all but the microseconds is printed once. Its zero
// value is ready for use.
type clock struct {
	second int64    // since 1970, which text tells
	text   [29]byte // of the last time; zero before that
}

// append appends t.
func (c *clock) append(dst []byte, t time.Time) []byte {
	if c.text[0] == 0 || t.Unix() != c.second {
		if t = t.UTC(); !c.set(t) {
			return append(t.AppendFormat(append(dst, '"'), "2006-01-02T15:04:05.000000Z"), '"')
		}
	}
	putDigits(c.text[21:27], t.Nanosecond()/int(time.Microsecond))
	return append(dst, c.text[:]...)
}

// set prints the second of t, which is in UTC, without a layout that would have to be read
// first. It is false if the year has not four digits.
func (c *clock) set(t time.Time) bool {
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return false
	}
	hour, minute, second := t.Clock()
	c.second = t.Unix()
	copy(c.text[:], `"0000-00-00T00:00:00.000000Z"`)
	putDigits(c.text[1:5], year)
	putDigits(c.text[6:8], int(month))
	putDigits(c.text[9:11], day)
	putDigits(c.text[12:14], hour)
	putDigits(c.text[15:17], minute)
	putDigits(c.text[18:20], second)
	return true
}

// appendTime writes a single time.
func appendTime(dst []byte, t time.Time) []byte { return new(clock).append(dst, t) }

// putDigits fills text with the digits of n.
func putDigits(text []byte, n int) {
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = '0' + byte(n%10)
		n /= 10
	}
}

// appendMillis writes d, which is not negative, in milliseconds, to the microsecond.
func appendMillis(dst []byte, d time.Duration) []byte {
	micros := max(0, d.Microseconds())
	dst = strconv.AppendInt(dst, micros/1000, 10)
	if micros %= 1000; micros == 0 {
		return dst
	}
	text := [...]byte{'.', '0', '0', '0'}
	putDigits(text[1:], int(micros))
	return append(dst, bytes.TrimRight(text[:], "0")...)
}
