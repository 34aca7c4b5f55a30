package trigger

import (
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// onTime is how late a time may be dealt with that was not missed.
const onTime = time.Minute

// mostPassed bounds how many times are counted that passed while nobody was there.
const mostPassed = 100_000

// come is what becomes of the times of a trigger that have come.
type come struct {
	t       *armed
	missed  int // how many of them come to nothing
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
		c := s.unfinished(t, now)
		if c == nil {
			c = s.comesDue(t, now)
		}
		all, firings = append(all, c), append(firings, c.firings...)
	}
	s.mu.Unlock()
	made, err := s.putDown(firings)
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

// putDown puts down what triggers remember to be putting down. If that cannot be kept, the
// firings are worth more than that a crash right then counts the right ones as missed.
func (s *Service) putDown(firings []Firing) ([]Waiting, error) {
	if len(firings) == 0 {
		return nil, nil
	}
	s.flush()
	return s.Host.Wait(s.life, firings)
}

// timeBytes is about how much a schedule puts out.
const timeBytes = 100

// comesDue tells what becomes of the times of a trigger that have come, and has it remember
// that. The caller holds the lock.
func (s *Service) comesDue(t *armed, now time.Time) *come {
	m := t.memory.clone()
	times, passed := t.passed(m.Last, now)
	if passed == 0 { // the clock was set back a little
		return &come{t: t}
	}
	before := putting{Last: m.Last, Missed: m.Missed, Untold: m.Untold, Turn: m.Turn}
	m.Last = times[len(times)-1]
	if passed == mostPassed {
		m.Last = now // there may be more, and nobody wants them
	}
	fires := t.chosen(times, now)
	if n := passed - len(fires); n > 0 {
		m.miss(n)
		s.Log.Warn("times of a trigger have passed", "workflow", t.of.Definition.ID, "node", t.node, "missed", n)
	}
	for _, at := range fires {
		waiting := len(before.Times) + t.of.waiting(t.node)
		busy := t.times.Overlap == node.OverlapSkip && len(t.memory.Running)+waiting > 0
		if busy || waiting >= limit.WaitingTimes || s.inbox.take(1, timeBytes) != nil {
			m.miss(1)
			continue
		}
		before.Times = append(before.Times, told{at, m.Untold})
		m.Untold = 0
	}
	if len(before.Times) > 0 {
		m.Putting = &before
	}
	s.remember(t, m)
	return s.puts(t, now, m.Missed-before.Missed)
}

// dealtWith has a trigger remember that its times are dealt with. The caller holds the lock.
func (s *Service) dealtWith(c *come, made []Waiting, now time.Time) {
	t := c.t
	s.count(t.typ).Missed += c.missed
	if len(made) > 0 {
		m := t.memory.clone()
		m.Putting, m.FiredAt, m.RunID, m.Error = nil, now, made[len(made)-1].RunID, ""
		s.rememberSoon(t, m) // after a crash, the host tells of it
	}
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
