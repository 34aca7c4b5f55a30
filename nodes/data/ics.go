package data

import (
	"context"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/calendar"
	"github.com/svcflow/svc/nodes/reading"
	"github.com/svcflow/svc/nodes/zone"
)

type icsIn struct {
	reading.Source

	From     *string `port:"from,optional" doc:"The first moment that counts, as ISO 8601; without it events count from the beginning."`
	Until    *string `port:"until,optional" doc:"Where to end; a year behind from if it is not given."`
	Timezone string  `port:"timezone" default:"UTC" doc:"The time zone of start and end, and of what names none."`
}

type icsEvent struct {
	ID          string `port:"id"`
	Title       string `port:"title"`
	Start       string `port:"start"`
	End         string `port:"end"`
	Location    string `port:"location"`
	Description string `port:"description"`
	AllDay      bool   `port:"allDay"`
}

type icsOut struct {
	Events []icsEvent `port:"events" doc:"The events by their start. Those of a whole day have dates, the others ISO 8601 with the distance from UTC; end is the moment after."`
}

func (d disk) icsParseNode(z *zone.Table) node.Node {
	parse := func(ctx context.Context, in icsIn) (icsOut, error) { return d.icsParse(ctx, z, in) }
	n := node.Func("data.ics_parse", "Read calendar", parse).
		Aliases("ics, ical, calendar, events, appointments", "ics, ical, kalender, termine").
		Example(map[string]any{
			"text": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Tea\r\nDTSTART:20260131T160000Z\r\nDTEND:20260131T170000Z\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
			"from": "2026-02-01", "until": "2026-03-01",
		}).Doc(
		"Reads a calendar (iCalendar, `.ics`). With `from` or `until` an event that repeats, as `RRULE:FREQ=WEEKLY`, is there as often as it takes place between them, " +
			"without those that were cancelled and with those that were moved; without both each event is there once, as it was first. " +
			"Of an event that is there in several states, the one with the highest SEQUENCE counts.\n\n" +
			"A time zone is found by its name in the IANA database, in the file's own VTIMEZONE, or among the names of Windows, in this order. " +
			"Times that name no zone are in the file's `X-WR-TIMEZONE`, or else in `timezone`; if the file has `X-WR-TIMEZONE`, times in UTC repeat in that zone, too. " +
			"A time that clocks skip is read with the distance from UTC before the change. Where files are ambiguous, the node does what the Python package recurring-ical-events does.\n\n" +
			"Repaired are missing `END` lines, folds, times in other forms, a date without `VALUE=DATE`, `UNTIL` in the wrong form and unknown time zones. " +
			"Dropped are events without a start that can be read, with a rule that cannot be read, with the UID and SEQUENCE of another, and one in which the file breaks off.\n\n" +
			"At most 10,000 events come of one calendar. An event that repeats more than 200,000 times before `until` is dropped.")
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		if name, given := b.Config["timezone"].(string); given {
			if err := z.Check(name); err != nil {
				problems = append(problems, node.Invalid("timezone", "%v", err))
			}
		}
		return bound, problems
	}
	return reading.Node(n, "path", "text", "base64")
}

// icsTimes is how many times the size of a calendar its parts take in memory.
const icsTimes = 8

func (d disk) icsParse(ctx context.Context, z *zone.Table, in icsIn) (out icsOut, err error) {
	at, err := z.Find(in.Timezone)
	if err != nil {
		return out, reading.Invalid("%w", err)
	}
	o, err := icsWindow(in, at)
	if err != nil {
		return out, err
	}
	o.Find = z.Find
	input, err := in.Whole(ctx, d.Files, icsTimes)
	if err != nil {
		return out, err
	}
	notes := reading.NotesOf(ctx)
	input.Data = calendar.Rejoin(input.Data)
	text, err := input.Text(notes, "")
	if err != nil {
		return out, err
	}
	events, err := calendar.Read(ctx, text, o, notes)
	if err != nil {
		return out, err
	}
	out.Events = make([]icsEvent, len(events))
	for i := range events {
		out.Events[i] = icsEventOf(&events[i])
	}
	return out, nil
}

func icsEventOf(e *calendar.Event) icsEvent {
	layout := "2006-01-02T15:04:05.000Z07:00"
	if e.AllDay {
		layout = time.DateOnly
	}
	return icsEvent{
		ID: e.ID, Title: e.Title, Location: e.Location, Description: e.Description, AllDay: e.AllDay,
		Start: e.Start.Format(layout), End: e.End.Format(layout),
	}
}

func icsWindow(in icsIn, at *time.Location) (o calendar.Options, err error) {
	o.Zone, o.Expand = at, in.From != nil || in.Until != nil
	if in.From != nil {
		if o.From, err = icsMoment("from", *in.From, at); err != nil {
			return o, err
		}
		o.Until = o.From.AddDate(1, 0, 0)
	}
	if in.Until != nil {
		o.Until, err = icsMoment("until", *in.Until, at)
	}
	return o, err
}

func icsMoment(port, text string, at *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return zone.Local(t, at), nil
		}
	}
	return time.Time{}, reading.Invalid("%s is %q; write it as 2026-01-31 or 2026-01-31T18:05:09Z", port, reading.Cut(text))
}
