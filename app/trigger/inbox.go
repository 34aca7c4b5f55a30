package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Reasons to refuse a firing.
var (
	// ErrInboxFull means that the queue is full. Retry later.
	ErrInboxFull = errors.New("too many firings are waiting; try again later")
	// ErrDisarmed means that the trigger is not armed any more.
	ErrDisarmed = errors.New("the trigger is not armed any more")
	// ErrChain means that too many runs led to a firing, each through the end of the one before.
	ErrChain = fmt.Errorf("more than %d runs have started each other in a row", limit.Chain)
)

// Firing describes a run for a host to enqueue.
type Firing struct {
	Definition *workflow.Definition
	Firing     *engine.Firing
	StartedBy  run.StartedBy
	Key        string // idempotency key; "" for none
	RunID      string // id for the run; "" for a new one
	Armed      int64  // the leader's epoch in which it may be enqueued; 0 for any
	Files      []node.Upload
}

// Waiting is a queued run.
type Waiting struct {
	RunID, WorkflowID, Node, Type string
	At                            time.Time // when it was enqueued
	Bytes                         int       // approximate size of the trigger's outputs
	Known                         bool      // its key had started it before
}

// inbox is the queue of all workflows. The service's mu guards it.
type inbox struct {
	firings, bytes int
	of             map[string]*active // by run id
}

// reserve reserves room for firings, or returns [ErrInboxFull].
func (b *inbox) reserve(firings, bytes int) error {
	if b.firings+firings > limit.WaitingFirings || b.bytes+bytes > limit.WaitingBytes {
		return ErrInboxFull
	}
	b.firings, b.bytes = b.firings+firings, b.bytes+bytes
	return nil
}

// reserveAnyway reserves room for firings that had room before a crash.
func (b *inbox) reserveAnyway(firings, bytes int) {
	b.firings, b.bytes = b.firings+firings, b.bytes+bytes
}

// release gives room back.
func (b *inbox) release(firings, bytes int) { b.firings, b.bytes = b.firings-firings, b.bytes-bytes }

// fire enqueues a run for each firing of a source, then saves the memory of the source: JSON on
// one line, or nil to leave it as it is. Sources of all kinds use it. When it returns run ids,
// everything is on disk; concurrent calls share writes. After an error, firings with a key can be
// repeated. The caller does not hold mu.
func (s *Service) fire(t *armed, firings []node.Firing, memory []byte) (runIDs []string, err error) {
	if err := s.waitReady(s.life); err != nil {
		return nil, err
	}
	var found []Firing
	if len(firings) > 0 {
		if found, err = describe(s.life, s.Host, t, firings); err == nil {
			for i := range found {
				found[i].Armed = s.peers.epoch()
			}
			runIDs, err = s.enqueueFirings(t, found)
		}
		if err != nil {
			s.recordRefusal(t, err, len(firings))
			return nil, err
		}
	}
	if memory == nil {
		return runIDs, nil
	}
	return runIDs, s.saveSource(t, memory)
}

// describe turns firings of a source into those of the host.
func describe(ctx context.Context, host Host, t *armed, firings []node.Firing) ([]Firing, error) {
	all := make([]Firing, len(firings))
	for i := range firings {
		f := &firings[i]
		by := run.StartedBy{Trigger: t.node, Type: t.typ}
		if f.Cause != "" {
			by.Chain = host.Chain(ctx, f.Cause) + 1
		}
		if by.Chain > limit.Chain {
			return nil, node.Errorf(node.CodeLimitExceeded, "%w; the run %s starts no other", ErrChain, f.Cause)
		}
		all[i] = Firing{Definition: t.of.Definition, Firing: &engine.Firing{Node: t.node, Outputs: f.Outputs}, StartedBy: by, Files: f.Files}
		if f.Key != "" {
			all[i].Key = t.key("%s", f.Key)
		}
	}
	return all, nil
}

