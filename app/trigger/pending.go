package trigger

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// pendingTimes are times of a schedule that are being enqueued. They are saved before the first
// run is, so that after a crash the next process enqueues the same runs and counts the same times
// as missed, however long it was away.
type pendingTimes struct {
	// Last, Missed and Unreported are those of the memory before.
	Last       time.Time `json:"last"`
	Missed     int       `json:"missed,omitempty"`
	Unreported int       `json:"untold,omitempty"`
	// Turn is that of the memory, and Times are those that fire.
	Turn  int           `json:"turn,omitempty"`
	Times []pendingTime `json:"times"`
}

// pendingTime is a time that fires, and how many missed ones its firing reports.
type pendingTime struct {
	At     time.Time `json:"at"`
	Missed int       `json:"missed,omitempty"`
}

// resumePending returns the times that a trigger was enqueueing when a crash or a failed write
// stopped it. If none of them has a run yet, it restores the memory before them and returns nil:
// the caller decides anew, and counts what passed since. The caller holds mu.
func (s *Service) resumePending(t *armed, now time.Time) *timesOutcome {
	p := t.memory.Pending
	if p == nil {
		return nil
	}
	for i := range p.Times {
		if runID, err := s.Host.RunByKey(s.life, p.key(t, i)); runID == "" && err == nil {
			continue
		}
		s.inbox.reserveAnyway(len(p.Times), len(p.Times)*timeBytes)
		return s.pendingOutcome(t, now, t.memory.Missed-p.Missed)
	}
	m := t.memory.clone()
	m.Missed, m.Unreported, m.Pending = p.Missed, p.Unreported, nil
	if p.Last.Before(m.Last) { // otherwise the clock was set back meanwhile
		m.Last = p.Last
	}
	s.remember(t, m)
	return nil
}

// pendingOutcome returns the firings of the pending times. missed is how many other times do not
// fire.
func (s *Service) pendingOutcome(t *armed, now time.Time, missed int) *timesOutcome {
	c := &timesOutcome{t: t, missed: missed}
	if p := t.memory.Pending; p != nil {
		for i, f := range p.Times {
			c.firings = append(c.firings, Firing{
				Definition: t.of.Definition, StartedBy: run.StartedBy{Trigger: t.node, Type: t.typ},
				Firing: &engine.Firing{Node: t.node, Outputs: t.times.Outputs(f.At, now, f.Missed)},
				Armed:  s.peers.epoch(),
				Key:    p.key(t, i),
			})
		}
	}
	return c
}

// key returns the key of a pending time; see [armed.key].
func (p *pendingTimes) key(t *armed, i int) string {
	return t.key("%s %d", p.Times[i].At.UTC().Format(time.RFC3339Nano), p.Turn)
}
