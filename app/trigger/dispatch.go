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

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// dispatch lets runs begin that wait, as long as there are places: in order within a
// workflow, and one workflow after the other.
func (s *Service) dispatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocked = false
	ids := slices.Sorted(maps.Keys(s.waits))
	for idle := 0; idle < len(ids) && !s.blocked && s.running < s.Places; {
		a := s.waits[ids[s.turn%len(ids)]]
		s.turn++
		if a == nil { // it has fallen asleep while another run began
			idle++
		} else if i := a.next(); i >= 0 {
			s.begin(a, a.queue[i].RunID)
			idle = 0
		} else {
			idle++
		}
	}
	maps.DeleteFunc(s.waits, func(_ string, a *active) bool { return len(a.queue) == 0 })
}

// next returns the place of the run that has waited longest among those that may begin; -1
// if none may.
func (a *active) next() int {
	if a.Concurrency > 0 && a.running >= a.Concurrency {
		return -1
	}
	return slices.IndexFunc(a.queue, func(w Waiting) bool {
		t := a.trigger(w.Node)
		return t == nil || t.times == nil || t.times.Overlap == node.OverlapAllow || len(t.memory.Running) == 0
	})
}

// trigger returns the trigger of a node; nil if there is none.
func (a *active) trigger(nodeID string) *armed {
	if i := slices.IndexFunc(a.triggers, func(t *armed) bool { return t.node == nodeID }); i >= 0 {
		return a.triggers[i]
	}
	return nil
}

// begin lets a run begin that waits. The caller holds the lock, which is given up for as long
// as that takes.
func (s *Service) begin(a *active, runID string) {
	w := s.dequeue(runID)
	s.running++
	a.running++ // from now on, so that the workflow does not fall asleep meanwhile
	s.mu.Unlock()
	err := s.Host.Begin(s.life, runID, s.others.armed())
	s.mu.Lock()
	if err != nil {
		s.running--
		a.running--
	}
	switch {
	case errors.Is(err, ErrGone):
		return
	case err != nil:
		if !errors.Is(err, ErrFull) && s.life.Err() == nil {
			s.Log.Error("a run cannot begin that waits; it is tried again", "workflow", w.WorkflowID, "run", runID, "error", err)
		}
		s.blocked = true
		a.queue = slices.Insert(a.queue, 0, w)
		s.inbox.firings, s.inbox.bytes = s.inbox.firings+1, s.inbox.bytes+w.Bytes
		s.inbox.of[runID] = a
		return
	}
	t := a.trigger(w.Node)
	if t == nil {
		t = &armed{of: a, node: w.Node, left: true, place: -1}
		a.former = append(a.former, t)
	}
	s.Log.Info("trigger fired", "workflow", w.WorkflowID, "node", w.Node, "run", runID)
	m := t.memory.clone()
	m.Running = append(m.Running, going{RunID: runID})
	s.rememberSoon(t, m) // after a crash, the host tells of it
	s.await(t, runID)
}

// key names a firing among all that ever were, so that it makes one run, whatever happens
// between its start and the moment in which that is remembered. No client can send it: it
// begins with a character that no header may have.
func (t *armed) key(format string, what ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s %s", t.of.Definition.ID, t.node,
		t.since.UTC().Format(time.RFC3339Nano), fmt.Sprintf(format, what...)))
	return "\x00trigger:" + hex.EncodeToString(sum[:])
}

// follow counts a run that a trigger has started, and waits for its end. The caller holds the
// lock.
func (s *Service) follow(t *armed, runID string) {
	s.running++
	t.of.running++
	s.await(t, runID)
}

// await waits for the end of a run that is counted.
func (s *Service) await(t *armed, runID string) {
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
	s.rememberSoon(t, m)
	if goesOn == "" {
		s.running--
		t.of.running--
		t.of.former = slices.DeleteFunc(t.of.former, func(f *armed) bool { return f == t })
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
