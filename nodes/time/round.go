package time

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/zone"
)

type roundIn struct {
	Time     any    `port:"time" doc:"A text such as 2026-01-31T18:05:09Z, a day, a date of mail, or seconds or milliseconds since 1970."`
	To       string `port:"to" enum:"minute|hour|day|week|month|year" default:"day" doc:"Of what; a week begins on Monday."`
	Mode     string `port:"mode" enum:"start|end" default:"start" doc:"Its first or its last millisecond."`
	Timezone string `port:"timezone" default:"UTC" doc:"The time zone whose calendar counts, and that of a text which names none."`
}

func roundNode(z *zone.Table) node.Node {
	round := func(_ context.Context, in roundIn) (out instant, err error) {
		at, err := z.Find(in.Timezone)
		if err != nil {
			return out, invalid(err)
		}
		t, err := read(in.Time, at)
		if err != nil {
			return out, invalid(err)
		}
		start, next := edges(t.In(at), in.To)
		if in.Mode == "end" {
			return instantOf(next.Add(-time.Millisecond)), nil
		}
		return instantOf(start), nil
	}
	n := node.Func("time.round", "Start or end of", round).Inline().
		Aliases("start of day, end of month, beginning, truncate date, midnight, floor", "tagesbeginn, monatsende, anfang, abschneiden, mitternacht").
		Example(map[string]any{"time": "2026-01-31T18:05:09Z", "to": "month"}).Doc(
		"Gives the start or the end of the minute, hour, day, week, month or year in which a time lies, in any time zone: the start of the month of " +
			"`2026-01-31T18:05:09Z` is `2026-01-01T00:00:00.000Z`, the end `2026-01-31T23:59:59.999Z`.\n\n" +
			"Where a day has no midnight, since the clock is put forward then, it starts with its first moment.")
	return checked(n, map[string]func(string) error{timezonePort: z.Check})
}

// edges returns when the unit in which t lies starts, and when the next one does.
func edges(t time.Time, unit string) (start, next time.Time) {
	year, month, day := t.Date()
	switch unit {
	case "minute":
		start = t.Add(-time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
		return start, start.Add(time.Minute)
	case "hour":
		start = t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
		return start, start.Add(time.Hour)
	case "week":
		day -= weekday(t) - 1
		return firstOf(year, month, day, t.Location()), firstOf(year, month, day+7, t.Location())
	case "month":
		return firstOf(year, month, 1, t.Location()), firstOf(year, month+1, 1, t.Location())
	case "year":
		return firstOf(year, 1, 1, t.Location()), firstOf(year+1, 1, 1, t.Location())
	}
	return firstOf(year, month, day, t.Location()), firstOf(year, month, day+1, t.Location())
}

// firstOf returns the first moment of a day. Some days have two midnights or none.
func firstOf(year int, month time.Month, day int, at *time.Location) time.Time {
	wanted := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	t := time.Date(year, month, day, 0, 0, 0, 0, at)
	if wall(t).Before(wanted) { // in the gap, and counted back
		_, end := t.ZoneBounds()
		return end.In(at)
	}
	start, _ := t.ZoneBounds()
	if start.IsZero() {
		return t
	}
	if before := start.Add(-time.Nanosecond).In(at); wall(t).After(wanted) || !wall(before).Before(wanted) {
		_, now := t.Zone()
		_, then := before.Zone()
		if earlier := t.Add(time.Duration(now-then) * time.Second); earlier.Before(start) && wall(earlier).Equal(wanted) {
			return earlier
		}
		if wall(t).After(wanted) { // in the gap, and counted on
			return start.In(at)
		}
	}
	return t
}
