package trigger

import (
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/zone"
)

func scheduleNode(zones *zone.Table) node.Node {
	text := func(name, description string) node.Port {
		return setting(node.Port{Name: name, Type: value.String(), Optional: true, Description: description})
	}
	choice := func(name, preset, description string, words ...string) node.Port {
		return setting(node.Port{Name: name, Type: value.EnumOf(words...), Default: preset, Description: description})
	}
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.schedule", Label: "Schedule", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("cron, timer, every day, daily, interval, clock, at a time", "zeitplan, cron, täglich, jeden tag, intervall, uhrzeit"),
			Example: &node.Example{Config: map[string]any{"cron": "0 8 * * 1-5", "timezone": "Europe/Berlin"}},
			Card:    node.Card{Shape: "card", Color: "#B45309", Icon: "clock"},
			Description: "Starts the workflow at times, once it is active.\n\n" +
				"Example: with `cron` = `0 8 * * 1-5` and `timezone` = `Europe/Berlin` it fires at eight in the morning from Monday to Friday, in " +
				"summer and in winter; with `every` = `15m`, at each quarter of an hour.\n\n" +
				"`cron` has five fields: minute, hour, day of the month, month and day of the week (0 and 7 are Sunday); with six, the first are " +
				"seconds. A field is `*`, a number or name, a range `1-5`, steps `*/15`, or several of these with commas. Besides, a day of the month " +
				"can be `L` (the last), `L-2`, `15W` (the working day nearest to the 15th) or `LW`, a day of the week `FRI#2` (the second Friday) or " +
				"`FRI#L` (the last). If both days are restricted, one of them is enough. Words are `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly`.\n\n" +
				"A time that clocks jump over in spring comes at the end of the jump; one that they show twice in autumn comes the first time only. " +
				"`every` knows neither.",
			Inputs: []node.Port{
				text("cron", "When to fire, as a cron expression. Give this or `every`."),
				text("every", "The distance between two times, at least a second: `30s`, `15m`, `1h30m`. It counts from `from`, else from midnight UTC of 1970-01-01."),
				setting(node.Port{Name: "timezone", Type: value.String(), Default: "UTC", Description: "The zone of `cron`, `from`, `until` and the outputs: a name such as Europe/Berlin."}),
				setting(node.Port{Name: "jitterMs", Type: value.Int(), Default: 0, Description: "By how many milliseconds at most a firing is put off by chance; up to an hour."}),
				choice("missed", "once", "What becomes of times at which no server was there: nothing, one firing for all of them, or one for each, up to 100.", "skip", "once", "all"),
				choice("overlap", "queue", "What becomes of a firing while the run of the one before goes on: nothing, it waits, or both go on.", "skip", "queue", "allow"),
				text("from", "The first moment at which it may fire, such as 2026-01-31 or 2026-01-31T08:00:00."),
				text("until", "From this moment on it does not fire any more."),
			},
			Outputs: []node.Port{
				{Name: "scheduled", Type: value.String(), Description: "The time that the schedule names, such as 2026-01-31T08:00:00.000+01:00."},
				{Name: "time", Type: value.String(), Description: "The time at which it fired."},
				{Name: "missed", Type: value.Int(), Description: "How many times before this one were missed."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) { return bindSchedule(b, zones) },
	}
}

func bindSchedule(b node.Binding, zones *zone.Table) (node.Bound, []node.Problem) {
	r := &scheduleReader{config: b.Config, zone: time.UTC}
	at, err := zones.Find(r.text("timezone"))
	if err != nil {
		r.invalid("timezone", "%v", err)
		return node.Bound{}, r.problems
	}
	r.zone = at
	s := r.read()
	if len(r.problems) > 0 {
		return node.Bound{}, r.problems
	}
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs,
		Sample: func(now time.Time) map[string]any { return s.outputs(now, now, 0) },
		Source: node.Times{
			Next: s.next, Jitter: s.jitter, Outputs: s.outputs,
			Missed: node.Missed(r.text("missed")), Overlap: node.Overlap(r.text("overlap")),
		},
	}, nil
}

// schedule computes firing times from a calendar or an interval.
type schedule struct {
	calendar    *calendar     // nil if every is set
	every       time.Duration // counted from first, or from 1970
	zone        *time.Location
	first, last time.Time // zero if not set; last is exclusive
	jitter      time.Duration
}

func (s *schedule) next(after time.Time) time.Time {
	if before := s.first.Add(-1); !s.first.IsZero() && after.Before(before) {
		after = before
	}
	at := s.unbounded(after)
	if !s.last.IsZero() && !at.Before(s.last) {
		return time.Time{}
	}
	return at
}

func (s *schedule) unbounded(after time.Time) time.Time {
	if s.calendar != nil {
		return s.calendar.next(after, s.zone)
	}
	anchor := s.first
	if anchor.IsZero() {
		anchor = time.Unix(0, 0)
	}
	passed := after.Sub(anchor)
	if passed < 0 {
		return anchor.In(s.zone)
	}
	return anchor.Add(passed - passed%s.every + s.every).In(s.zone)
}

func (s *schedule) outputs(scheduled, now time.Time, missed int) map[string]any {
	return map[string]any{
		"scheduled": scheduled.In(s.zone).Format(timeLayout), "time": now.In(s.zone).Format(timeLayout), "missed": missed,
	}
}
