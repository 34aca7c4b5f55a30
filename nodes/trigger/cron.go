package trigger

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// calendar is a parsed cron expression. It has no time zone.
type calendar struct {
	second, minute, hour, month uint64 // bit sets
	day, weekday                dayRule
}

// dayRule is the rule of a field for days.
type dayRule struct {
	open    bool // any day
	matches func(d date) bool
}

// date is a day of the calendar.
type date struct{ year, month, day int }

// parseCron reads an expression of 5 fields, of 6 with seconds before them, or a word such
// as @daily.
func parseCron(text string) (*calendar, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	switch {
	case strings.Contains(text, "="):
		return nil, errors.New(`the zone does not belong into the expression; set it in "timezone"`)
	case strings.HasPrefix(lower, "@every"):
		return nil, errors.New(`set the distance in "every" instead, for example 15m`)
	case strings.HasPrefix(lower, "@reboot"):
		return nil, errors.New("@reboot is no time; a workflow cannot wait for the start of a server")
	}
	parser, err := cron.TryNewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor |
		cron.DowOrDom | cron.Extended)
	if err != nil {
		return nil, err
	}
	schedule, err := parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%.100q is no cron expression: %w; write minute, hour, day of the month, month and day of the week, such as 0 8 * * 1-5", text, err)
	}
	spec, ok := schedule.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("%.100q is no cron expression", text)
	}
	c := newCalendar(spec)
	if !c.happens() {
		return nil, fmt.Errorf("%.100q would never fire: %s", text, c.impossible(spec))
	}
	return c, nil
}

// star is the bit by which the parser marks an unrestricted field.
const star = 1 << 63

func newCalendar(s *cron.SpecSchedule) *calendar {
	return &calendar{
		second: s.Second &^ star, minute: s.Minute &^ star, hour: s.Hour &^ star, month: s.Month &^ star,
		day: dayRule{s.Dom&star != 0, func(d date) bool {
			return s.Dom&(1<<d.day) != 0 || slices.ContainsFunc(s.DomConstraints, func(c cron.DomConstraint) bool { return inMonth(c, d) })
		}},
		weekday: dayRule{s.Dow&star != 0, func(d date) bool {
			return cron.NormalizeDOW(s.Dow&^star)&(1<<d.weekday()) != 0 || slices.ContainsFunc(s.DowConstraints, func(c cron.DowConstraint) bool { return inWeek(c, d) })
		}},
	}
}

// on reports whether the expression matches a day. If both the day of the month and the day
// of the week are restricted, one of them is enough, as in cron.
func (c *calendar) on(d date) bool {
	switch {
	case c.month&(1<<d.month) == 0:
		return false
	case c.day.open:
		return c.weekday.open || c.weekday.matches(d)
	case c.weekday.open:
		return c.day.matches(d)
	}
	return c.day.matches(d) || c.weekday.matches(d)
}

// cycle is a number of years in which every expression matches each of its days at least
// once. It exceeds the eight years without a leap day around 1900, 2100, ….
const cycle = 12

// happens reports whether the expression matches any day.
func (c *calendar) happens() bool {
	for d, end := (date{2000, 1, 1}), (date{2028, 1, 1}); d != end; d = d.next() { // 28 years have every combination of date and weekday
		if c.on(d) {
			return true
		}
	}
	return false
}

// impossible returns a message that says why the expression matches no day.
func (c *calendar) impossible(s *cron.SpecSchedule) string {
	var months []string
	for m := time.January; m <= time.December; m++ {
		if c.month&(1<<m) != 0 {
			months = append(months, m.String())
		}
	}
	first := bits.TrailingZeros64(s.Dom &^ star)
	if len(months) == 0 || first > 31 {
		return "no month has such a day"
	}
	last := months[len(months)-1]
	switch len(months) {
	case 1:
		return fmt.Sprintf("%s has no day %d", last, first)
	default:
		return fmt.Sprintf("none of %s and %s has a day %d", strings.Join(months[:len(months)-1], ", "), last, first)
	}
}

func (d date) weekday() int { return int(d.at().Weekday()) }

func (d date) at() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

func (d date) next() date {
	if d.day < 28 || d.day < d.last() {
		return date{d.year, d.month, d.day + 1}
	}
	if d.month < 12 {
		return date{d.year, d.month + 1, 1}
	}
	return date{d.year + 1, 1, 1}
}

// last returns the last day of d's month.
func (d date) last() int {
	return time.Date(d.year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// inMonth reports whether d matches a constraint such as the last day of the month or the
// working day nearest to a day.
func inMonth(c cron.DomConstraint, d date) bool {
	switch c.Type {
	case cron.DomLast:
		return d.day == d.last()
	case cron.DomLastOffset:
		return d.day == d.last()-c.N
	case cron.DomLastWeekday:
		return d.day == nearest(date{d.year, d.month, d.last()})
	default:
		return c.N <= d.last() && d.day == nearest(date{d.year, d.month, c.N})
	}
}

// nearest returns the working day of the same month that is nearest to d.
func nearest(d date) int {
	switch time.Weekday(d.weekday()) {
	case time.Saturday:
		if d.day == 1 {
			return 3
		}
		return d.day - 1
	case time.Sunday:
		if d.day == d.last() {
			return d.day - 2
		}
		return d.day + 1
	default:
		return d.day
	}
}

// inWeek reports whether d is the nth, or the last, of its weekday in its month.
func inWeek(c cron.DowConstraint, d date) bool {
	if d.weekday() != c.Weekday%7 {
		return false
	}
	if c.N < 0 {
		return d.day+7 > d.last()
	}
	return (d.day-1)/7+1 == c.N
}
