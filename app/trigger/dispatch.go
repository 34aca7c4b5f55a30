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

// dispatch starts queued runs while there are slots: in order within a workflow, and round robin
// over the workflows.
func (s *Service) dispatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noSlot = false
	ids := slices.Sorted(maps.Keys(s.withQueue))
	for idle := 0; idle < len(ids) && !s.noSlot && s.running < s.Slots; {
		a := s.withQueue[ids[s.nextTurn%len(ids)]]
		s.nextTurn++
		if a == nil { // it was unloaded while another run began
			idle++
		} else if i := a.next(); i >= 0 {
			s.begin(a, a.queue[i].RunID)
			idle = 0
		} else {
			idle++
		}
	}
	maps.DeleteFunc(s.withQueue, func(_ string, a *active) bool { return len(a.queue) == 0 })
}

// next returns the index in the queue of the oldest run that may start; -1 if none may.
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

// begin starts a queued run. The caller holds mu; begin unlocks it while the host starts the run.
func (s *Service) begin(a *active, runID string) {
	w := s.dequeue(runID)
	s.running++
	a.running++ // already here, so that the workflow is not unloaded meanwhile
	s.mu.Unlock()
	err := s.Host.Begin(s.life, runID, s.peers.epoch())
	s.mu.Lock()
	if err != nil {
		s.running--
		a.running--
	}
	switch {
	case errors.Is(err, ErrNotWaiting):
		return
	case err != nil:
		if !errors.Is(err, ErrNoSlot) && s.life.Err() == nil {
			s.Log.Error("a queued run cannot begin; retrying", "workflow", w.WorkflowID, "run", runID, "error", err)
		}
		s.noSlot = true
		a.queue = slices.Insert(a.queue, 0, w)
		s.inbox.firings, s.inbox.bytes = s.inbox.firings+1, s.inbox.bytes+w.Bytes
		s.inbox.of[runID] = a
		return
	}
	t := a.trigger(w.Node)
	if t == nil {
		t = &armed{of: a, node: w.Node, former: true, heapIndex: -1}
		a.former = append(a.former, t)
	}
	s.Log.Info("trigger fired", "workflow", w.WorkflowID, "node", w.Node, "run", runID)
	m := t.memory.clone()
	m.Running = append(m.Running, startedRun{RunID: runID})
	s.rememberLazily(t, m) // after a crash, Host.Interrupted returns the run
	s.await(t, runID)
}

// key returns the key of a firing. It is unique among all firings ever, so that each starts one
// run, even if a crash comes between the start and the save of the memory. The first character is
// not allowed in headers, so no client can send such a key.
func (t *armed) key(format string, what ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s %s", t.of.Definition.ID, t.node,
		t.since.UTC().Format(time.RFC3339Nano), fmt.Sprintf(format, what...)))
	return "\x00trigger:" + hex.EncodeToString(sum[:])
}

// follow counts a run of a trigger and waits for its end. The caller holds mu.
func (s *Service) follow(t *armed, runID string) {
	s.running++
	t.of.running++
	s.await(t, runID)
}

// await waits for the end of a run that is already counted, and of those that resume it.
func (s *Service) await(t *armed, runID string) {
	s.goroutines.Go(func() {
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

// ended removes a run from the memory of its trigger. If the run was interrupted, ended resumes
// it and returns the id of the new run.
func (s *Service) ended(t *armed, runID string, interrupted bool) (resumed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if interrupted {
		resumed = s.resume(t, runID)
	}
	if t.replaced || s.life.Err() != nil && resumed == "" {
		return ""
	}
	m := t.memory.clone()
	if i := m.indexOfRun(runID); i >= 0 && resumed != "" {
		m.Running[i] = startedRun{resumed, m.Running[i].Resumed + 1}
	} else if i >= 0 {
		m.Running = slices.Delete(m.Running, i, i+1)
	}
	s.rememberLazily(t, m)
	if resumed == "" {
		s.running--
		t.of.running--
		t.of.former = slices.DeleteFunc(t.of.former, func(f *armed) bool { return f == t })
		s.wakeUp()
	}
	return resumed
}

// indexOfRun returns the index of a run in Running, or -1.
func (m *memory) indexOfRun(id string) int {
	return slices.IndexFunc(m.Running, func(g startedRun) bool { return g.RunID == id })
}

// resume resumes an interrupted run, if its workflow wants that, and returns the id of the new
// run. While there is no slot it retries. The caller holds mu; resume unlocks it between
// attempts.
func (s *Service) resume(t *armed, runID string) string {
	for !t.replaced && t.of.OnInterrupted != run.Leave && s.life.Err() == nil {
		if i := t.memory.indexOfRun(runID); i < 0 || t.memory.Running[i].Resumed >= limit.ResumedByItself {
			return ""
		}
		id, err := s.Host.Resume(context.WithoutCancel(s.life), runID)
		switch {
		case err == nil:
			s.Log.Info("interrupted run resumed", "workflow", t.of.Definition.ID, "node", t.node, "run", id, "resumed", runID)
			return id
		case !errors.Is(err, ErrNoSlot):
			s.Log.Warn("an interrupted run cannot be resumed", "run", runID, "error", err)
			return ""
		}
		s.mu.Unlock()
		select {
		case <-time.After(retryAfter):
		case <-s.life.Done():
		}
		s.mu.Lock()
	}
	return ""
}
