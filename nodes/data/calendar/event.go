package calendar

import (
	"time"

	"github.com/svcflow/svc/nodes/reading"
	"github.com/svcflow/svc/nodes/zone"
)

// event is a VEVENT whose times are resolved.
type event struct {
	*entry

	start, end place
	days       int           // the length of an event of whole days
	wall       time.Duration // the length of others in wall time, without exact
	exact      time.Duration

	id     *place // the occurrence that it replaces, or nil
	idUTC  bool
	future bool // it replaces the occurrences behind, too
}

// resolve reads the times of e. It returns nil if e has to be dropped.
func (r *reader) resolve(e *entry, z *zones) *event {
	made := &event{entry: e}
	if e.start != nil {
		start, ok := r.time(z, e, e.start, e.start.value)
		if !ok {
			r.notes.Dropped(e.start.line, e.item(), "its start %q is no time", reading.Cut(e.start.value))
			return nil
		}
		made.start = start
		r.resolveEnd(made, z)
	}
	if e.id == nil {
		return made
	}
	id, ok := r.time(z, e, e.id, e.id.value)
	if !ok {
		r.notes.Repaired(e.id.line, e.item(), "RECURRENCE-ID %q is no time; the event was taken as a separate one", reading.Cut(e.id.value))
		return made
	}
	s, _ := stampOf(e.id, e.id.value)
	made.id, made.idUTC, made.future = &id, s.isUTC, e.id.param("RANGE") == "THISANDFUTURE"
	return made
}

// time reads one value of a property, and notes what was wrong with it.
func (r *reader) time(z *zones, e *entry, p *property, value string) (place, bool) {
	s, ok := stampOf(p, value)
	if !ok {
		return place{}, false
	}
	if s.repair != "" {
		r.notes.Repaired(p.line, e.item(), "%s %q %s", p.name, reading.Cut(value), s.repair)
	}
	return z.place(&s, p.line, e.item()), true
}

// resolveEnd sets the end of an event, and its length.
func (r *reader) resolveEnd(e *event, z *zones) {
	e.end = e.start
	switch {
	case e.entry.end != nil:
		end, ok := r.time(z, e.entry, e.entry.end, e.entry.end.value)
		if !ok {
			r.notes.Repaired(e.entry.end.line, e.item(), "its end %q is no time and was left out", reading.Cut(e.entry.end.value))
			break
		}
		e.end = end
	case e.duration != nil:
		d, ok := durationOf(e.duration.value)
		if !ok {
			r.notes.Repaired(e.duration.line, e.item(), "its duration %q cannot be read and was left out", reading.Cut(e.duration.value))
			break
		}
		e.end = e.start.add(d)
		e.exact = d.exact
	}
	if e.start.isDate && r.onlyDays(e) {
		r.wholeDays(e)
		return
	}
	if e.end.isDate { // the midnight before the day
		e.end = place{wall: e.end.wall, at: e.start.at}
	}
	if e.end.moment().Before(e.start.moment()) {
		r.notes.Repaired(e.line, e.item(), "it ends before it starts; its start and end were exchanged")
		e.start, e.end = e.end, e.start
		e.exact = max(e.exact, -e.exact)
	}
	e.wall = e.end.in(e.start.at).Sub(e.start.wall) - e.exact
	if e.exact != 0 {
		e.wall = (e.wall + 12*time.Hour).Truncate(24 * time.Hour) // the days of the duration, also across a clock change
	}
}

// onlyDays reports whether an event that starts at a date is one of whole days. If it ends at
// a time, it starts at midnight in the zone of its end, as other readers have it.
func (r *reader) onlyDays(e *event) bool {
	if e.end.isDate && e.end.wall.Equal(e.end.wall.Truncate(24*time.Hour)) {
		return true
	}
	r.notes.Repaired(e.line, e.item(), "it starts at a date and ends at a time; it was taken to start at midnight")
	e.end.isDate = false
	e.start = place{wall: e.start.wall, at: e.end.at, floating: e.end.floating}
	return false
}

// wholeDays sets the length of an event that starts at a date: a day at least.
func (r *reader) wholeDays(e *event) {
	end := e.end.wall
	if e.entry.end != nil && end.Equal(e.start.wall) {
		r.notes.Repaired(e.entry.end.line, e.item(), "it ends on the day on which it starts; the end is the day after")
	}
	if end.Before(e.start.wall) {
		r.notes.Repaired(e.line, e.item(), "it ends before it starts; its start and end were exchanged")
		e.start.wall, end = end, e.start.wall
	}
	e.days = max(1, int((end.Unix()-e.start.wall.Unix())/86400))
	e.end = place{wall: e.start.wall.AddDate(0, 0, e.days), isDate: true}
}

// add returns the place a duration later: days by the calendar, the rest exact.
func (p place) add(d duration) place {
	p.wall = p.wall.AddDate(0, 0, d.days)
	if p.isDate {
		p.wall = p.wall.Add(d.exact)
		return p
	}
	p.wall = zone.Wall(p.moment().Add(d.exact))
	return p
}

// endAt returns the end of the occurrence that begins at wall.
func (e *event) endAt(wall time.Time) time.Time {
	if wall.Equal(e.start.wall) {
		return e.end.moment()
	}
	return place{wall: wall.Add(e.wall), at: e.start.at}.moment().Add(e.exact)
}
