package time

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/zone"
)

type formatIn struct {
	Time     any    `port:"time" doc:"A text such as 2026-01-31T18:05:09Z, a day, a date of mail, or seconds or milliseconds since 1970."`
	Layout   string `port:"layout" default:"YYYY-MM-DD HH:mm:ss" doc:"How to write it; see above."`
	Timezone string `port:"timezone" default:"UTC" doc:"The time zone to write it in, and that of a text which names none."`
	Language string `port:"language" default:"en" doc:"The language of months and days: en, de, es or fr."`
}

type formatOut struct {
	Text string `port:"text" doc:"The time as the layout has it."`
}

func formatNode(z *zone.Table, v *vocabulary) node.Node {
	format := func(_ context.Context, in formatIn) (out formatOut, err error) {
		at, err := z.Find(in.Timezone)
		if err != nil {
			return out, invalid(err)
		}
		t, err := read(in.Time, at)
		if err != nil {
			return out, invalid(err)
		}
		l, err := v.layout(in.Layout)
		if err != nil {
			return out, invalid(err)
		}
		names, err := v.language(in.Language)
		if err != nil {
			return out, invalid(err)
		}
		return formatOut{l.write(t.In(at), names)}, nil
	}
	n := node.Func("time.format", "Format time", format).Inline().
		Aliases("date format, write date, strftime, time zone", "datum formatieren, datum schreiben, zeitzone").
		Example(map[string]any{"time": "2026-01-31T18:05:09Z", layoutPort: "dddd, D MMMM YYYY, HH:mm", timezonePort: "Europe/Berlin"}).Doc(
		"Writes a time, in any time zone. The layout is made of words: year `YYYY` `YY` · month `MMMM` (January) `MMM` (Jan) `MM` `M` · day `DD` `D` · " +
			"day of the week `dddd` (Monday) `ddd` (Mon) `E` (1 is Monday) · day of the year `DDDD` · quarter `Q` · week by ISO 8601 `WW` `W`, its year `GGGG` · " +
			"hour `HH` `H`, of twelve `hh` `h` with `A` (PM) or `a` (pm) · minute `mm` `m` · second `ss` `s` · milliseconds `SSS` · " +
			"distance from UTC `Z` (+01:00) `ZZ` (+0100) · seconds since 1970 `X`, milliseconds `x`. `T` and what is no letter stand for themselves; other text stands in brackets.\n\n" +
			"`D. MMMM YYYY, HH:mm [Uhr]` with language = `de` gives `31. Januar 2026, 19:05 Uhr`.\n\n" +
			"A number of which the amount is 100,000,000,000 or more counts milliseconds, a smaller one seconds. " +
			"A number that looks like a date, such as 20260131, is refused: make it a text.")
	return checked(n, map[string]func(string) error{timezonePort: z.Check, layoutPort: v.checkLayout, languagePort: v.checkLanguage})
}
