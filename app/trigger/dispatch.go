package trigger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// dispatch starts runs for firings that wait, as long as there are places: in order within
// a workflow, and one workflow after the other.
func (s *Service) dispatch(now time.Time) {
	s.blocked = false
	ids := slices.Sorted(maps.Keys(s.waits))
	for idle := 0; idle < len(ids) && !s.blocked; {
		a := s.waits[ids[s.turn%len(ids)]]
		s.turn++
		if t := a.next(); t != nil && s.running < s.Places && s.begin(t, now) {
			idle = 0
		} else {
			idle++
		}
	}
	maps.DeleteFunc(s.waits, func(_ string, a *active) bool {
		return !slices.ContainsFunc(a.triggers, func(t *armed) bool { return len(t.memory.Waiting) > 0 })
	})
}

// next returns the trigger whose first firing has waited longest among those that may run.
func (a *active) next() (first *armed) {
	if a.Concurrency > 0 && a.running >= a.Concurrency {
		return nil
	}
	for _, t := range a.triggers {
		switch {
		case len(t.memory.Waiting) == 0:
		case len(t.memory.Running) > 0 && t.times.Overlap != node.OverlapAllow:
		case first == nil || t.memory.Waiting[0].Scheduled.Before(first.memory.Waiting[0].Scheduled):
			first = t
		}
	}
	return first
}

// begin starts a run for the first firing that waits at a trigger, and reports whether
// that is dealt with.
func (s *Service) begin(t *armed, now time.Time) bool {
	m := t.memory.clone()
	f := m.Waiting[0]
	m.Waiting = m.Waiting[1:]
	id, err := s.Host.Start(s.life, t.of.Definition, &engine.Firing{
		Node: t.node, Outputs: t.times.Outputs(f.Scheduled, now, f.Missed),
	}, t.key(f))
	var invalid engine.ValidationErrors
	switch {
	case errors.As(err, &invalid):
		s.Log.Warn("a firing came to nothing", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
		m.Missed, m.Untold, m.Error = m.Missed+1, m.Untold+1, invalid.Error()
		s.remember(t, m)
		return true
	case err != nil:
		if !errors.Is(err, ErrFull) && s.life.Err() == nil {
			s.Log.Error("a run cannot be started for a trigger; it is tried again", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
		}
		s.blocked = true
		return false
	}
	s.Log.Info("trigger fired", "workflow", t.of.Definition.ID, "node", t.node, "run", id)
	m.FiredAt, m.RunID, m.Error = now, id, ""
	m.Running = append(m.Running, going{RunID: id})
	s.remember(t, m) // if that fails and the service ends, the same key finds the run
	s.follow(t, id)
	return true
}

// key names a firing among all that ever were, so that it makes one run, whatever happens
// between its start and the moment in which that is remembered. No client can send it: it
// begins with a character that no header may have.
func (t *armed) key(f firing) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s %s %d", t.of.Definition.ID, t.node,
		t.since.UTC().Format(time.RFC3339Nano), f.Scheduled.UTC().Format(time.RFC3339Nano), f.Turn))
	return "\x00trigger:" + hex.EncodeToString(sum[:])
}

// follow waits for the end of a run that a trigger has started. The caller holds the lock.
func (s *Service) follow(t *armed, runID string) {
	s.running++
	t.of.running++
	s.inside.Go(func() {
		for runID != "" {
			interrupted, err := s.Host.Await(s.life, runID)
			if s.life.Err() != nil {
				return
			}
			if err != nil && !errors.Is(err, store.ErrRunNotFound) {
				s.Log.Error("a run of a trigger cannot be followed", "run", runID, "error", err)
			}
			runID = s.ended(t, runID, interrupted)
		}
	})
}

// ended takes a run that has ended off the list of a trigger, or lets another one go on
// with it, whose id it returns.
func (s *Service) ended(t *armed, runID string, interrupted bool) (goesOn string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if interrupted {
		goesOn = s.resume(t, runID)
	}
	if t.gone || s.life.Err() != nil && goesOn == "" {
		return ""
	}
	m := t.memory.clone()
	if i := m.run(runID); i >= 0 && goesOn != "" {
		m.Running[i] = going{goesOn, m.Running[i].Resumed + 1}
	} else if i >= 0 {
		m.Running = slices.Delete(m.Running, i, i+1)
	}
	s.remember(t, m)
	if goesOn == "" {
		s.running--
		t.of.running--
		s.nudge()
	}
	return goesOn
}

// run returns the place of a run among those that go on, or -1.
func (m *memory) run(id string) int {
	return slices.IndexFunc(m.Running, func(g going) bool { return g.RunID == id })
}

// resume lets an interrupted run go on, if that is wanted, and returns the id of the run
// that does. While there is no place it waits for one, without the lock.
func (s *Service) resume(t *armed, runID string) string {
	for !t.gone && t.of.OnInterrupted != run.Leave && s.life.Err() == nil {
		if i := t.memory.run(runID); i < 0 || t.memory.Running[i].Resumed >= limit.ResumedByItself {
			return ""
		}
		id, err := s.Host.Resume(context.WithoutCancel(s.life), runID)
		switch {
		case err == nil:
			s.Log.Info("interrupted run resumed", "workflow", t.of.Definition.ID, "node", t.node, "run", id, "resumed", runID)
			return id
		case !errors.Is(err, ErrFull):
			s.Log.Warn("an interrupted run cannot be resumed", "run", runID, "error", err)
			return ""
		}
		s.mu.Unlock()
		select {
		case <-time.After(askAgain):
		case <-s.life.Done():
		}
		s.mu.Lock()
	}
	return ""
}
