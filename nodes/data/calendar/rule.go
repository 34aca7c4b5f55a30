package calendar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/svcflow/svc/nodes/reading"
)

// rule is an RRULE. Its times are wall times, so that it does not depend on zones.
type rule struct {
	rrule.ROption

	until *stamp // nil if it has no UNTIL
}

// The limits of a rule: how many values a list of it has, and how many occurrences are
// computed at most, including those before the window.
const (
	maxList  = 400
	maxSteps = 200_000
)

// parseRule reads an RRULE. Names of parts may be in lower case, and parts that begin with X-
// do not count.
func parseRule(text string) (*rule, error) {
	r := &rule{}
	hasFreq := false
	for part := range strings.SplitSeq(strings.ToUpper(strings.TrimSpace(text)), ";") {
		name, value, found := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if name == "" && !found || strings.HasPrefix(name, "X-") || value == "" && found {
			continue
		}
		if name == "FREQ" {
			hasFreq = true
		}
		if err := r.set(name, value); err != nil {
			return nil, err
		}
	}
	if !hasFreq {
		return nil, errors.New("FREQ is missing")
	}
	if r.Freq > rrule.DAILY && len(r.Bysetpos)+len(r.Bymonth)+len(r.Bymonthday)+len(r.Byyearday)+len(r.Byweekno)+len(r.Byweekday)+
		len(r.Byhour)+len(r.Byminute)+len(r.Bysecond) > 0 {
		return nil, fmt.Errorf("FREQ=%s is read without BY parts only", r.Freq)
	}
	return r, nil
}

func (r *rule) set(name, value string) (err error) {
	switch name {
	case "FREQ":
		r.Freq, err = rrule.StrToFreq(value)
	case "INTERVAL":
		r.Interval, err = strconv.Atoi(value)
		r.Interval = min(max(r.Interval, 1), 1_000_000)
	case "COUNT":
		r.Count, err = strconv.Atoi(value)
		r.Count = max(r.Count, 0) // as other readers, which take a negative number for none
	case "WKST":
		r.Wkst, err = weekdayOf(value)
	case "UNTIL":
		s, ok := stampOf(&property{name: "RDATE"}, value)
		if !ok {
			return fmt.Errorf("UNTIL=%s is no time", reading.Cut(value))
		}
		r.until = &s
	case "BYDAY":
		r.Byweekday, err = weekdays(value)
	case "RSCALE":
		if value != "GREGORIAN" {
			return fmt.Errorf("the calendar %s (RSCALE) is not supported", reading.Cut(value))
		}
	case "SKIP":
		if value != "OMIT" {
			return fmt.Errorf("SKIP=%s is not supported", reading.Cut(value))
		}
	default:
		list := r.list(name)
		if list == nil {
			return fmt.Errorf("there is no part %s", reading.Cut(name))
		}
		*list, err = numbers(value)
	}
	if err != nil {
		return fmt.Errorf("%s=%s cannot be read", name, reading.Cut(value))
	}
	return nil
}

// list returns the list of numbers that a part of a rule sets, or nil.
func (r *rule) list(name string) *[]int {
	switch name {
	case "BYSETPOS":
		return &r.Bysetpos
	case "BYMONTH":
		return &r.Bymonth
	case "BYMONTHDAY":
		return &r.Bymonthday
	case "BYYEARDAY":
		return &r.Byyearday
	case "BYWEEKNO":
		return &r.Byweekno
	case "BYHOUR":
		return &r.Byhour
	case "BYMINUTE":
		return &r.Byminute
	case "BYSECOND":
		return &r.Bysecond
	}
	return nil
}

func weekdays(value string) (all []rrule.Weekday, err error) {
	for text := range strings.SplitSeq(value, ",") {
		day, err := weekdayOf(text)
		if err != nil || len(all) > maxList {
			return nil, errors.New("no weekdays")
		}
		all = append(all, day)
	}
	return all, nil
}

func numbers(value string) (all []int, err error) {
	for text := range strings.SplitSeq(value, ",") {
		n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(text), "+"))
		if err != nil || len(all) > maxList {
			return nil, errors.New("no numbers")
		}
		all = append(all, n)
	}
	return all, nil
}

