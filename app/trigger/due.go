package trigger

import (
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// onTime is how late a time may be handled without counting as missed.
const onTime = time.Minute

// maxPassed bounds how many missed times are counted.
const maxPassed = 100_000

// timesOutcome says what happens to the past times of a trigger.
type timesOutcome struct {
	t       *armed
	missed  int // how many of them do not fire
	firings []Firing
}

// fireDue fires the past times of triggers, enqueues all runs together, and plans the next times.
// If the runs cannot be enqueued, it retries a little later.
func (s *Service) fireDue(due []*armed, now time.Time) error {
	if len(due) == 0 {
		return nil
	}
	s.mu.Lock()
	var all []*timesOutcome
	var firings []Firing
	for _, t := range due {
		c := s.resumePending(t, now)
		if c == nil {
			c = s.decideTimes(t, now)
		}
		all, firings = append(all, c), append(firings, c.firings...)
	}
	s.mu.Unlock()
	made, err := s.enqueueTimes(firings)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.release(len(firings), len(firings)*timeBytes)
	for _, w := range made {
		if !w.Known {
			s.count(w.Type).Fired++
			s.enqueue(w)
		}
	}
	if err != nil {
		if s.life.Err() == nil {
			s.Log.Error("the runs of schedules cannot be enqueued; retrying", "error", err)
		}
		for _, c := range all {
			s.planAt(c.t, now.Add(retryAfter))
		}
		return err
	}
	for _, c := range all {
		s.finishTimes(c, made[:len(c.firings)], now)
		made = made[len(c.firings):]
	}
	return nil
}

// enqueueTimes saves the pending times, then enqueues their runs. It enqueues also if the save
// fails: then only a crash right now could count the wrong times as missed.
func (s *Service) enqueueTimes(firings []Firing) ([]Waiting, error) {
	if len(firings) == 0 {
		return nil, nil
	}
	s.flush()
	return s.Host.Wait(s.life, firings)
}

// timeBytes is the approximate size of the outputs of a schedule.
const timeBytes = 100

// decideTimes decides which past times of a trigger fire, and remembers them as pending. The
// caller holds mu.
func (s *Service) decideTimes(t *armed, now time.Time) *timesOutcome {
	m := t.memory.clone()
	times, passed := t.passed(m.Last, now)
	if passed == 0 { // the clock was set back by less than minSetBack
		return &timesOutcome{t: t}
	}
	before := pendingTimes{Last: m.Last, Missed: m.Missed, Unreported: m.Unreported, Turn: m.Turn}
	m.Last = times[len(times)-1]
	if passed == maxPassed {
		m.Last = now // ignore the rest
	}
	fires := t.timesToFire(times, now)
	if n := passed - len(fires); n > 0 {
		m.miss(n)
		s.Log.Warn("a schedule has missed times", "workflow", t.of.Definition.ID, "node", t.node, "missed", n)
	}
	for _, at := range fires {
		waiting := len(before.Times) + t.of.waiting(t.node)
		busy := t.times.Overlap == node.OverlapSkip && len(t.memory.Running)+waiting > 0
		if busy || waiting >= limit.WaitingTimes || s.inbox.reserve(1, timeBytes) != nil {
			m.miss(1)
			continue
		}
		before.Times = append(before.Times, pendingTime{at, m.Unreported})
		m.Unreported = 0
	}
	if len(before.Times) > 0 {
		m.Pending = &before
	}
	s.remember(t, m)
	return s.pendingOutcome(t, now, m.Missed-before.Missed)
}

// finishTimes records that the times of a trigger are handled, and plans the next one. The caller
// holds mu.
func (s *Service) finishTimes(c *timesOutcome, made []Waiting, now time.Time) {
	t := c.t
	s.count(t.typ).Missed += c.missed
	if len(made) > 0 {
		m := t.memory.clone()
		m.Pending, m.FiredAt, m.RunID, m.Error = nil, now, made[len(made)-1].RunID, ""
		s.rememberLazily(t, m) // after a crash, resumePending finds the run by its key
	}
	s.plan(t)
}

// passed returns the latest times after last that have come by now, at least limit.CaughtUp of
// them, and how many there are in all.
func (t *armed) passed(last, now time.Time) (times []time.Time, n int) {
	for at := t.times.Next(last); !at.IsZero() && !at.After(now) && n < maxPassed; at = t.times.Next(at) {
		n++
		if times = append(times, at); len(times) >= 2*limit.CaughtUp {
			times = append(times[:0], times[len(times)-limit.CaughtUp:]...)
		}
	}
	return times, n
}

// timesToFire returns the past times that fire, by the policy of the schedule.
func (t *armed) timesToFire(passed []time.Time, now time.Time) []time.Time {
	last := passed[len(passed)-1:]
	switch t.times.Missed {
	case node.MissedAll:
		return passed[max(0, len(passed)-limit.CaughtUp):]
	case node.MissedSkip:
		if now.Sub(last[0]) > onTime+t.times.Jitter {
			return nil
		}
	}
	return last
}
