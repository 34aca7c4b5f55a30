package trigger

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// onTime is how late a time may be dealt with that was not missed.
const onTime = time.Minute

// mostPassed bounds how many times are counted that passed while nobody was there.
const mostPassed = 100_000

// come is what becomes of the times of a trigger that have come.
type come struct {
	t       *armed
	last    time.Time // up to which all is dealt with
	missed  int       // how many of them come to nothing
	untold  int       // how many did since the last firing
	firings []Firing
}

// comeDue makes firings of the times of triggers that have come, all of them in one go, and
// plans their next ones. Times whose firings cannot be put down come again a little later.
func (s *Service) comeDue(due []*armed, now time.Time) error {
	if len(due) == 0 {
		return nil
	}
	s.mu.Lock()
	var all []*come
	var firings []Firing
	for _, t := range due {
		c := s.comesDue(t, now)
		all, firings = append(all, c), append(firings, c.firings...)
	}
	s.mu.Unlock()
	made, err := s.Host.Wait(s.life, firings)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.give(len(firings), len(firings)*timeBytes)
	for _, w := range made {
		if !w.Known {
			s.count(w.Type).Fired++
			s.enqueue(w)
		}
	}
	if err != nil {
		if s.life.Err() == nil {
			s.Log.Error("times of triggers cannot be put down; it is tried again", "error", err)
		}
		for _, c := range all {
			s.planAt(c.t, now.Add(askAgain))
		}
		return err
	}
	for _, c := range all {
		s.dealtWith(c, made[:len(c.firings)], now)
		made = made[len(c.firings):]
	}
	return nil
}

// timeBytes is about how much a schedule puts out.
const timeBytes = 100

// comesDue tells what becomes of the times of a trigger that have come. The caller holds the
// lock.
func (s *Service) comesDue(t *armed, now time.Time) *come {
	c := &come{t: t, last: t.memory.Last, untold: t.memory.Untold}
	times, passed := t.passed(t.memory.Last, now)
	if passed == 0 { // the clock was set back a little
		return c
	}
	c.last = times[len(times)-1]
	if passed == mostPassed {
		c.last = now // there may be more, and nobody wants them
	}
	fires := t.chosen(times, now)
	c.miss(passed - len(fires))
	if c.missed > 0 {
		s.Log.Warn("times of a trigger have passed", "workflow", t.of.Definition.ID, "node", t.node, "missed", c.missed)
	}
	for _, at := range fires {
		waiting := len(c.firings) + t.of.waiting(t.node)
		busy := t.times.Overlap == node.OverlapSkip && len(t.memory.Running)+waiting > 0
		if busy || waiting >= limit.WaitingTimes || s.inbox.take(1, timeBytes) != nil {
			c.miss(1)
			continue
		}
		c.firings = append(c.firings, Firing{
			Definition: t.of.Definition, StartedBy: run.StartedBy{Trigger: t.node, Type: t.typ},
			Firing: &engine.Firing{Node: t.node, Outputs: t.times.Outputs(at, now, c.untold)},
			Key:    t.key("%s %d", at.UTC().Format(time.RFC3339Nano), t.memory.Turn),
		})
		c.untold = 0
	}
	return c
}

func (c *come) miss(n int) { c.missed, c.untold = c.missed+n, c.untold+n }

// dealtWith has a trigger remember what became of its times. The caller holds the lock.
func (s *Service) dealtWith(c *come, made []Waiting, now time.Time) {
	t := c.t
	m := t.memory.clone()
	m.Last, m.Untold = c.last, c.untold
	m.Missed += c.missed
	s.count(t.typ).Missed += c.missed
	if len(made) > 0 {
		m.FiredAt, m.RunID, m.Error = now, made[len(made)-1].RunID, ""
	}
	s.remember(t, m)
	s.plan(t)
}

// passed returns the last times behind one that have come by now, and how many there are.
func (t *armed) passed(last, now time.Time) (come []time.Time, n int) {
	for at := t.times.Next(last); !at.IsZero() && !at.After(now) && n < mostPassed; at = t.times.Next(at) {
		n++
		if come = append(come, at); len(come) >= 2*limit.CaughtUp {
			come = append(come[:0], come[len(come)-limit.CaughtUp:]...)
		}
	}
	return come, n
}

// chosen returns the times among those that have come which are to fire.
func (t *armed) chosen(come []time.Time, now time.Time) []time.Time {
	last := come[len(come)-1:]
	switch t.times.Missed {
	case node.MissedAll:
		return come[max(0, len(come)-limit.CaughtUp):]
	case node.MissedSkip:
		if now.Sub(last[0]) > onTime+t.times.Jitter {
			return nil
		}
	}
	return last
}
