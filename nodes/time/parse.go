package time

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/zone"
)

// autoLayout is the layout that accepts all formats which need no layout.
const autoLayout = "auto"

type parseIn struct {
	Text     string `port:"text" doc:"The time as it is written."`
	Layout   string `port:"layout" default:"auto" doc:"How it is written, in the words of time.format; auto for ISO 8601, dates of mail and Unix time."`
	Timezone string `port:"timezone" default:"UTC" doc:"The time zone of a text which names none, and that of iso."`
	Language string `port:"language" default:"en" doc:"The language of months and days: en, de, es or fr."`
}

// instant has the outputs of all nodes that return a time.
type instant struct {
	ISO    string `port:"iso" doc:"The time as ISO 8601 with milliseconds and the distance from UTC."`
	UnixMs int    `port:"unixMs" doc:"Milliseconds since 1970 in UTC."`
}

func instantOf(t time.Time) instant { return instant{t.Format(isoLayout), int(t.UnixMilli())} }

func parseNode(z *zone.Table, v *vocabulary) node.Node {
	parse := func(_ context.Context, in parseIn) (out instant, err error) {
		at, err := z.Find(in.Timezone)
		if err != nil {
			return out, invalid(err)
		}
		t, err := v.parse(in.Text, in.Layout, in.Language, at)
		if err != nil {
			return out, invalid(err)
		}
		return instantOf(t.In(at)), nil
	}
	n := node.Func("time.parse", "Read time", parse).Inline().
		Aliases("parse date, strptime, to timestamp, date from text", "datum lesen, datum erkennen, zeit einlesen").
		Example(map[string]any{"text": "31.01.2026 18:05", layoutPort: "DD.MM.YYYY HH:mm", timezonePort: "Europe/Berlin"}).Doc(
		"Reads a time as people and programs write it. With layout = `auto` it takes ISO 8601 (also week dates, ordinal dates and the basic format, such as `20260131T180509Z`), " +
			"dates of mail and of HTTP, and seconds or milliseconds since 1970; everything else needs a layout in the words of `time.format`. " +
			"Words of one letter take one digit or two, names are taken in upper and lower case, " +
			"and what the layout leaves out is the beginning: the first day, midnight.\n\n" +
			"Names of time zones in dates of mail are those of RFC 5322 (EST, EDT, CST, CDT, MST, MDT, PST, PDT, UT, GMT; other single letters are UTC) and those that mean the same everywhere, " +
			"such as CET and JST; others, such as IST, are refused. Years of two digits are 2000 to 2049 and 1950 to 1999 there. " +
			"A number of 9 digits or more counts seconds, from 100,000,000,000 on milliseconds, but 14 and 17 digits are a date and time (`20260131180509`). " +
			"Numbers of 11 and 12 digits that begin with a year may be either and are refused.\n\n" +
			"A time that clocks skip is read with the distance from UTC before the change: `02:30` is `03:30` where clocks go from 02:00 to 03:00. " +
			"Of a time that clocks show twice, it is the first. `24:00` is midnight at the end of the day; a leap second is the first second of the next day.\n\n" +
			"`31.01.2026 18:05` with layout = `DD.MM.YYYY HH:mm` and timezone = `Europe/Berlin` gives the iso `2026-01-31T18:05:00.000+01:00`.\n\n" +
			"A text that is no such time fails with `invalid_input`, and the message says from where on.")
	return checked(n, map[string]func(string) error{timezonePort: z.Check, layoutPort: v.checkReading, languagePort: v.checkLanguage})
}

func (v *vocabulary) parse(text, layout, language string, at *time.Location) (time.Time, error) {
	if layout == autoLayout {
		return read(text, at)
	}
	words, err := v.reading(layout)
	if err != nil {
		return time.Time{}, err
	}
	names, err := v.language(language)
	if err != nil {
		return time.Time{}, err
	}
	return words.read(text, names, at)
}

func (v *vocabulary) checkReading(text string) error {
	if text == autoLayout {
		return nil
	}
	_, err := v.reading(text)
	return err
}
