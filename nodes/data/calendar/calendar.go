// Package calendar reads iCalendar (RFC 5545) as people have it, and computes when its events
// take place.
//
// Where files are ambiguous or malformed, it does what the Python packages icalendar and
// recurring-ical-events do. Recurrences are computed in wall time, the date and time that
// clocks show in the zone of the event, and become moments at the end.
package calendar

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/nodes/reading"
	"github.com/svcflow/svc/nodes/zone"
)

// Event is an event, or one occurrence of it.
type Event struct {
	ID, Title, Location, Description string

	// AllDay events begin and end at days: their Start and End are at midnight in UTC,
	// whatever the zone. End is the moment, or the day, after the event.
	AllDay     bool
	Start, End time.Time
}

// Options say what [Read] returns.
type Options struct {
	// Zone is the zone of the results, and of times that name none.
	Zone *time.Location
	// Find finds a zone of the IANA database.
	Find func(name string) (*time.Location, error)
	// Expand computes the occurrences of events between From and Until. Otherwise each
	// event is there once, as it was first.
	Expand      bool
	From, Until time.Time
}

// Read reads the events of text, by their start. What is repaired or dropped is added to
// notes, which may be nil.
func Read(ctx context.Context, text string, o Options, notes *reading.Notes) ([]Event, error) {
	if len(text) > maxBytes {
		return nil, reading.TooMuch("the calendar has %d bytes; at most %d can be read", len(text), maxBytes)
	}
	calendars, err := parse(text, notes)
	if err != nil {
		return nil, err
	}
	if err := spreadCancellations(calendars); err != nil {
		return nil, err
	}
	file := map[string]*timezone{}
	for _, c := range slices.Backward(calendars) {
		maps.Copy(file, c.zones) // the first of a name counts
	}
	r := reader{ctx: ctx, o: &o, notes: notes, from: zone.Wall(o.From.In(o.Zone)), until: zone.Wall(o.Until.In(o.Zone))}
	for _, c := range calendars {
		if err := r.read(c, newZones(c, file, &o, notes)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(r.events, func(a, b Event) int {
		return cmp.Or(r.moment(&a).Compare(r.moment(&b)), cmp.Compare(a.ID, b.ID))
	})
	return r.events, nil
}

// moment returns when an event starts, for the order.
func (r *reader) moment(e *Event) time.Time {
	if e.AllDay {
		return zone.Local(e.Start, r.o.Zone)
	}
	return e.Start
}

// spreadCancellations adds the events of calendars with METHOD:CANCEL, which are cancelled,
// to the other calendars that have events with their UIDs.
func spreadCancellations(calendars []*calendar) error {
	cancelled := map[string][]*entry{}
	for _, c := range calendars {
		for _, e := range c.events {
			if c.cancel {
				e.status = "CANCELLED"
				cancelled[e.uid] = append(cancelled[e.uid], e)
			}
		}
	}
	delete(cancelled, "")
	added := 0
	for _, c := range calendars {
		if c.cancel || len(cancelled) == 0 {
			continue
		}
		uids := map[string]bool{}
		for _, e := range c.events {
			if uids[e.uid] {
				continue
			}
			uids[e.uid] = true
			c.events = append(c.events, cancelled[e.uid]...)
			if added += len(cancelled[e.uid]); added > maxEvents {
				return reading.TooMuch("there are more than %d cancelled events; split the file", maxEvents)
			}
		}
	}
	return nil
}

// reader collects events.
type reader struct {
	ctx         context.Context
	o           *Options
	notes       *reading.Notes
	from, until time.Time // the wall time of the window in the zone of the results
	events      []Event
}

// read adds the events of c.
func (r *reader) read(c *calendar, z *zones) error {
	for _, s := range groups(c.events) {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.series(s, z); err != nil {
			return err
		}
	}
	return nil
}

// groups returns the events by their UIDs, in the order of the first of each. Those without
// a UID stand alone.
func groups(events []*entry) [][]*entry {
	all := make([][]*entry, 0, len(events))
	index := make(map[string]int, len(events))
	for _, e := range events {
		if i, known := index[e.uid]; known && e.uid != "" {
			all[i] = append(all[i], e)
			continue
		}
		index[e.uid] = len(all)
		all = append(all, []*entry{e})
	}
	return all
}

// put adds an occurrence of e, if it is in the window: the one that begins at wall, in the
// zone of e.
func (r *reader) put(e *event, wall time.Time, period *place) error {
	made := Event{ID: e.uid, Title: e.title, Location: e.location, Description: e.description, AllDay: e.start.isDate}
	if made.AllDay {
		made.Start, made.End = wall, wall.AddDate(0, 0, e.days)
		if period != nil && period.wall.After(wall) {
			made.End = period.wall
		}
		if r.o.Expand && (!made.Start.Before(r.until) || !made.End.After(r.from)) {
			return nil
		}
	} else {
		start := place{wall: wall, at: e.start.at}.moment()
		made.Start, made.End = start.In(r.o.Zone), e.endAt(wall).In(r.o.Zone)
		if period != nil {
			made.End = period.moment().In(r.o.Zone)
		}
		made.End = maxTime(made.Start, made.End)
		if r.o.Expand && (!start.Before(r.o.Until) || !maxTime(made.End, start.Add(1)).After(r.o.From)) {
			return nil
		}
	}
	if len(r.events) >= maxEvents {
		return reading.TooMuch("%s: there are more than %d events; choose from and until closer together", e.item(), maxEvents)
	}
	r.events = append(r.events, made)
	return nil
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
