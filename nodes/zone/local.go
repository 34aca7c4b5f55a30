package zone

import "time"

// Local returns the moment at which clocks in the zone at show the date and time of wall,
// whatever the zone of wall is.
//
// A time that clocks skip is read with the offset before the change: where they go from
// 02:00 to 03:00, 02:30 is 03:30. Of a time that clocks show twice it returns the first
// moment. RFC 5545 and java.time do the same; [time.Date] promises neither.
func Local(wall time.Time, at *time.Location) time.Time {
	asUTC := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), time.UTC)
	before, after := offset(asUTC.AddDate(0, 0, -1), at), offset(asUTC.AddDate(0, 0, 1), at)
	first := asUTC.Add(-before)
	if second := asUTC.Add(-after); offset(first, at) != before && offset(second, at) == after {
		return second.In(at)
	}
	return first.In(at)
}

// Wall returns the date and time that clocks in the zone of t show, as a time in UTC.
func Wall(t time.Time) time.Time {
	_, seconds := t.Zone()
	return t.Add(time.Duration(seconds) * time.Second).UTC()
}

func offset(t time.Time, at *time.Location) time.Duration {
	_, seconds := t.In(at).Zone()
	return time.Duration(seconds) * time.Second
}
