package time

import (
	"fmt"
	"time"

	"github.com/svcflow/svc/nodes/zone"
)

// moment is a date and time as it is written.
type moment struct {
	day                  time.Time // at midnight, in UTC
	hour, minute, second int
	nano                 int
	zone                 *time.Location // nil if it names none
}

// date returns a calendar date at midnight in UTC. It returns false for one such as 31 June.
func date(year, month, day int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, t.Year() == year && t.Month() == time.Month(month) && t.Day() == day
}

// in returns the time, in its own zone or else in at. 24:00 is the midnight at the end of the
// day, and a leap second is the first second of the next day, as Unix time has it.
func (m *moment) in(text string, at *time.Location) (time.Time, error) {
	if m.zone != nil {
		at = m.zone
	}
	endOfDay := m.hour == 24 && m.minute == 0 && m.second == 0 && m.nano == 0
	if m.hour > 23 && !endOfDay || m.minute > 59 || m.second > 60 {
		return time.Time{}, fmt.Errorf("%q is no time: there is no %02d:%02d:%02d", cut(text), m.hour, m.minute, m.second)
	}
	wall := m.day.Add(time.Duration(m.hour)*time.Hour + time.Duration(m.minute)*time.Minute + time.Duration(m.second)*time.Second + time.Duration(m.nano))
	t := zone.Local(wall, at)
	if m.second == 60 {
		if u := t.UTC(); u.Day() != 1 || u.Hour() != 0 || u.Minute() != 0 {
			return time.Time{}, fmt.Errorf("%q is no time: leap seconds are at the end of a month only, at 23:59:60 UTC", cut(text))
		}
	}
	if y := t.UTC().Year(); y < 0 || y > lastYear {
		return time.Time{}, fmt.Errorf("%q is no year of four digits in UTC", cut(text))
	}
	return t, nil
}
