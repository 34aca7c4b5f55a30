package trigger

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// putting is what a trigger was about to put down: it is on the disk before the first run of
// it is, so that whoever comes after a crash puts down the same, and tells the same times as
// missed, whatever has passed in between.
type putting struct {
	// Last, Missed and Untold are what the trigger remembered before.
	Last   time.Time `json:"last"`
	Missed int       `json:"missed,omitempty"`
	Untold int       `json:"untold,omitempty"`
	// Turn is that of the clock, and Times are those that fire.
	Turn  int    `json:"turn,omitempty"`
	Times []told `json:"times"`
}

// told is a time that fires, and how many missed ones its firing tells.
type told struct {
	At     time.Time `json:"at"`
	Missed int       `json:"missed,omitempty"`
}

// unfinished returns the times of a trigger that were being put down when something kept it
// from that: a crash, or the disk. If there is a run of one of them, they are as they were
// told; else they are as good as never dealt with, and what passed since decides of them, too,
// which nil says. The caller holds the lock.
func (s *Service) unfinished(t *armed, now time.Time) *come {
	p := t.memory.Putting
	if p == nil {
		return nil
	}
	for i := range p.Times {
		if runID, err := s.Host.Made(s.life, p.key(t, i)); runID == "" && err == nil {
			continue
		}
		s.inbox.hold(len(p.Times), len(p.Times)*timeBytes)
		return s.puts(t, now, t.memory.Missed-p.Missed)
	}
	m := t.memory.clone()
	m.Missed, m.Untold, m.Putting = p.Missed, p.Untold, nil
	if p.Last.Before(m.Last) { // else the clock was set back behind it since then
		m.Last = p.Last
	}
	s.remember(t, m)
	return nil
}

// puts returns what a trigger remembers to be putting down, and how many times come to nothing.
func (s *Service) puts(t *armed, now time.Time, missed int) *come {
	c := &come{t: t, missed: missed}
	if p := t.memory.Putting; p != nil {
		for i, f := range p.Times {
			c.firings = append(c.firings, Firing{
				Definition: t.of.Definition, StartedBy: run.StartedBy{Trigger: t.node, Type: t.typ},
				Firing: &engine.Firing{Node: t.node, Outputs: t.times.Outputs(f.At, now, f.Missed)},
				Armed:  s.others.armed(),
				Key:    p.key(t, i),
			})
		}
	}
	return c
}

// key names a time that fires; see [armed.key].
func (p *putting) key(t *armed, i int) string {
	return t.key("%s %d", p.Times[i].At.UTC().Format(time.RFC3339Nano), p.Turn)
}
