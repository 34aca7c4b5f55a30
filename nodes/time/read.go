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
const maxText = 64

// layouts are those that a text may have, the ones with a distance from UTC first.
func layouts() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z0700",
		"2006-01-02T15:04Z07:00", time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST",
		"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST",
		"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
	}
}

// read converts a value to a time: a text in ISO 8601 or the format of mail, in the zone at if
// it names none, or Unix time as a number.
func read(v any, at *time.Location) (time.Time, error) {
	switch v := v.(type) {
	case int:
		return fromUnix(float64(v))
	case float64:
		return fromUnix(v)
	case string:
		return readText(strings.TrimSpace(v), at)
	}
	return time.Time{}, fmt.Errorf("a time is a text such as 2026-01-31T18:05:09Z or a number of seconds since 1970, not %s", value.KindOf(v))
}

func readText(text string, at *time.Location) (time.Time, error) {
	if len(text) <= maxText {
		for _, layout := range layouts() {
			if t, err := time.ParseInLocation(layout, text, at); err == nil {
				return t, nil
			}
		}
		if seconds, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xXpP_") && len(text) > minDigits {
			return fromUnix(seconds)
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time that is understood; write it as 2026-01-31T18:05:09Z", cut(text))
}

// minDigits is the length from which a number in a text is Unix time, and no year or day.
const minDigits = 8

// Numbers from this on are milliseconds: as seconds, they would be after the year 5000.
const milliseconds = 1e11

// fromUnix converts Unix time in seconds or milliseconds.
func fromUnix(n float64) (time.Time, error) {
	if math.Abs(n) >= milliseconds {
		n /= 1000
	}
	if math.Abs(n) >= milliseconds { // no year of more than four digits
		return time.Time{}, fmt.Errorf("%v is too much for a time", n)
	}
	whole := math.Floor(n)
	return time.Unix(int64(whole), int64(math.Round((n-whole)*1e6))*1000), nil
}
