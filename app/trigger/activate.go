package trigger

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// active is a workflow whose triggers are armed.
type active struct {
	store.Activation

	problem string // why none of its triggers fires; "" if they do

	triggers []*armed
	former   []*armed  // triggers of former revisions that still have runs
	queue    []Waiting // oldest first
	running  int       // runs of its triggers in progress
}

// armed is a trigger of an active workflow.
type armed struct {
	of       *active
	node     string
	typ      string
	since    time.Time   // when the workflow became active
	times    *node.Times // nil unless it is a schedule
	hook     *Hook       // nil unless it is a hook
	sourced  bool        // it asks or watches a source
	replaced bool        // by a later activation, or disarmed
	former   bool        // not in the active revision: its memory is not saved
	stop     func()      // stops the goroutine of the source; nil if there is none

	memory    memory
	next, due time.Time // zero if it never fires again
	heapIndex int       // in Service.due; -1 if it is not there
}

// newArmed returns a trigger that does not fire yet.
func newArmed(of *active, found engine.Trigger) *armed {
	t := &armed{of: of, node: found.Node, typ: found.Type, since: of.Since, heapIndex: -1}
	switch source := found.Source.(type) {
	case node.Times:
		t.times = &source
	case node.Hook:
		t.hook = newHook(t, source)
	case node.Poll, node.Watch:
		t.sourced = true
	}
	return t
}

