package data

import (
	"strings"
	"time"

	"github.com/emersion/go-ical"
	"github.com/teambition/rrule-go"
)

// addAll adds the events of a calendar. An event with a RECURRENCE-ID replaces that
// occurrence of the recurring event.
func (c *calendar) addAll(events []ical.Event) error {
	moved := map[string]map[int64]bool{}
	for _, e := range events {
		if prop := e.Props.Get(ical.PropRecurrenceID); prop != nil {
			if t, err := c.time(*prop); err == nil {
				id := propText(e, ical.PropUID)
				if moved[id] == nil {
					moved[id] = map[int64]bool{}
				}
				moved[id][t.Unix()] = true
			}
		}
	}
	for _, e := range events {
		if err := c.add(e, moved[propText(e, ical.PropUID)]); err != nil {
			return err
		}
	}
	return nil
}

func propText(e ical.Event, name string) string {
	prop := e.Props.Get(name)
	if prop == nil {
		return ""
	}
	text, err := prop.Text()
	if err != nil {
		text = prop.Value
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// time reads a time. An unknown time zone, which some programs write, is replaced by the
// node's.
func (c *calendar) time(prop ical.Prop) (time.Time, error) {
	t, err := prop.DateTime(c.at)
	if err != nil && prop.Params.Get(ical.PropTimezoneID) != "" {
		prop.Params = ical.Params{}
		t, err = prop.DateTime(c.at)
	}
	return t, err
}

func (c *calendar) add(e ical.Event, moved map[int64]bool) error {
	title := propText(e, ical.PropSummary)
	startProp := e.Props.Get(ical.PropDateTimeStart)
	if startProp == nil {
		return wrong("event %q has no start", cut(title))
	}
	start, err := c.time(*startProp)
	if err != nil {
		return wrong("event %q: its start %q is no time", cut(title), cut(startProp.Value))
	}
	allDay := len(startProp.Value) == len("20060102")
	length, err := c.length(e, start, allDay)
	if err != nil {
		return wrong("event %q: its end is no time", cut(title))
	}
	made := icsEvent{
		ID: propText(e, ical.PropUID), Title: title, Location: propText(e, ical.PropLocation), Description: propText(e, ical.PropDescription), AllDay: allDay,
	}
	put := func(t time.Time) error {
		if c.unfold && (!t.Before(c.until) || !t.Add(max(length, 1)).After(c.from)) {
			return nil
		}
		if len(c.events) >= maxEvents {
			return tooMuch("event %q: there are more than %d events; choose from and until closer together", cut(title), maxEvents)
		}
		c.events = append(c.events, c.occurrence(made, t, length))
		return nil
	}
	rule := e.Props.Get(ical.PropRecurrenceRule)
	if !c.unfold || e.Props.Get(ical.PropRecurrenceID) != nil || rule == nil && e.Props.Get(ical.PropRecurrenceDates) == nil {
		return put(start)
	}
	return c.repeat(e, start, rule, moved, put)
}

// length returns the duration of an event.
func (c *calendar) length(e ical.Event, start time.Time, allDay bool) (time.Duration, error) {
	if prop := e.Props.Get(ical.PropDateTimeEnd); prop != nil {
		end, err := c.time(*prop)
		return max(0, end.Sub(start)), err
	}
	if prop := e.Props.Get(ical.PropDuration); prop != nil {
		d, err := prop.Duration()
		return max(0, d), err
	}
	if allDay {
		return 24 * time.Hour, nil
	}
	return 0, nil
}

func (c *calendar) occurrence(made icsEvent, start time.Time, length time.Duration) occurrence {
	const layout = "2006-01-02T15:04:05.000Z07:00"
	if made.AllDay {
		days := int((length + 12*time.Hour).Hours() / 24) // a day with a clock change has 23 or 25 hours
		made.Start, made.End = start.Format(time.DateOnly), start.AddDate(0, 0, max(1, days)).Format(time.DateOnly)
	} else {
		made.Start, made.End = start.In(c.at).Format(layout), start.Add(length).In(c.at).Format(layout)
	}
	return occurrence{made, start}
}

// maxSteps is how many occurrences of a rule are computed at most, including those before
// the window.
const maxSteps = 200_000

// repeat calls put with each occurrence of an event.
func (c *calendar) repeat(e ical.Event, start time.Time, rule *ical.Prop, moved map[int64]bool, put func(time.Time) error) error {
	title := propText(e, ical.PropSummary)
	var set rrule.Set
	if rule != nil {
		option, err := rrule.StrToROptionInLocation(rule.Value, start.Location())
		if err != nil {
			return wrong("event %q: its rule %q cannot be read", cut(title), cut(rule.Value))
		}
		if option.Freq > rrule.DAILY || len(option.Byhour)+len(option.Byminute)+len(option.Bysecond) > 0 {
			return wrong("event %q repeats within a day (%s), which is not unfolded", cut(title), cut(rule.Value))
		}
		option.Dtstart = start
		r, err := rrule.NewRRule(*option)
		if err != nil {
			return wrong("event %q: its rule %q cannot be read", cut(title), cut(rule.Value))
		}
		set.RRule(r)
	}
	set.DTStart(start)
	if err := c.dates(e, ical.PropRecurrenceDates, set.RDate); err != nil {
		return err
	}
	if err := c.dates(e, ical.PropExceptionDates, set.ExDate); err != nil {
		return err
	}
	if rule == nil {
		set.RDate(start)
	}
	next := set.Iterator()
	for range maxSteps {
		t, more := next()
		if !more || !t.Before(c.until) {
			return nil
		}
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if moved[t.Unix()] {
			continue
		}
		if err := put(t); err != nil {
			return err
		}
	}
	return tooMuch("event %q repeats more than %d times before until", cut(title), maxSteps)
}

// dates calls take with each time of a property. A property may hold several, separated by
// commas.
func (c *calendar) dates(e ical.Event, name string, take func(time.Time)) error {
	for _, prop := range e.Props.Values(name) {
		for text := range strings.SplitSeq(prop.Value, ",") {
			one := prop
			one.Value, _, _ = strings.Cut(text, "/") // of a period, take the start
			t, err := c.time(one)
			if err != nil {
				return wrong("event %q: %s %q is no time", cut(propText(e, ical.PropSummary)), name, cut(text))
			}
			take(t)
		}
	}
	return nil
}
