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

// Why a firing is not taken.
var (
	// ErrInboxFull says that as many firings wait as may; it passes by itself.
	ErrInboxFull = errors.New("as many firings wait for a place as may; try again later")
	// ErrDisarmed says that a trigger is not armed any more.
	ErrDisarmed = errors.New("the trigger is not armed any more")
	// ErrChain says that too many runs led to a firing, each by the end of the one before.
	ErrChain = fmt.Errorf("more than %d runs have started each other in a row", limit.Chain)
)

// Firing is a run to be: what its host needs for it to wait.
type Firing struct {
	Definition *workflow.Definition
	Firing     *engine.Firing
	StartedBy  run.StartedBy
	Key        string // under which it makes one run; "" for none
	RunID      string // of the run; "" for any
	Armed      int64  // the epoch in which alone it may be put down; 0 for any
	Files      []node.Upload
}

// Waiting is a run that waits.
type Waiting struct {
	RunID, WorkflowID, Node, Type string
	At                            time.Time // when it was put down
	Bytes                         int       // of what the trigger puts out, about
	Known                         bool      // its key has made it before
}

// inbox is what all workflows have waiting. The service's mu guards it.
type inbox struct {
	firings, bytes int
	of             map[string]*active // the workflow at which a run waits
}

// take makes room for firings, before they are written down, or says that there is none.
func (b *inbox) take(firings, bytes int) error {
	if b.firings+firings > limit.WaitingFirings || b.bytes+bytes > limit.WaitingBytes {
		return ErrInboxFull
	}
	b.firings, b.bytes = b.firings+firings, b.bytes+bytes
	return nil
}

// hold makes room for firings that had some when a crash came.
func (b *inbox) hold(firings, bytes int) { b.firings, b.bytes = b.firings+firings, b.bytes+bytes }

// give gives room back.
func (b *inbox) give(firings, bytes int) { b.firings, b.bytes = b.firings-firings, b.bytes-bytes }

// fire puts down what a source has told, each as a run that waits for a place, and what the
// source is to remember from then on, which is JSON on one line; nil leaves that as it is.
// It is the one entrance for sources of every kind. When it returns the ids of the runs, all
// of that is on the disk, in one go with what others put down at the same time. After an
// error, what has a key can be told again. The caller does not hold the lock.
func (s *Service) fire(t *armed, firings []node.Firing, memory []byte) (runIDs []string, err error) {
	if err := s.settledFor(s.life); err != nil {
		return nil, err
	}
	var found []Firing
	if len(firings) > 0 {
		if found, err = describe(s.life, s.Host, t, firings); err == nil {
			for i := range found {
				found[i].Armed = s.others.armed()
			}
			runIDs, err = s.letWait(t, found)
		}
		if err != nil {
			s.note(t, err, len(firings))
			return nil, err
		}
	}
	if memory == nil {
		return runIDs, nil
	}
	return runIDs, s.keep(t, memory)
}

// describe words firings for the host.
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

// letWait has firings written down as runs that wait, and lets them wait.
func (s *Service) letWait(t *armed, firings []Firing) (runIDs []string, err error) {
	bytes := 0
	for i := range firings {
		bytes += value.Size(firings[i].Firing.Outputs, limit.WaitingBytes)
	}
	s.mu.Lock()
	if t.gone {
		err = ErrDisarmed
	} else {
		err = s.inbox.take(len(firings), bytes)
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	made, err := s.Host.Wait(s.life, firings)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.give(len(firings), bytes)
	for _, w := range made {
		runIDs = append(runIDs, w.RunID)
		if !w.Known {
			s.count(w.Type).Fired++
			s.enqueue(w)
		}
	}
	if now := s.now(t); now != nil && len(made) > 0 {
		m := now.memory.clone()
		m.FiredAt, m.RunID, m.Error = s.Now(), made[len(made)-1].RunID, ""
		s.rememberSoon(now, m)
	}
	s.nudge()
	return runIDs, err
}

// now returns the trigger that stands where t stood when it was armed; nil if none does.
func (s *Service) now(t *armed) *armed {
	if !t.gone {
		return t
	}
	if a := s.active[t.of.Definition.ID]; a != nil {
		return a.trigger(t.node)
	}
	return nil
}

// enqueue lets a run wait for a place; of a workflow that is not active any more, it is
// dropped. The caller holds the lock.
func (s *Service) enqueue(w Waiting) {
	a := s.awake(w.WorkflowID)
	if a == nil {
		s.inside.Go(func() { s.dropRuns([]Waiting{w}) })
		return
	}
	if s.inbox.of[w.RunID] != nil || a.goesOn(w.RunID) {
		return // who put it down and who has found it both tell of it
	}
	a.queue = append(a.queue, w)
	s.inbox.firings, s.inbox.bytes = s.inbox.firings+1, s.inbox.bytes+w.Bytes
	s.inbox.of[w.RunID] = a
	s.waits[w.WorkflowID] = a
}

// goesOn reports whether a run of one of its triggers does.
func (a *active) goesOn(runID string) bool {
	return slices.ContainsFunc(a.triggers, func(t *armed) bool { return t.memory.run(runID) >= 0 })
}

// dequeue takes a run out of those that wait, if it is one. The caller holds the lock.
func (s *Service) dequeue(runID string) (w Waiting) {
	a := s.inbox.of[runID]
	if a == nil {
		return w
	}
	i := slices.IndexFunc(a.queue, func(w Waiting) bool { return w.RunID == runID })
	w = a.queue[i]
	a.queue = slices.Delete(a.queue, i, i+1)
	delete(s.inbox.of, runID)
	s.inbox.give(1, w.Bytes)
	return w
}

// Forget takes a run out of those that wait, because somebody has cancelled it.
func (s *Service) Forget(runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dequeue(runID)
}

// dropRuns ends runs that wait as cancelled.
func (s *Service) dropRuns(all []Waiting) {
	for _, w := range all {
		if err := s.Host.Drop(context.WithoutCancel(s.life), w.RunID); err != nil {
			s.Log.Error("a firing that waits cannot be dropped", "workflow", w.WorkflowID, "run", w.RunID, "error", err)
		}
	}
}

// waiting counts what waits at a trigger.
func (a *active) waiting(nodeID string) (n int) {
	for i := range a.queue {
		if a.queue[i].Node == nodeID {
			n++
		}
	}
	return n
}

// note shows why firings of a trigger came to nothing.
func (s *Service) note(t *armed, err error, firings int) {
	if s.life.Err() != nil {
		return
	}
	s.Log.Warn("a firing is not taken", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(t.typ).Refused += firings
	if now := s.now(t); now != nil {
		m := now.memory.clone()
		m.Refused, m.Error = m.Refused+firings, err.Error()
		s.rememberSoon(now, m)
	}
}

// keep has the disk remember what a source told to.
func (s *Service) keep(t *armed, memory []byte) error {
	s.mu.Lock()
	now := s.now(t)
	if now == nil {
		s.mu.Unlock()
		return ErrDisarmed
	}
	m := now.memory.clone()
	if !json.Valid(memory) {
		s.mu.Unlock()
		return fmt.Errorf("a trigger of type %s remembers what is no JSON", t.typ)
	}
	m.Source = memory
	s.remember(now, m)
	s.mu.Unlock()
	if !s.flush() {
		return errNotKept
	}
	return nil
}
