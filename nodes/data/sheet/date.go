package sheet

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	dayMillis = 24 * 60 * 60 * 1000
	lastDay   = 2958465 // 9999-12-31
	between   = 1462    // days from the beginning of dates in 1900 to those in 1904
)

// calendar converts serial numbers to dates. Day 0 is 1904-01-01, or 1899-12-31, where Excel
// counts a 29 February 1900.
type calendar struct{ from1904 bool }

// text returns a serial number in ISO 8601, as its format shows it: a time, a date, or both.
// It reports false if n is no date, and whether n is the 29 February 1900, which is given
// as the 28th.
func (c calendar) text(n float64, k kind) (text string, ok, leap bool) {
	switch {
	case k == duration:
		return elapsed(n), math.Abs(n) <= lastDay, false
	case n < 0 || n >= lastDay+1 || c.from1904 && n >= lastDay+1-between || n != n:
		return "", false, false
	}
	day, millis := int(n), int64(math.Round((n-math.Floor(n))*dayMillis))
	if n < 1 && (!c.from1904 || k == clock) {
		return timeText(millis % dayMillis), true, false
	}
	day, millis = day+int(millis/dayMillis), millis%dayMillis
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case c.from1904:
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case day < 60:
		day++
	case day == 60:
		leap = true
	}
	text = begin.AddDate(0, 0, day).Format(time.DateOnly)
	if millis > 0 {
		text += "T" + timeText(millis)
	}
	return text, true, leap
}

// elapsed returns n days as HH:MM:SS, with as many hours as it takes.
func elapsed(n float64) string {
	millis := int64(math.Round(math.Min(math.Abs(n), 1e9) * dayMillis))
	if n < 0 && millis > 0 {
		return "-" + timeText(millis)
	}
	return timeText(millis)
}

// timeText returns HH:MM:SS, with milliseconds if there are any.
func timeText(millis int64) string {
	seconds := millis / 1000
	text := fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if part := millis % 1000; part > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", part), "0")
	}
	return text
}

// The forms of cells that hold dates as ISO 8601 (18.17.4.1), as the strict form does.
var (
	isoDate     = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)?(?:T?(\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)(?:Z|[+-]\d\d:?\d\d)?)?$`)
	isoDuration = regexp.MustCompile(`^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)
)

// iso returns a date in ISO 8601 in the form of [calendar.text], and as a serial number.
func (c calendar) iso(text string) (canonical string, serial float64, ok bool) {
	if m := isoDuration.FindStringSubmatch(text); m != nil && len(text) > 2 {
		for i, unit := range []float64{1, 24, 24 * 60, 24 * 60 * 60} {
			if n, err := strconv.ParseFloat(m[i+2], 64); err == nil {
				serial += n / unit
			}
		}
		if m[1] == "-" {
			serial = -serial
		}
		return elapsed(serial), serial, serial < lastDay
	}
	m := isoDate.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[1] == "" && m[2] == "" {
		return "", 0, false
	}
	day, err := time.Parse(time.DateOnly, m[1])
	if m[1] != "" && err != nil {
		return "", 0, false
	}
	millis, ok := clockMillis(m[2])
	if m[1] == "" {
		return timeText(millis), float64(millis) / dayMillis, ok
	}
	if canonical = m[1]; millis > 0 {
		canonical += "T" + timeText(millis)
	}
	return canonical, c.serial(day) + float64(millis)/dayMillis, ok
}

// clockMillis returns the milliseconds of HH:MM:SS.
func clockMillis(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	text = strings.Replace(text, ",", ".", 1)
	if len(text) == len("15:04") {
		text += ":00"
	}
	t, err := time.Parse("15:04:05", text)
	if err != nil {
		return 0, false
	}
	since := t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Round(time.Millisecond)
	return since.Milliseconds() % dayMillis, true
}

func (c calendar) serial(day time.Time) float64 {
	n := int(day.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	switch {
	case c.from1904:
		n -= between
	case n <= 60: // before the 29 February 1900, which Excel counts
		n--
	}
	return float64(n)
}
