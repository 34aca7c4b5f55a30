// Package span reads durations as people write them, such as 1d12h or P1M, and adds them to
// times by the calendar.
package span

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/zone"
)

// Span is a duration as people write it. Months and days follow the calendar; the rest is
// exact.
type Span struct {
	Months, Days int
	Exact        time.Duration
}

// The limits of a span, in years, and of its text, in bytes.
const (
	maxSpan = 10_000
	maxText = 64
)

// Reader reads spans such as 1y2mo3w4d5h6m7s8ms, with the units in this order, or in ISO
// 8601. Make it once with [NewReader]; it is safe for concurrent use.
type Reader struct{ short, iso *regexp.Regexp }

// NewReader compiles the patterns of a reader.
func NewReader() *Reader {
	const n = `(?:(\d{1,12}(?:\.\d{1,9})?)`
	return &Reader{
		short: regexp.MustCompile(`^([+-]?)` + n + `y)?` + n + `mo)?` + n + `w)?` + n + `d)?` + n + `h)?` + n + `m)?` + n + `s)?` + n + `ms)?$`),
		iso:   regexp.MustCompile(`^([+-]?)P` + n + `Y)?` + n + `M)?` + n + `W)?` + n + `D)?(?:T` + n + `H)?` + n + `M)?` + n + `S)?)?$`),
	}
}

// exactUnits returns the units after the days, in the order of the patterns. Only these may
// have fractions.
func exactUnits() []time.Duration {
	return []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond}
}

// Read reads a span.
func (r *Reader) Read(text string) (Span, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return Span{}, notSpan(text)
	}
	found := r.short.FindStringSubmatch(strings.ReplaceAll(strings.ToLower(text), " ", ""))
	if found == nil {
		found = r.iso.FindStringSubmatch(strings.ToUpper(text))
	}
	if found == nil || strings.Join(found[2:], "") == "" || strings.HasSuffix(text, "T") {
		return Span{}, notSpan(text)
	}
	var made Span
	for i, calendar := range []struct {
		to    *int
		times int
	}{{&made.Months, 12}, {&made.Months, 1}, {&made.Days, 7}, {&made.Days, 1}} {
		if found[2+i] == "" {
			continue
		}
		n, err := strconv.Atoi(found[2+i])
		if err != nil {
			return Span{}, fmt.Errorf("%q: years, months, weeks and days are whole; give a part of a day in hours", text)
		}
		if n > maxSpan*366 {
			return Span{}, tooLong(text)
		}
		*calendar.to += n * calendar.times
	}
	for i, unit := range exactUnits() {
		if len(found) <= 6+i || found[6+i] == "" {
			continue
		}
		n, _ := strconv.ParseFloat(found[6+i], 64) // the pattern admits only numbers
		if n*unit.Hours() > maxSpan*24 {           // time.Duration overflows after 292 years
			return Span{}, tooLong(text)
		}
		made.Exact += time.Duration(n * float64(unit))
	}
	if found[1] == "-" {
		made = Span{-made.Months, -made.Days, -made.Exact}
	}
	return made, nil
}

func notSpan(text string) error {
	return fmt.Errorf("%.64q is no span of time; write it as 1d12h, -2w, 1y6mo (m is a minute, mo a month) or as ISO 8601: P1M, PT36H", text)
}

func tooLong(text string) error {
	return fmt.Errorf("%.64q is too long; a span has at most %d years, its hours at most %d days", text, maxSpan, maxSpan)
}

// From returns t plus s, in the time zone of t. If the month has no such day, its last day
// is used; a time that clocks skip is read as [zone.Local] does.
func (s Span) From(t time.Time) time.Time {
	if s.Months == 0 && s.Days == 0 {
		return t.Add(s.Exact)
	}
	wall := zone.Wall(t)
	if s.Months != 0 {
		first := time.Date(wall.Year(), wall.Month()+time.Month(s.Months), 1, 0, 0, 0, 0, time.UTC)
		day := min(wall.Day(), first.AddDate(0, 1, -1).Day())
		wall = time.Date(first.Year(), first.Month(), day, wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), time.UTC)
	}
	return zone.Local(wall.AddDate(0, 0, s.Days), t.Location()).Add(s.Exact)
}

// Between returns the span from one time to a later one: as many whole months as fit, then
// days, then the rest.
func Between(from, to time.Time) Span {
	var s Span
	s.Months = 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
	for s.From(from).After(to) {
		s.Months--
	}
	begun := s.From(from)
	s.Days = int(to.Sub(begun).Hours()/24) + 1
	for s.From(from).After(to) {
		s.Days--
	}
	s.Exact = to.Sub(s.From(from))
	return s
}

// String returns the span in the form that [Reader.Read] reads.
func (s Span) String() string {
	var b strings.Builder
	write := func(n int, unit string) {
		if n != 0 {
			b.WriteString(strconv.Itoa(n) + unit)
		}
	}
	write(s.Months/12, "y")
	write(s.Months%12, "mo")
	write(s.Days, "d")
	rest := s.Exact
	for i, unit := range exactUnits() {
		write(int(rest/unit), []string{"h", "m", "s", "ms"}[i])
		rest %= unit
	}
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}
