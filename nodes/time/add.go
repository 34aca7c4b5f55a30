package time

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/span"
	"github.com/svcflow/svc/nodes/zone"
)

type addIn struct {
	Time     any    `port:"time" doc:"A text such as 2026-01-31T18:05:09Z, a day, a date of mail, or seconds or milliseconds since 1970."`
	By       string `port:"by" doc:"How much: 1d12h, -2w, 1y6mo, or P1M as ISO 8601 has it."`
	Timezone string `port:"timezone" default:"UTC" doc:"The time zone whose calendar counts, and that of a text which names none."`
}

// lastYear is the last one that has four digits.
const lastYear = 9999

func addNode(z *zone.Table, s *span.Reader) node.Node {
	add := func(_ context.Context, in addIn) (out instant, err error) {
		at, err := z.Find(in.Timezone)
		if err != nil {
			return out, invalid(err)
		}
		t, err := read(in.Time, at)
		if err != nil {
			return out, invalid(err)
		}
		by, err := s.Read(in.By)
		if err != nil {
			return out, invalid(err)
		}
		if t = by.From(t.In(at)); t.Year() < 0 || t.Year() > lastYear {
			return out, invalid(fmt.Errorf("%s from then is no year of four digits", cut(in.By)))
		}
		return instantOf(t), nil
	}
	n := node.Func("time.add", "Add to time", add).Inline().
		Aliases("date add, subtract, in a week, yesterday, tomorrow, deadline, plus days", "datum addieren, abziehen, in einer woche, gestern, morgen, frist").
		Example(map[string]any{"time": "2026-01-31T18:05:09Z", "by": "1d12h"}).Doc(
		"Goes forward or back in time: `1d12h` is a day and twelve hours later, `-2w` two weeks earlier. The units are `y`, `mo`, `w`, `d`, `h`, `m` (minutes), " +
			"`s` and `ms`, in this order; or write it as ISO 8601: `P1M`, `PT36H`.\n\n" +
			"Years, months, weeks and days are those of the calendar in timezone: a day later is the same time of day, also where the clock was changed between. " +
			"A month later than 31 January is the last day of February. Hours, minutes and seconds are exact.")
	return checked(n, map[string]func(string) error{timezonePort: z.Check, "by": func(text string) error { _, err := s.Read(text); return err }})
}
