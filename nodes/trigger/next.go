package trigger

import (
	"math/bits"
	"time"
)

// next returns the first time after the given one that the calendar matches in a time zone,
// or the zero time if it never matches.
//
// When clocks change, a local time that is skipped becomes the end of the gap, and a local
// time that occurs twice becomes its first occurrence. So the order of times is kept, and
// times that become equal are one time.
func (c *calendar) next(after time.Time, zone *time.Location) time.Time {
	if c == nil {
		return time.Time{}
	}
	local := after.In(zone)
	d := date{local.Year(), int(local.Month()), local.Day()}
	from := local.Hour()*3600 + local.Minute()*60 + local.Second() + 1
	for last := d.year + cycle; d.year <= last; from = 0 {
		if c.month&(1<<d.month) == 0 {
			d = date{d.year, d.month, d.last()}.next()
			continue
		}
		if c.on(d) {
			for s, ok := c.inDay(from); ok; s, ok = c.inDay(s + 1) {
				if at := instant(d.at().Unix()+int64(s), zone); at.After(after) {
					return at
				}
			}
		}
		d = d.next()
	}
	return time.Time{}
}

// inDay returns the first second of a day, starting at from, that the calendar matches.
func (c *calendar) inDay(from int) (second int, ok bool) {
	for from < 24*3600 {
		h := atLeast(c.hour, from/3600)
		switch {
		case h < 0:
			return 0, false
		case h*3600 > from:
			from = h * 3600
		}
		m := atLeast(c.minute, from/60%60)
		switch {
		case m < 0:
			from = (h + 1) * 3600
			continue
		case h*3600+m*60 > from:
			from = h*3600 + m*60
		}
		if s := atLeast(c.second, from%60); s >= 0 {
			return h*3600 + m*60 + s, true
		}
		from = h*3600 + (m+1)*60
	}
	return 0, false
}

// atLeast returns the smallest number in a bit set that is at least n, or -1.
func atLeast(set uint64, n int) int {
	if rest := set >> n << n; rest != 0 {
		return bits.TrailingZeros64(rest)
	}
	return -1
}

// aroundUTC is more than the largest offset from UTC, in seconds.
const aroundUTC = 26 * 3600

// instant returns the time at which clocks in a zone show the given local time, in seconds
// as if it were UTC. If they show it twice, it is the first time; if they skip it, the end
// of the gap.
func instant(shown int64, zone *time.Location) time.Time {
	at := time.Unix(shown-aroundUTC, 0).In(zone)
	for {
		_, offset := at.Zone()
		start, end := at.ZoneBounds()
		moment := time.Unix(shown-int64(offset), 0).In(zone)
		switch {
		case !start.IsZero() && moment.Before(start):
			return start.In(zone)
		case end.IsZero() || moment.Before(end):
			return moment
		}
		at = end.In(zone)
	}
}