// enqueueFirings has the host enqueue firings, and adds their runs to the queue.
func (s *Service) enqueueFirings(t *armed, firings []Firing) (runIDs []string, err error) {
	bytes := 0
	for i := range firings {
		bytes += value.Size(firings[i].Firing.Outputs, limit.WaitingBytes)
	}
	s.mu.Lock()
	if t.replaced {
		err = ErrDisarmed
	} else {
		err = s.inbox.reserve(len(firings), bytes)
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	made, err := s.Host.Wait(s.life, firings)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.release(len(firings), bytes)
	for _, w := range made {
		runIDs = append(runIDs, w.RunID)
		if !w.Known {
			s.count(w.Type).Fired++
			s.enqueue(w)
		}
	}
	if now := s.current(t); now != nil && len(made) > 0 {
		m := now.memory.clone()
		m.FiredAt, m.RunID, m.Error = s.Now(), made[len(made)-1].RunID, ""
		s.rememberLazily(now, m)
	}
	s.wakeUp()
	return runIDs, err
}

// current returns the armed trigger of t's node: t, or its successor in a later revision; nil if
// there is none.
func (s *Service) current(t *armed) *armed {
	if !t.replaced {
		return t
	}
	if a := s.active[t.of.Definition.ID]; a != nil {
		return a.trigger(t.node)
	}
	return nil
}

// enqueue adds a run to the queue. If its workflow is not active any more, the run is cancelled.
// The caller holds mu.
func (s *Service) enqueue(w Waiting) {
	a := s.loaded(w.WorkflowID)
	if a == nil {
		s.goroutines.Go(func() { s.cancelQueued([]Waiting{w}) })
		return
	}
	if s.inbox.of[w.RunID] != nil || a.isRunning(w.RunID) {
		return // reported twice: by the process that enqueued it, and by a scan
	}
	a.queue = append(a.queue, w)
	s.inbox.firings, s.inbox.bytes = s.inbox.firings+1, s.inbox.bytes+w.Bytes
	s.inbox.of[w.RunID] = a
	s.withQueue[w.WorkflowID] = a
}

// isRunning reports whether a run of one of the triggers is in progress.
func (a *active) isRunning(runID string) bool {
	return slices.ContainsFunc(a.triggers, func(t *armed) bool { return t.memory.indexOfRun(runID) >= 0 })
}

// dequeue removes a run from the queue. If it is not there, it returns the zero Waiting. The
// caller holds mu.
func (s *Service) dequeue(runID string) (w Waiting) {
	a := s.inbox.of[runID]
	if a == nil {
		return w
	}
	i := slices.IndexFunc(a.queue, func(w Waiting) bool { return w.RunID == runID })
	w = a.queue[i]
	a.queue = slices.Delete(a.queue, i, i+1)
	delete(s.inbox.of, runID)
	s.inbox.release(1, w.Bytes)
	return w
}

// Forget removes a run from the queue after it was cancelled.
func (s *Service) Forget(runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dequeue(runID)
}

// cancelQueued has the host cancel runs.
func (s *Service) cancelQueued(all []Waiting) {
	for _, w := range all {
		if err := s.Host.Drop(context.WithoutCancel(s.life), w.RunID); err != nil {
			s.Log.Error("a queued run cannot be cancelled", "workflow", w.WorkflowID, "run", w.RunID, "error", err)
		}
	}
}

// waiting returns how many runs of a trigger are queued.
func (a *active) waiting(nodeID string) (n int) {
	for i := range a.queue {
		if a.queue[i].Node == nodeID {
			n++
		}
	}
	return n
}

// recordRefusal counts refused firings and shows the reason to users.
func (s *Service) recordRefusal(t *armed, err error, firings int) {
	if s.life.Err() != nil {
		return
	}
	s.Log.Warn("a firing is refused", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(t.typ).Refused += firings
	if now := s.current(t); now != nil {
		m := now.memory.clone()
		m.Refused, m.Error = m.Refused+firings, err.Error()
		s.rememberLazily(now, m)
	}
}

// saveSource saves the memory of a source.
func (s *Service) saveSource(t *armed, memory []byte) error {
	s.mu.Lock()
	now := s.current(t)
	if now == nil {
		s.mu.Unlock()
		return ErrDisarmed
	}
	m := now.memory.clone()
	if !json.Valid(memory) {
		s.mu.Unlock()
		return fmt.Errorf("the state of a trigger of type %s is not valid JSON", t.typ)
	}
	m.Source = memory
	s.remember(now, m)
	s.mu.Unlock()
	if !s.flush() {
		return errNotSaved
	}
	return nil
}
