package calendar

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/svcflow/svc/nodes/zone"
)

// series are the events with one UID: the event itself, and those that replace some of its
// occurrences.
type series struct {
	master  *event // nil if the file has changed occurrences only
	changed []*event

	excluded  map[int64]bool // occurrences of EXDATE, by their wall time
	days      map[int64]bool // days of EXDATE
	ends      map[int64]place
	following []*event // the changes with RANGE=THISANDFUTURE
}

// series adds the occurrences of the events with one UID.
func (r *reader) series(entries []*entry, z *zones) error {
	s := r.collect(entries, z)
	if !r.o.Expand || s.master == nil {
		for _, e := range append(s.changed, s.master) {
			if e != nil && !e.cancelled() {
				if err := r.put(e, e.start.wall, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return r.expand(s, z)
}

// collect takes the newest state of the event and of each changed occurrence.
func (r *reader) collect(entries []*entry, z *zones) *series {
	s := &series{}
	index := map[int64]int{}
	for _, entry := range entries {
		e := r.resolve(entry, z)
		switch {
		case e == nil:
		case e.id == nil:
			s.master = r.newer(s.master, e)
		default:
			key := e.id.moment().Unix()<<1 | int64(boolean(e.id.isDate))
			i, known := index[key]
			if !known {
				index[key] = len(s.changed)
				s.changed = append(s.changed, e)
				continue
			}
			s.changed[i] = r.newer(s.changed[i], e)
		}
	}
	if m := s.master; m != nil && m.cancelled() {
		s.changed = slices.DeleteFunc(s.changed, func(e *event) bool { return e.sequence <= m.sequence })
		s.master = nil
	}
	return s
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newer returns the newer state of an event: that with the higher SEQUENCE, and of equal ones
// that which was changed last. Else a cancelled one counts, or the first in the file.
func (r *reader) newer(a, b *event) *event {
	if a == nil {
		return b
	}
	order := cmp.Compare(a.sequence, b.sequence)
	if order == 0 && a.modified != "" && b.modified != "" {
		order = strings.Compare(a.modified, b.modified)
	}
	if order == 0 && a.stamped != "" && b.stamped != "" {
		order = strings.Compare(a.stamped, b.stamped)
	}
	switch {
	case order < 0, order == 0 && b.cancelled():
		return b
	case order == 0 && !a.cancelled() && (a.start.wall != b.start.wall || a.title != b.title):
		r.notes.Dropped(b.line, b.item(), "the event in line %d has the same UID and the same SEQUENCE, so that one of them is not valid; give each event a UID", a.line)
	}
	return a
}

// expand adds the occurrences of s in the window.
func (r *reader) expand(s *series, z *zones) error {
	m := s.master
	walls, ok := r.walls(s, z)
	if !ok {
		return nil
	}
	replaced, replacedDays := r.replace(s, z, walls)
	for _, wall := range walls {
		key, day := wall.Unix(), wall.Truncate(24*time.Hour).Unix()
		if s.excluded[key] || s.days[day] || replaced[key] || replacedDays[day] {
			continue
		}
		e, at := m, wall
		if i := sort.Search(len(s.following), func(i int) bool { return s.following[i].id.wall.After(wall) }); i > 0 {
			if e = s.following[i-1]; e.cancelled() { // it may lack a start
				continue
			}
			at = wall.Add(e.start.in(m.start.at).Sub(e.id.wall))
		}
		var end *place
		if e == m {
			if p, known := s.ends[key]; known {
				end = &p
			}
		} else if e.start.at != m.start.at && !e.start.isDate {
			at = place{wall: at, at: m.start.at}.in(e.start.at)
		}
		if err := r.put(e, at, end); err != nil {
			return err
		}
	}
	for _, e := range s.changed {
		if !e.cancelled() && !s.excluded[e.id.wall.Unix()] && !r.outdated(s, e) {
			if err := r.put(e, e.start.wall, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// outdated reports whether e is what is left of an older state of the event: it has rules, as
// no changed occurrence has, and the event has no such occurrence any more.
func (r *reader) outdated(s *series, e *event) bool {
	m := s.master
	if len(e.rules)+len(e.dates)+len(e.exdates) == 0 || e.sequence >= m.sequence || e.id.wall.Equal(m.start.wall) {
		return false
	}
	for i := range m.rules {
		found, _, _ := r.ruled(m, &m.rules[i], e.id.wall, e.id.wall.AddDate(0, 0, 1))
		if len(found) > 0 && found[0].Truncate(24*time.Hour).Equal(e.id.wall.Truncate(24*time.Hour)) {
			return false
		}
	}
	return true
}

// replace finds the occurrences that the changed events replace. It sets the id of each changed
// event to the wall time of its occurrence, in the zone of the event.
func (r *reader) replace(s *series, z *zones, walls []time.Time) (replaced, days map[int64]bool) {
	if len(s.changed) == 0 {
		return nil, nil
	}
	known := make(map[int64]bool, len(walls))
	for _, wall := range walls {
		known[wall.Unix()] = true
	}
	replaced, days = map[int64]bool{}, map[int64]bool{}
	for _, e := range s.changed {
		wall, wholeDay := s.occurrence(*e.id, e.idUTC, z, known)
		e.id.wall = wall
		if wholeDay {
			days[wall.Unix()] = true
		} else {
			replaced[wall.Unix()] = true
		}
		if e.future {
			s.following = append(s.following, e)
		}
	}
	slices.SortStableFunc(s.following, func(a, b *event) int { return a.id.wall.Compare(b.id.wall) })
	return replaced, days
}

// occurrence returns the wall time of the occurrence that p names, in RECURRENCE-ID or EXDATE.
// If none begins then, it is the one with the same wall time: some programs write the wrong
// zone, or Z. wholeDay means that all occurrences of the day are meant.
func (s *series) occurrence(p place, isUTC bool, z *zones, known map[int64]bool) (wall time.Time, wholeDay bool) {
	m := s.master
	switch {
	case m.start.isDate && !p.isDate && isUTC && p.moment().UTC().Truncate(24*time.Hour).Equal(p.moment()):
		return p.moment().UTC(), false
	case m.start.isDate && !p.isDate && isUTC:
		return zone.Wall(p.moment().In(z.floating)).Truncate(24 * time.Hour), false
	case m.start.isDate:
		return p.wall.Truncate(24 * time.Hour), false
	case p.isDate:
		return p.wall, true
	case p.floating:
		return p.wall, false
	}
	wall = p.in(m.start.at)
	written := p.wall
	if isUTC {
		written = p.moment().UTC()
	}
	if !known[wall.Unix()] && known[written.Unix()] {
		return written, false
	}
	return wall, false
}
