package time

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/zone"
)

type nowIn struct {
	Timezone string `port:"timezone" default:"UTC" doc:"The time zone of all outputs but unix and unixMs: a name such as Europe/Berlin, or a distance such as +02:00."`
}

type nowOut struct {
	ISO     string `port:"iso" doc:"The time as ISO 8601 with milliseconds and the distance from UTC."`
	Date    string `port:"date" doc:"The day, as 2026-01-31."`
	Unix    int    `port:"unix" doc:"Seconds since 1970 in UTC."`
	UnixMs  int    `port:"unixMs" doc:"Milliseconds since 1970 in UTC."`
	Year    int    `port:"year" doc:"The year."`
	Month   int    `port:"month" doc:"The month, 1 to 12."`
	Day     int    `port:"day" doc:"The day of the month, 1 to 31."`
	Hour    int    `port:"hour" doc:"The hour, 0 to 23."`
	Minute  int    `port:"minute" doc:"The minute, 0 to 59."`
	Second  int    `port:"second" doc:"The second, 0 to 59."`
	Weekday int    `port:"weekday" doc:"The day of the week: 1 is Monday, 7 is Sunday."`
	Week    int    `port:"week" doc:"The week of the year, 1 to 53, by ISO 8601."`
}

// isoLayout is the format in which all nodes write a time.
const isoLayout = "2006-01-02T15:04:05.000Z07:00"

func nowNode(z *zone.Table) node.Node {
	now := func(_ context.Context, in nowIn) (nowOut, error) {
		at, err := z.Find(in.Timezone)
		if err != nil {
			return nowOut{}, invalid(err)
		}
		return told(time.Now().In(at)), nil
	}
	n := node.Func("time.now", "Current time", now).Inline().
		Aliases("now, today, date, clock, timestamp", "jetzt, heute, datum, uhrzeit, zeitstempel").
		Example(map[string]any{timezonePort: "Europe/Berlin"}).Doc(
		"Tells the time. A run that is resumed sees what the node told before.\n\n" +
			"With timezone = `Europe/Berlin` it gives an iso such as `2026-01-31T18:05:09.250+01:00`.")
	return checked(n, map[string]func(string) error{timezonePort: z.Check})
}

func told(t time.Time) nowOut {
	_, week := t.ISOWeek()
	return nowOut{
		ISO: t.Format(isoLayout), Date: t.Format(time.DateOnly), Unix: int(t.Unix()), UnixMs: int(t.UnixMilli()),
		Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Hour: t.Hour(), Minute: t.Minute(), Second: t.Second(),
		Weekday: weekday(t), Week: week,
	}
}

// weekday counts from Monday, 1, to Sunday, 7.
func weekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }
