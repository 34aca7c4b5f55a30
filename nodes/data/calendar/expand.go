package calendar

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/reading"
)

// walls returns the wall times at which the event of s begins, in order, and reads its EXDATE.
// They include all that may be in the window, and some around it. It returns false if the
// event has to be dropped.
func (r *reader) walls(s *series, z *zones) (all []time.Time, ok bool) {
	m := s.master
	from, until := r.around(s)
	starts := m.rules == nil
	for i := range m.rules {
		found, after, ok := r.ruled(m, &m.rules[i], from, until)
		if !ok {
			return nil, false
		}
		all, starts = append(all, found...), starts || after
	}
	if starts { // other readers add the start even if the rule leaves it out
		all = append(all, m.start.wall)
	}
	for i := range m.dates {
		all = append(all, r.extra(s, &m.dates[i], z)...)
	}
	slices.SortFunc(all, time.Time.Compare)
	all = slices.CompactFunc(all, time.Time.Equal)
	for i := range m.exrules {
		out, _, ok := r.ruled(m, &m.exrules[i], from, until)
		if !ok {
			return nil, false
		}
		all = slices.DeleteFunc(all, func(t time.Time) bool {
			_, found := slices.BinarySearchFunc(out, t, time.Time.Compare)
			return found
		})
	}
	r.exclude(s, z, all)
	return all, true
}

// around returns the window in the wall time of the event, with room for its length, for
// differences between zones, and for changes that move all the rest.
func (r *reader) around(s *series) (from, until time.Time) {
	m := s.master
	room := 48 * time.Hour
	for _, e := range s.changed {
		if e.future && e.start.at != nil {
			moved := e.start.wall.Sub(e.id.wall)
			room += max(moved, -moved) + e.wall + e.exact
		}
	}
	room = min(room, 100*366*24*time.Hour)
	from = r.from.Add(-room).AddDate(0, 0, -m.days).Add(-min(m.wall+m.exact, 100*366*24*time.Hour))
	return from, r.until.Add(room)
}

// ruled returns the occurrences of a rule. startCounts is false if the rule ends before the
// start of the event.
func (r *reader) ruled(e *event, p *property, from, until time.Time) (all []time.Time, startCounts, ok bool) {
	made, err := parseRule(p.value)
	if err != nil {
		r.notes.Dropped(p.line, e.item(), "its rule %q cannot be read: %v", reading.Cut(p.value), err)
		return nil, false, false
	}
	if made.until != nil {
		end := r.ruleEnd(e, p, made.until)
		if end.Before(e.start.wall) {
			return nil, false, true
		}
		made.Until = end
	}
	made.limit(until)
	if until.Before(e.start.wall) {
		return nil, true, true
	}
	steps := 0
	err = made.each(e.start.wall, from, func(t time.Time) bool {
		if steps++; steps%1024 == 0 && r.ctx.Err() != nil {
			return false
		}
		if !t.Before(from) {
			all = append(all, t)
		}
		return true
	})
	switch {
	case errors.Is(err, errTooOften):
		r.notes.Dropped(p.line, e.item(), "%v; choose from and until closer together", err)
	case err != nil:
		r.notes.Dropped(p.line, e.item(), "its rule %q cannot be read: %v", reading.Cut(p.value), err)
	}
	return all, true, err == nil
}

// ruleEnd returns the end of a rule in the wall time of the event. UNTIL has to be a date if
// the start is one, and else in UTC. If it is not, it is read as other readers do: a date is
// its midnight, a time without a zone is in UTC, and for times that float UTC does not count.
func (r *reader) ruleEnd(e *event, p *property, s *stamp) time.Time {
	switch {
	case e.start.isDate:
		return s.wall.Truncate(24 * time.Hour)
	case e.start.floating:
		return s.wall
	case s.isDate:
		r.notes.Repaired(p.line, e.item(), "UNTIL is the date %s and the event has times; it was read as midnight UTC, so the day itself does not count", s.wall.Format(time.DateOnly))
	case !s.isUTC && s.offset == nil:
		r.notes.Repaired(p.line, e.item(), "UNTIL in %q is not in UTC; it was read as if it were", reading.Cut(p.value))
	}
	at := time.UTC
	if s.offset != nil {
		at = time.FixedZone("", *s.offset)
	}
	return place{wall: s.wall, at: at}.in(e.start.at)
}

// extra returns the occurrences of an RDATE, which may be periods with an end of their own.
func (r *reader) extra(s *series, p *property, z *zones) (all []time.Time) {
	m := s.master
	for text := range strings.SplitSeq(p.value, ",") {
		first, second, isPeriod := strings.Cut(text, "/")
		if strings.TrimSpace(text) == "" {
			continue
		}
		start, ok := r.time(z, m.entry, p, first)
		if !ok {
			r.notes.Dropped(p.line, m.item(), "RDATE %q is no time; this date is missing", reading.Cut(text))
			continue
		}
		wall := start.in(m.start.at)
		if m.start.isDate {
			wall = wall.Truncate(24 * time.Hour)
		}
		all = append(all, wall)
		if !isPeriod {
			continue
		}
		end, ok := r.time(z, m.entry, p, second)
		if d, isDuration := durationOf(second); isDuration {
			end, ok = start.add(d), true
		}
		if !ok || end.moment().Before(start.moment()) {
			r.notes.Repaired(p.line, m.item(), "the end of the period %q cannot be read; the length of the event was taken", reading.Cut(text))
			continue
		}
		if s.ends == nil {
			s.ends = map[int64]place{}
		}
		s.ends[wall.Unix()] = end
	}
	return all
}

// exclude reads the EXDATEs of an event.
func (r *reader) exclude(s *series, z *zones, walls []time.Time) {
	m := s.master
	if len(m.exdates) == 0 {
		return
	}
	known := make(map[int64]bool, len(walls))
	for _, wall := range walls {
		known[wall.Unix()] = true
	}
	s.excluded, s.days = map[int64]bool{}, map[int64]bool{}
	for i := range m.exdates {
		p := &m.exdates[i]
		for text := range strings.SplitSeq(p.value, ",") {
			first, _, _ := strings.Cut(text, "/")
			if strings.TrimSpace(first) == "" {
				continue
			}
			out, ok := r.time(z, m.entry, p, first)
			if !ok {
				r.notes.Dropped(p.line, m.item(), "EXDATE %q is no time; the date was not taken out", reading.Cut(text))
				continue
			}
			stamp, _ := stampOf(p, first)
			wall, wholeDay := s.occurrence(out, stamp.isUTC, z, known)
			if wholeDay {
				s.days[wall.Unix()] = true
			} else {
				s.excluded[wall.Unix()] = true
			}
		}
	}
}
