package calendar

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"
)

// The years for which the clock changes of a VTIMEZONE are computed. After them, the last
// offset stays.
const firstYear, lastYear = 1970, 2150

// change is a clock change.
type change struct {
	at     int64 // Unix seconds
	offset int   // seconds from UTC, from then on
}

// maxChanges bounds the clock changes of a VTIMEZONE.
const maxChanges = 10_000

// load computes the zone, or returns nil if it has no observance that can be read.
func (t *timezone) load() *time.Location {
	var changes []change
	before, first := 0, int64(0)
	for _, o := range t.observances {
		if o.start == nil || o.to == nil {
			continue
		}
		to, ok := offsetOf(o.to.value)
		from, fromOK := to, true
		if o.from != nil {
			from, fromOK = offsetOf(o.from.value)
		}
		start, startOK := stampOf(o.start, o.start.value)
		if !ok || !fromOK || !startOK {
			continue
		}
		if at := start.wall.Unix() - int64(from); len(changes) == 0 || at < first {
			before, first = from, at
		}
		for _, wall := range o.onsets(start.wall) {
			changes = append(changes, change{wall.Unix() - int64(from), to})
		}
		if len(changes) > maxChanges {
			return nil
		}
	}
	if len(changes) == 0 {
		return nil
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	at, err := time.LoadLocationFromTZData(t.id, tzif(before, changes))
	if err != nil {
		return nil
	}
	return at
}

// onsets returns when the observance begins, in the wall time before.
func (o *observance) onsets(start time.Time) []time.Time {
	all := []time.Time{start}
	for i := range o.dates {
		for text := range strings.SplitSeq(o.dates[i].value, ",") {
			text, _, _ = strings.Cut(text, "/")
			if s, ok := stampOf(&o.dates[i], text); ok {
				all = append(all, s.wall)
			}
		}
	}
	for i := range o.rules {
		r, err := parseRule(o.rules[i].value)
		if err != nil {
			continue
		}
		until := time.Date(lastYear, 12, 31, 0, 0, 0, 0, time.UTC)
		if r.until != nil && r.until.wall.Before(until) {
			until = r.until.wall
			if offset, ok := 0, o.from != nil; ok && r.until.isUTC {
				offset, _ = offsetOf(o.from.value)
				until = until.Add(time.Duration(offset) * time.Second)
			}
		}
		all = append(all, r.onsets(start, until)...)
	}
	return all
}

// onsets returns the occurrences of the rule of an observance from start until the given
// time. The rules that nearly all zones have, a weekday of a month each year, are computed
// here, from firstYear on; others by the library.
func (r *rule) onsets(start, until time.Time) (all []time.Time) {
	month, weekday, n, simple := r.yearly()
	if !simple {
		r.limit(until)
		_ = r.each(start, time.Time{}, func(t time.Time) bool { // what can be read counts
			all = append(all, t)
			return len(all) < maxChanges && !t.After(until)
		})
		return all
	}
	clock := start.Sub(start.Truncate(24 * time.Hour))
	for year := max(firstYear, start.Year()); year <= until.Year(); year++ {
		day := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		if n < 0 {
			day = day.AddDate(0, 1, -1)
			day = day.AddDate(0, 0, -(int(day.Weekday()-weekday)+7)%7+7*(n+1))
		} else {
			day = day.AddDate(0, 0, (int(weekday-day.Weekday())+7)%7+7*(n-1))
		}
		if t := day.Add(clock); day.Month() == month && !t.Before(start) && !t.After(until) {
			all = append(all, t)
		}
	}
	return all
}

// tzif returns a zone in the format of the IANA database (RFC 8536): the offset before the
// first change, and the changes.
func tzif(before int, changes []change) []byte {
	offsets := []int{before} // the first type is only for the time before
	var times, types []byte
	last := int64(-1 << 62)
	for _, c := range changes {
		index := slices.Index(offsets[1:], c.offset) + 1
		if index == 0 {
			index = len(offsets)
			offsets = append(offsets, c.offset)
		}
		if index > 255 {
			break
		}
		if c.at == last { // the later one in the file counts
			types[len(types)-1] = byte(index)
			continue
		}
		last = c.at
		times, types = binary.BigEndian.AppendUint64(times, uint64(c.at)), append(types, byte(index))
	}
	offsets = offsets[:min(len(offsets), 256)]
	header := func(changes, types, letters int) []byte {
		b := append([]byte("TZif2"), make([]byte, 15+3*4)...)
		b = binary.BigEndian.AppendUint32(b, uint32(changes))
		b = binary.BigEndian.AppendUint32(b, uint32(types))
		return binary.BigEndian.AppendUint32(b, uint32(letters))
	}
	const name = "-\x00"
	data := append(header(0, 0, 0), header(len(types), len(offsets), len(name))...)
	data = append(append(data, times...), types...)
	for _, offset := range offsets {
		data = append(binary.BigEndian.AppendUint32(data, uint32(int32(offset))), 0, 0)
	}
	return append(data, name...)
}
