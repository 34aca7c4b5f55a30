package engine

import (
	"bytes"
	"strconv"
	"time"
)

// appendTime writes t as RFC 3339 in UTC, to the microsecond. Results have a time for each
// node, so it is not left to what has to read a layout first.
func appendTime(dst []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		return append(t.AppendFormat(append(dst, '"'), "2006-01-02T15:04:05.000000Z"), '"')
	}
	text := []byte(`"0000-00-00T00:00:00.000000Z"`)
	putDigits(text[1:5], year)
	putDigits(text[6:8], int(month))
	putDigits(text[9:11], day)
	putDigits(text[12:14], hour)
	putDigits(text[15:17], minute)
	putDigits(text[18:20], second)
	putDigits(text[21:27], t.Nanosecond()/int(time.Microsecond))
	return append(dst, text...)
}

// putDigits writes n over the zeros in text.
func putDigits(text []byte, n int) {
	for i := len(text) - 1; n > 0; i-- {
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
