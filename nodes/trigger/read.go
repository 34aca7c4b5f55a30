package trigger

import (
	"time"

	"github.com/svcflow/svc/engine/node"
)

// The limits of a schedule's settings.
const (
	shortestEvery = time.Second
	longestEvery  = 366 * 24 * time.Hour
	longestJitter = time.Hour
)

// scheduleReader parses the settings of a schedule and collects the mistakes.
type scheduleReader struct {
	config   map[string]any
	zone     *time.Location
	problems []node.Problem
}

func (r *scheduleReader) invalid(port, format string, args ...any) {
	r.problems = append(r.problems, node.Invalid(port, format, args...))
}

func (r *scheduleReader) text(port string) string {
	text, _ := r.config[port].(string)
	return text
}

func (r *scheduleReader) read() *schedule {
	s := &schedule{zone: r.zone, first: r.moment("from"), last: r.moment("until")}
	cron, every := r.text("cron"), r.text("every")
	switch {
	case cron != "" && every != "":
		r.invalid("every", "give either cron or every, not both")
	case cron == "" && every == "":
		r.invalid("cron", "say when it fires, in cron or in every")
	case cron != "":
		var err error
		if s.calendar, err = parseCron(cron); err != nil {
			r.invalid("cron", "%v", err)
		}
	default:
		s.every = r.distance(every)
	}
	jitter, _ := r.config["jitterMs"].(int)
	s.jitter = time.Duration(jitter) * time.Millisecond
	if jitter < 0 || jitter > int(longestJitter/time.Millisecond) {
		r.invalid("jitterMs", "it is a number from 0 to %d", longestJitter/time.Millisecond)
	}
	if len(r.problems) == 0 {
		r.checkBounds(s)
	}
	return s
}

func (r *scheduleReader) distance(text string) time.Duration {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		r.invalid("every", "%.64q is no distance in time; write it as 30s, 15m or 1h30m", text)
	case d < shortestEvery:
		r.invalid("every", "%s is too short; it is at least a second", text)
	case d > longestEvery:
		r.invalid("every", "%s is too long; it is at most 366 days, that is 8784h", text)
	case d%time.Second != 0:
		r.invalid("every", "%s is no whole number of seconds", text)
	}
	return d
}

// momentLayouts returns the formats of a moment: with an offset from UTC, or without one,
// in the zone of the schedule.
func momentLayouts() []string {
	return []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}
}

func (r *scheduleReader) moment(port string) time.Time {
	text := r.text(port)
	if text == "" {
		return time.Time{}
	}
	for _, layout := range momentLayouts() {
		if at, err := time.ParseInLocation(layout, text, r.zone); err == nil {
			return at
		}
	}
	r.invalid(port, "%.64q is no moment; write it as 2026-01-31 or 2026-01-31T08:00:00", text)
	return time.Time{}
}

// checkBounds reports a schedule whose end is not after its start.
func (r *scheduleReader) checkBounds(s *schedule) {
	switch {
	case s.first.IsZero() || s.last.IsZero():
	case !s.first.Before(s.last):
		r.invalid("until", "it is not behind from")
	case s.next(s.first.Add(-1)).IsZero():
		r.invalid("until", "no time of the schedule lies between from and until")
	}
}