// load arms the stored activations and queues the runs that were waiting.
func (s *Service) load() {
	waiting, err := s.Host.Waiting(s.life)
	if err != nil {
		s.Log.Error("the queued runs cannot be read", "error", err)
	}
	s.mu.Lock()
	s.lastNow, s.stillQueued = s.Now(), map[string]bool{}
	for _, w := range waiting {
		s.stillQueued[w.RunID] = true
	}
	s.mu.Unlock()
	s.peers.beginLoading(s.life)
	for k, err := range s.Store.Activations(s.life) {
		if err != nil {
			s.Log.Error("an activation cannot be read", "error", err)
			s.peers.invalidate()
			continue
		}
		s.loadOne(k)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leader = true
	for _, w := range waiting {
		s.enqueue(w)
	}
	s.stillQueued = nil
	s.adoptInterrupted(s.Host.Interrupted())
	s.Log.Info("triggers are armed", "workflows", len(s.active)+len(s.unloaded), "waiting", len(waiting))
}

// loadOne arms one stored activation.
func (s *Service) loadOne(k store.Activation) {
	triggers, problem := s.triggersOf(k)
	s.mu.Lock()
	s.unloadIfIdle(s.arm(k, triggers, problem))
	s.peers.loaded(k)
	many := len(s.dirty) >= maxBatch
	s.mu.Unlock()
	if many {
		s.flush()
	}
}

// triggersOf compiles an activation and returns its triggers, or the problem if it is invalid.
func (s *Service) triggersOf(k store.Activation) (triggers []engine.Trigger, problem string) {
	plan, err := s.Host.Compile(s.life, k.Definition)
	if err != nil {
		s.Log.Error("an active workflow is invalid by now; its triggers do not fire", "workflow", k.Definition.ID, "error", err)
		return nil, err.Error()
	}
	return plan.Triggers(), ""
}

// adoptInterrupted follows runs that began just before a crash, so that no trigger has saved
// them.
func (s *Service) adoptInterrupted(interrupted []Interrupted) {
	for _, w := range interrupted {
		a := s.loaded(w.WorkflowID)
		if a == nil {
			continue
		}
		if t := a.trigger(w.Node); t != nil && t.memory.indexOfRun(w.RunID) < 0 {
			m := t.memory.clone()
			m.Running = append(m.Running, startedRun{w.RunID, w.Resumed})
			s.rememberLazily(t, m)
			s.follow(t, w.RunID)
		}
	}
}

// forgetStillQueued removes runs that are still queued from the running ones of a trigger. A
// crash leaves them there if it comes after a run got its slot and before that was on disk.
// Otherwise they would hold the slots that they need to begin.
func (s *Service) forgetStillQueued(t *armed) {
	m := t.memory.clone()
	m.Running = slices.DeleteFunc(m.Running, func(g startedRun) bool { return s.stillQueued[g.RunID] })
	if len(m.Running) < len(t.memory.Running) {
		s.rememberLazily(t, m)
	}
}

// arm replaces the triggers of a workflow. A trigger with the id of a former one continues with
// its memory, and queued runs stay queued. The caller holds mu.
func (s *Service) arm(k store.Activation, triggers []engine.Trigger, problem string) *active {
	a := &active{Activation: k, problem: problem, queue: s.disarm(k.Definition.ID)}
	s.active[k.Definition.ID] = a
	if len(a.queue) > 0 {
		s.withQueue[k.Definition.ID] = a
	}
	for _, w := range a.queue {
		s.inbox.of[w.RunID] = a
	}
	for _, found := range triggers {
		t := newArmed(a, found)
		if t.hook != nil {
			s.hooks.Store(nil)
		}
		var known bool
		if t.memory, known = s.loadMemory(k.Definition.ID, t.node); !known {
			if t.memory.Last = s.Now(); s.peers != nil && !k.Armed.IsZero() {
				t.memory.Last = k.Armed // noted by the process that activated the workflow
			}
			s.remember(t, t.memory)
		}
		t.memory.Error = cmp.Or(problem, t.memory.Error)
		a.triggers = append(a.triggers, t)
		s.plan(t)
		s.forgetStillQueued(t)
		for _, g := range t.memory.Running {
			s.follow(t, g.RunID)
		}
		s.startSource(t, found.Source)
	}
	return a
}

// disarm removes the triggers of a workflow and returns its queued runs. Its runs continue, and
// nobody follows them. The caller holds mu.
func (s *Service) disarm(workflowID string) []Waiting {
	if z := s.unloaded[workflowID]; z != nil {
		delete(s.unloaded, workflowID)
		if z.heapIndex >= 0 {
			heap.Remove(&s.unloadedDue, int(z.heapIndex))
		}
	}
	a := s.active[workflowID]
	if a == nil {
		return nil
	}
	for _, t := range a.triggers {
		if t.replaced = true; t.hook != nil {
			s.hooks.Store(nil)
		}
		delete(s.dirty, t)
		if t.heapIndex >= 0 {
			heap.Remove(&s.due, t.heapIndex)
		}
		if t.stop != nil {
			t.stop()
		}
	}
	for _, t := range a.former {
		t.replaced = true
	}
	s.running -= a.running
	delete(s.active, workflowID)
	delete(s.withQueue, workflowID)
	return a.queue
}

// Activate arms the triggers of a workflow and replaces those of its former revision. plan is
// compiled from a's definition. The error is [store.ErrArmedElsewhere] in a process that does not
// lead, and a [*PathInUseError] if another hook has the path.
func (s *Service) Activate(ctx context.Context, a store.Activation, plan *engine.Plan) (run.Activation, error) {
	if err := s.waitReady(ctx); err != nil {
		return run.Activation{}, err
	}
	s.stepMu.Lock()
	defer s.stepMu.Unlock()
	if err := s.hookTable().checkFree(a.Definition.ID, plan.Triggers()); err != nil {
		return run.Activation{}, err
	}
	a.Since = s.Now().UTC()
	s.mu.Lock()
	before := s.loaded(a.Definition.ID) //nolint:contextcheck // it stays loaded after the caller has left
	s.mu.Unlock()
	var removed []store.TriggerMemory
	if before != nil {
		a.Since = before.Since
		var err error
		if removed, err = s.finishRevision(before, plan.Triggers()); err != nil { //nolint:contextcheck // memories outlive the caller
			return run.Activation{}, err
		}
	}
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if err := s.Store.Activate(ctx, a); err != nil {
		return run.Activation{}, err
	}
	s.flushAll() //nolint:contextcheck // as above
	s.mu.Lock()
	put := s.arm(a, plan.Triggers(), "") //nolint:contextcheck // as above
	made := put.shown()
	s.mu.Unlock()
	s.flushAll()              //nolint:contextcheck // as above
	s.removeMemories(removed) //nolint:contextcheck // as above
	s.mu.Lock()
	s.unloadIfIdle(put)
	s.mu.Unlock()
	s.wakeUp()
	return made, nil
}

// finishRevision fires all times that have come with the former revision, so that later ones
// belong to the next. It removes the memories of triggers that are not in the next revision and
// returns their names: the end of a run can save such a memory again before [Service.arm], so the
// caller removes them once more afterwards. The caller holds stepMu.
func (s *Service) finishRevision(before *active, next []engine.Trigger) (removed []store.TriggerMemory, err error) {
	now := s.Now()
	stays := func(t *armed) bool {
		return slices.ContainsFunc(next, func(n engine.Trigger) bool { return n.Node == t.node })
	}
	for due := s.takeDue(before, now, stays); len(due) > 0; due = s.takeDue(before, now, stays) {
		if err := s.fireDue(due, now); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	for _, t := range before.triggers {
		if !stays(t) {
			removed = append(removed, store.TriggerMemory{WorkflowID: t.of.Definition.ID, NodeID: t.node})
		}
		if m := t.memory.clone(); m.Last.Before(now) {
			m.Last = now
			s.remember(t, m)
		}
	}
	s.mu.Unlock()
	if !s.flush() {
		return nil, errNotSaved
	}
	return removed, s.Store.Remember(context.WithoutCancel(s.life), removed...)
}

// removeMemories deletes memories that nothing saves any more.
func (s *Service) removeMemories(removed []store.TriggerMemory) {
	if len(removed) == 0 {
		return
	}
	if err := s.Store.Remember(context.WithoutCancel(s.life), removed...); err != nil {
		s.Log.Error("the state of a removed trigger cannot be deleted", "workflow", removed[0].WorkflowID, "error", err)
	}
}

// takeDue removes the triggers with past times from the heap, if they stay in the next revision.
func (s *Service) takeDue(of *active, now time.Time, stays func(*armed) bool) (due []*armed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range of.triggers {
		if t.heapIndex >= 0 && !t.next.After(now) && stays(t) {
			heap.Remove(&s.due, t.heapIndex)
			due = append(due, t)
		}
	}
	return due
}

var errNotSaved = errors.New("the state of the trigger cannot be saved; see the log of the service")

// waitReady waits until it is known which process leads. If this one does not, the error is
// [store.ErrArmedElsewhere].
func (s *Service) waitReady(ctx context.Context) error {
	select {
	case <-s.ready:
	case <-s.life.Done():
		return store.ErrArmedElsewhere
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.leader {
		return store.ErrArmedElsewhere
	}
	return nil
}

// Deactivate disarms the triggers of a workflow and cancels its queued runs.
func (s *Service) Deactivate(ctx context.Context, workflowID string) error {
	if err := s.waitReady(ctx); err != nil {
		return err
	}
	s.stepMu.Lock()
	defer s.stepMu.Unlock()
	s.flushMu.Lock() // otherwise a running flush would save memories that are removed here
	defer s.flushMu.Unlock()
	if err := s.Store.Deactivate(ctx, workflowID); err != nil {
		return err
	}
	s.disarmAndCancel(workflowID) //nolint:contextcheck // they end even if the caller has left
	return nil
}

// disarmAndCancel disarms the triggers of a workflow and cancels its queued runs.
func (s *Service) disarmAndCancel(workflowID string) {
	s.mu.Lock()
	waiting := s.disarm(workflowID)
	for _, w := range waiting {
		delete(s.inbox.of, w.RunID)
		s.inbox.release(1, w.Bytes)
	}
	s.mu.Unlock()
	s.cancelQueued(waiting)
}
