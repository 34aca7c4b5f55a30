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

// comesDue makes firings of the times of a trigger that have come, and plans its next one.
func (s *Service) comesDue(t *armed, now time.Time) {
	m := t.memory.clone()
	come, passed := t.passed(m.Last, now)
	if passed == 0 { // the clock was set back a little
		s.plan(t)
		return
	}
	m.Last = come[len(come)-1]
	if passed == mostPassed {
		m.Last = now // there may be more, and nobody wants them
	}
	fires := t.chosen(come, now)
	lost := passed - len(fires)
	m.Missed, m.Untold = m.Missed+lost, m.Untold+lost
	for _, at := range fires {
		if t.times.Overlap == node.OverlapSkip && len(m.Running)+len(m.Waiting) > 0 || len(m.Waiting) >= limit.WaitingFirings {
			m.Missed, m.Untold = m.Missed+1, m.Untold+1
			continue
		}
		m.Waiting = append(m.Waiting, firing{Scheduled: at, Turn: m.Turn, Missed: m.Untold})
		m.Untold = 0
	}
	if lost > 0 {
		s.Log.Warn("times of a trigger have passed", "workflow", t.of.Definition.ID, "node", t.node, "missed", lost)
	}
	s.remember(t, m)
	if len(m.Waiting) > 0 {
		s.waits[t.of.Definition.ID] = t.of
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
