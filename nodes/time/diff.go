package time

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/span"
	"github.com/svcflow/svc/nodes/zone"
)

type diffIn struct {
	From     any    `port:"from" doc:"Where to count from: a text such as 2026-01-31T18:05:09Z, a day, a date of mail, or seconds or milliseconds since 1970."`
	To       any    `port:"to" doc:"Where to count to."`
	Unit     string `port:"unit" enum:"ms|s|min|h|d|week|month|year" default:"d" doc:"What to count."`
	Timezone string `port:"timezone" default:"UTC" doc:"The time zone whose calendar counts, and that of texts which name none."`
}

type diffOut struct {
	Value float64 `port:"value" doc:"How many of the unit lie between both, with fractions; negative if to is before from."`
	Text  string  `port:"text" doc:"The same as 1y2mo3d4h5m6s, which time.add takes."`
}

func diffNode(z *zone.Table) node.Node {
	diff := func(_ context.Context, in diffIn) (out diffOut, err error) {
		at, err := z.Find(in.Timezone)
		if err != nil {
			return out, invalid(err)
		}
		from, err := read(in.From, at)
		if err != nil {
			return out, invalid(err)
		}
		to, err := read(in.To, at)
		if err != nil {
			return out, invalid(err)
		}
		return difference(from.In(at), to.In(at), in.Unit), nil
	}
	n := node.Func("time.diff", "Time between", diff).Inline().
		Aliases("date difference, age, duration, days between, how long", "datumsdifferenz, alter, dauer, tage zwischen, wie lange").
		Example(map[string]any{"from": "2026-01-31", "to": "2026-03-02"}).Doc(
		"Tells how much lies between two times: from `2026-01-31` to `2026-03-02` it is 30 days, or `1mo2d` as text. " +
			"Hours and less are exact; days, weeks, months and years are those of the calendar in timezone, so from one noon to the next it is one day, " +
			"also where the clock was changed between. A part of a month is one of that month's days.")
	return checked(n, map[string]func(string) error{timezonePort: z.Check})
}

// difference returns what lies between two times of the same zone.
func difference(from, to time.Time, unit string) diffOut {
	if to.Before(from) {
		out := difference(to, from, unit)
		return diffOut{-out.Value, "-" + out.Text}
	}
	s := span.Between(from, to)
	return diffOut{units(from, to, s, unit), s.String()}
}

func units(from, to time.Time, s span.Span, unit string) float64 {
	switch unit {
	case "ms", "s", "min", "h":
		size := map[string]float64{"ms": 1, "s": 1e3, "min": 60e3, "h": 3600e3}[unit]
		return float64(to.UnixMilli()-from.UnixMilli()) / size
	case "d", "week":
		days := apart(from, to) / 24
		if unit == "week" {
			return days / 7
		}
		return days
	}
	per := map[string]int{"month": 1, "year": 12}[unit]
	whole := s.Months / per
	start, end := span.Span{Months: whole * per}.From(from), span.Span{Months: (whole + 1) * per}.From(from)
	return float64(whole) + apart(start, to)/apart(start, end)
}

// apart returns the hours that clock and calendar count from one time to another.
func apart(from, to time.Time) float64 {
	return float64(wall(to).UnixMilli()-wall(from).UnixMilli()) / float64(time.Hour.Milliseconds())
}

// wall returns what clock and calendar show at t as a time of UTC, where all days are of
// the same length.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