// weekdayOf reads a day such as MO, 2TU or -1FR.
func weekdayOf(text string) (rrule.Weekday, error) {
	text = strings.TrimSpace(text)
	if len(text) < 2 {
		return rrule.Weekday{}, errors.New("no weekday")
	}
	split := len(text) - 2
	i := strings.Index("MOTUWETHFRSASU", text[split:])
	if i < 0 || i%2 == 1 {
		return rrule.Weekday{}, errors.New("no weekday")
	}
	day := []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}[i/2]
	if split == 0 {
		return day, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text[:split], "+"))
	return day.Nth(n), err
}

// yearly returns the month and the weekday of a rule that says no more than "each year, the
// nth weekday of a month".
func (r *rule) yearly() (month time.Month, day time.Weekday, n int, ok bool) {
	if r.Freq != rrule.YEARLY || r.Interval > 1 || r.Count > 0 || len(r.Bymonth) != 1 || len(r.Byweekday) != 1 ||
		len(r.Bysetpos)+len(r.Bymonthday)+len(r.Byyearday)+len(r.Byweekno)+len(r.Byhour)+len(r.Byminute)+len(r.Bysecond) > 0 {
		return 0, 0, 0, false
	}
	d := r.Byweekday[0]
	return time.Month(r.Bymonth[0]), time.Weekday((d.Day() + 1) % 7), d.N(), d.N() != 0 && d.N() >= -5 && d.N() <= 5
}

// limit ends the rule at until, unless it ends before.
func (r *rule) limit(until time.Time) {
	if r.Until.IsZero() || until.Before(r.Until) {
		r.Until = until
	}
}

// each calls yield with the occurrences of the rule that begins at start, until yield
// returns false. It may leave out those before from.
func (r *rule) each(start, from time.Time, yield func(time.Time) bool) error {
	if r.Freq > rrule.DAILY {
		return r.eachStep(start, from, yield)
	}
	option := r.ROption
	option.Dtstart = start
	made, err := rrule.NewRRule(option)
	if err != nil {
		return err
	}
	if r.never() {
		return nil
	}
	if r.Count == 0 && r.Freq >= rrule.WEEKLY { // skip whole periods, which changes nothing behind
		days := max(r.Interval, 1)
		if r.Freq == rrule.WEEKLY {
			days *= 7
		}
		if before := int(from.Unix()-start.Unix())/86400 - 7*days; before > days {
			option.Dtstart = start.AddDate(0, 0, before/days*days)
			if made, err = rrule.NewRRule(option); err != nil {
				return err
			}
		}
	}
	next := made.Iterator()
	for range maxSteps {
		t, more := next()
		if !more || !yield(t) {
			return nil
		}
	}
	return errTooOften
}

var errTooOften = fmt.Errorf("it repeats more than %d times before until", maxSteps)

// never reports whether the rule has days of months that do not exist. The library would
// look for them until the year 9999.
func (r *rule) never() bool {
	if len(r.Bymonthday) == 0 || len(r.Bymonth) == 0 {
		return false
	}
	for _, month := range r.Bymonth {
		for _, day := range r.Bymonthday {
			if last := time.Date(2024, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day(); max(day, -day) <= last {
				return false
			}
		}
	}
	return true
}

// eachStep is each for rules that repeat every hour, minute or second. Their steps are those
// of clocks on the wall.
func (r *rule) eachStep(start, from time.Time, yield func(time.Time) bool) error {
	step := int64(3600)
	for range r.Freq - rrule.HOURLY {
		step /= 60
	}
	step *= int64(max(r.Interval, 1))
	first := int64(0)
	if r.Count == 0 {
		first = max(0, (from.Unix()-start.Unix())/step)
	}
	for n := first; n < first+maxSteps; n++ {
		t := time.Unix(start.Unix()+n*step, 0).UTC()
		if r.Count > 0 && n >= int64(r.Count) || !r.Until.IsZero() && t.After(r.Until) || !yield(t) {
			return nil
		}
	}
	return errTooOften
}
