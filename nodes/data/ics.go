package data

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/zone"
)

type icsIn struct {
	source

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
	n := fromOne(node.Func("data.ics_parse", "Read calendar", parse).
		Aliases("ics, ical, calendar, events, appointments", "ics, ical, kalender, termine").
		Example(map[string]any{
			"text": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Tea\r\nDTSTART:20260131T160000Z\r\nDTEND:20260131T170000Z\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
			"from": "2026-02-01", "until": "2026-03-01",
		}).Doc(
		"Reads a calendar (iCalendar, `.ics`). With `from` or `until` an event that repeats, as `RRULE:FREQ=WEEKLY`, is there as often as it takes place between them, " +
			"without those that were cancelled and with those that were moved; without both each event is there once, as it was first.\n\n" +
			"At most 10,000 events come of one calendar. What repeats every hour or more often is refused by its name."))
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
	return n
}

// The limits of a calendar: its bytes, the nesting of its components, and the events that
// it yields.
const (
	maxCalendar = 16 << 20
	maxParts    = 16
	maxEvents   = 10_000
)

func (d disk) icsParse(ctx context.Context, z *zone.Table, in icsIn) (out icsOut, err error) {
	at, err := z.Find(in.Timezone)
	if err != nil {
		return out, wrong("%w", err)
	}
	c := calendar{ctx: ctx, at: at}
	if err := c.setWindow(in); err != nil {
		return out, err
	}
	text, err := d.whole(ctx, in.source, markupTimes)
	if err != nil {
		return out, err
	}
	if err := checkCalendar(text); err != nil {
		return out, err
	}
	decoder := ical.NewDecoder(strings.NewReader(text))
	for {
		cal, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, wrong("the calendar cannot be read: %s", cut(strings.TrimPrefix(err.Error(), "ical: ")))
		}
		if err := c.addAll(cal.Events()); err != nil {
			return out, err
		}
	}
	slices.SortStableFunc(c.events, func(a, b occurrence) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.ID, b.ID)) })
	out.Events = make([]icsEvent, len(c.events))
	for i := range c.events {
		out.Events[i] = c.events[i].icsEvent
	}
	return out, nil
}

// checkCalendar refuses deeply nested components: the library's parser is recursive.
func checkCalendar(text string) error {
	if len(text) > maxCalendar {
		return tooMuch("the calendar has %d bytes; at most %d can be read", len(text), maxCalendar)
	}
	depth, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		switch name, _, _ := strings.Cut(line, ":"); strings.ToUpper(name) {
		case "BEGIN":
			depth++
		case "END":
			depth--
		}
		if depth > maxParts {
			return tooMuch("line %d: parts of the calendar nest deeper than %d", number, maxParts)
		}
	}
	return nil
}

// calendar collects events.
type calendar struct {
	ctx         context.Context
	at          *time.Location
	unfold      bool
	from, until time.Time
	events      []occurrence
}

// occurrence is one occurrence of an event.
type occurrence struct {
	icsEvent

	start time.Time
}

func (c *calendar) setWindow(in icsIn) (err error) {
	if in.From == nil && in.Until == nil {
		return nil
	}
	c.unfold = true
	if in.From != nil {
		if c.from, err = c.moment("from", *in.From); err != nil {
			return err
		}
		c.until = c.from.AddDate(1, 0, 0)
	}
	if in.Until != nil {
		c.until, err = c.moment("until", *in.Until)
	}
	return err
}

func (c *calendar) moment(port, text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(text), c.at); err == nil {
			return t, nil
		}
	}
	return time.Time{}, wrong("%s is %q; write it as 2026-01-31 or 2026-01-31T18:05:09Z", port, cut(text))
}
