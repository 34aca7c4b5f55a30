package time

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// span is a distance between two times as people say it: months and days are those of the
// calendar, the rest is exact.
type span struct {
	months, days int
	exact        time.Duration
}

// maxSpan bounds a span, in years.
const maxSpan = 10_000

// spans reads spans: 1y2mo3w4d5h6m7s8ms in this order, or ISO 8601.
type spans struct{ short, iso *regexp.Regexp }

func newSpans() *spans {
	const n = `(?:(\d{1,12}(?:\.\d{1,9})?)`
	return &spans{
		short: regexp.MustCompile(`^([+-]?)` + n + `y)?` + n + `mo)?` + n + `w)?` + n + `d)?` + n + `h)?` + n + `m)?` + n + `s)?` + n + `ms)?$`),
		iso:   regexp.MustCompile(`^([+-]?)P` + n + `Y)?` + n + `M)?` + n + `W)?` + n + `D)?(?:T` + n + `H)?` + n + `M)?` + n + `S)?)?$`),
	}
}

// exact are the units of which a part is exact, as they stand behind the days.
func exactUnits() []time.Duration {
	return []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond}
}

// read reads a span.
func (s *spans) read(text string) (span, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return span{}, notSpan(text)
	}
	found := s.short.FindStringSubmatch(strings.ReplaceAll(strings.ToLower(text), " ", ""))
	if found == nil {
		found = s.iso.FindStringSubmatch(strings.ToUpper(text))
	}
	if found == nil || strings.Join(found[2:], "") == "" || strings.HasSuffix(text, "T") {
		return span{}, notSpan(text)
	}
	var made span
	for i, calendar := range []struct {
		to    *int
		times int
	}{{&made.months, 12}, {&made.months, 1}, {&made.days, 7}, {&made.days, 1}} {
		if found[2+i] == "" {
			continue
		}
		n, err := strconv.Atoi(found[2+i])
		if err != nil {
			return span{}, fmt.Errorf("%q: years, months, weeks and days are whole; give a part of a day in hours", text)
		}
		if n > maxSpan*366 {
			return span{}, tooLong(text)
		}
		*calendar.to += n * calendar.times
	}
	for i, unit := range exactUnits() {
		if len(found) <= 6+i || found[6+i] == "" {
			continue
		}
		n, _ := strconv.ParseFloat(found[6+i], 64) // as the pattern has it
		if n*unit.Hours() > maxSpan*24 {           // a duration of Go ends after 292 years
			return span{}, tooLong(text)
		}
		made.exact += time.Duration(n * float64(unit))
	}
	if found[1] == "-" {
		made = span{-made.months, -made.days, -made.exact}
	}
	return made, nil
}

func notSpan(text string) error {
	return fmt.Errorf("%q is no span of time; write it as 1d12h, -2w, 1y6mo (m is a minute, mo a month) or as ISO 8601: P1M, PT36H", cut(text))
}

func tooLong(text string) error {
	return fmt.Errorf("%q is too long; a span has at most %d years, its hours at most %d days", cut(text), maxSpan, maxSpan)
}

// from returns the time so much after t, in the time zone of t. A month that has no such day
// ends with its last.
func (s span) from(t time.Time) time.Time {
	if s.months != 0 {
		first := time.Date(t.Year(), t.Month()+time.Month(s.months), 1, 0, 0, 0, 0, time.UTC)
		day := min(t.Day(), first.AddDate(0, 1, -1).Day())
		t = time.Date(first.Year(), first.Month(), day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
	}
	if s.days != 0 {
		t = t.AddDate(0, 0, s.days)
	}
	return t.Add(s.exact)
}

// between returns the span from one time to another, which is not before it: as many whole
// months as there are, then days, then the rest.
func between(from, to time.Time) span {
	var s span
	s.months = 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
	for s.from(from).After(to) {
		s.months--
	}
	begun := s.from(from)
	s.days = int(to.Sub(begun).Hours()/24) + 1
	for s.from(from).After(to) {
		s.days--
	}
	s.exact = to.Sub(s.from(from))
	return s
}

// String writes the span as [spans.read] takes it.
func (s span) String() string {
	var b strings.Builder
	write := func(n int, unit string) {
		if n != 0 {
			b.WriteString(strconv.Itoa(n) + unit)
		}
	}
	write(s.months/12, "y")
	write(s.months%12, "mo")
	write(s.days, "d")
	rest := s.exact
	for i, unit := range exactUnits() {
		write(int(rest/unit), []string{"h", "m", "s", "ms"}[i])
		rest %= unit
	}
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}
