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

	triggers []*armed
	former   []*armed  // not in this revision; they have runs that began in it
	queue    []Waiting // runs that wait, in order
	running  int       // runs that the triggers have started
}

// armed is a trigger that can fire.
type armed struct {
	of    *active
	node  string
	typ   string
	since time.Time   // when the workflow became active
	times *node.Times // nil if it is no schedule
	hook  *Hook       // nil if it is none
	gone  bool        // another has taken its place, or the workflow is not active any more
	left  bool        // not in the active revision, so the store must not keep its memory
	stop  func()      // ends what waits for its source to tell something; nil if nothing does

	memory    memory
	next, due time.Time // zero if it never fires again
	place     int       // among those that are due; -1 if it is none of them
}

// newArmed returns a trigger of an active workflow, which does not fire yet.
func newArmed(of *active, found engine.Trigger) *armed {
	t := &armed{of: of, node: found.Node, typ: found.Type, since: of.Since, place: -1}
	switch source := found.Source.(type) {
	case node.Times:
		t.times = &source
	case node.Hook:
		t.hook = newHook(t, source)
	}
	return t
}

// load arms what the store has, and lets those runs wait again that did.
func (s *Service) load() {
	waiting, err := s.Host.Waiting(s.life)
	if err != nil {
		s.Log.Error("what waits for a place cannot be read", "error", err)
	}
	s.mu.Lock()
	s.seen, s.unbegun = s.Now(), map[string]bool{}
	for _, w := range waiting {
		s.unbegun[w.RunID] = true
	}
	s.mu.Unlock()
	s.others.begin(s.life)
	for k, err := range s.Store.Activations(s.life) {
		if err != nil {
			s.Log.Error("an activation cannot be read", "error", err)
			s.others.doubt()
			continue
		}
		s.loadOne(k)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine = true
	for _, w := range waiting {
		s.enqueue(w)
	}
	s.unbegun = nil
	s.takeUp(s.Host.Interrupted())
	s.Log.Info("triggers are armed", "workflows", len(s.active)+len(s.asleep), "waiting", len(waiting))
}

// loadOne arms one of those that the store has.
func (s *Service) loadOne(k store.Activation) {
	triggers, problem := s.triggersOf(k)
	s.mu.Lock()
	s.rest(s.put(k, triggers, problem))
	s.others.loaded(k)
	many := len(s.changed) >= atOnce
	s.mu.Unlock()
	if many {
		s.flush()
	}
}

// triggersOf returns the triggers of an activation, or why there are none.
func (s *Service) triggersOf(k store.Activation) (triggers []engine.Trigger, problem string) {
	plan, err := s.Host.Compile(s.life, k.Definition)
	if err != nil {
		s.Log.Error("an active workflow cannot run any more; its triggers do not fire", "workflow", k.Definition.ID, "error", err)
		return nil, err.Error()
	}
	return plan.Triggers(), ""
}

// takeUp follows runs that a crash has interrupted before anybody could remember them.
func (s *Service) takeUp(interrupted []Interrupted) {
	for _, w := range interrupted {
		a := s.awake(w.WorkflowID)
		if a == nil {
			continue
		}
		if t := a.trigger(w.Node); t != nil && t.memory.run(w.RunID) < 0 {
			m := t.memory.clone()
			m.Running = append(m.Running, going{w.RunID, w.Resumed})
			s.rememberSoon(t, m)
			s.follow(t, w.RunID)
		}
	}
}

// forgetUnbegun lets a trigger forget that runs go on which wait still: what a crash leaves
// that comes after a place was given to them and before they were on the disk with it. Who
// waited for their ends would hold the places in which they are to begin.
func (s *Service) forgetUnbegun(t *armed) {
	m := t.memory.clone()
	m.Running = slices.DeleteFunc(m.Running, func(g going) bool { return s.unbegun[g.RunID] })
	if len(m.Running) < len(t.memory.Running) {
		s.rememberSoon(t, m)
	}
}

// put arms the triggers of a workflow in the place of those that it had. A trigger goes on
// where the one of its id was, and what waits goes on waiting.
func (s *Service) put(k store.Activation, triggers []engine.Trigger, problem string) *active {
	a := &active{Activation: k, queue: s.drop(k.Definition.ID)}
	s.active[k.Definition.ID] = a
	if len(a.queue) > 0 {
		s.waits[k.Definition.ID] = a
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
		if t.memory, known = s.recall(k.Definition.ID, t.node); !known {
			if t.memory.Last = s.Now(); s.others != nil && !k.Armed.IsZero() {
				t.memory.Last = k.Armed // which others have noted, before anybody here knew
			}
			s.remember(t, t.memory)
		}
		t.memory.Error = cmp.Or(problem, t.memory.Error)
		a.triggers = append(a.triggers, t)
		s.plan(t)
		s.forgetUnbegun(t)
		for _, g := range t.memory.Running {
			s.follow(t, g.RunID)
		}
		s.attend(t, found.Source)
	}
	return a
}

// drop takes the triggers of a workflow away, and returns what waits there. Their runs go on,
// and nobody waits for them. The caller holds the lock.
func (s *Service) drop(workflowID string) []Waiting {
	if z := s.asleep[workflowID]; z != nil {
		delete(s.asleep, workflowID)
		if z.place >= 0 {
			heap.Remove(&s.dozing, int(z.place))
		}
	}
	a := s.active[workflowID]
	if a == nil {
		return nil
	}
	for _, t := range a.triggers {
		if t.gone = true; t.hook != nil {
			s.hooks.Store(nil)
		}
		delete(s.changed, t)
		if t.place >= 0 {
			heap.Remove(&s.due, t.place)
		}
		if t.stop != nil {
			t.stop()
		}
	}
	for _, t := range a.former {
		t.gone = true
	}
	s.running -= a.running
	delete(s.active, workflowID)
	delete(s.waits, workflowID)
	return a.queue
}

// Activate arms the triggers of a workflow, in the place of those that it had. plan is
// made of a's definition.
func (s *Service) Activate(ctx context.Context, a store.Activation, plan *engine.Plan) (run.Activation, error) {
	if err := s.settledFor(ctx); err != nil {
		return run.Activation{}, err
	}
	s.turning.Lock()
	defer s.turning.Unlock()
	if err := s.hookTable().free(a.Definition.ID, plan.Triggers()); err != nil {
		return run.Activation{}, err
	}
	a.Since = s.Now().UTC()
	s.mu.Lock()
	before := s.awake(a.Definition.ID) //nolint:contextcheck // it stays awake whoever leaves
	s.mu.Unlock()
	var removed []store.TriggerMemory
	if before != nil {
		a.Since = before.Since
		var err error
		if removed, err = s.handOver(before, plan.Triggers()); err != nil { //nolint:contextcheck // what is remembered outlives the caller
			return run.Activation{}, err
		}
	}
	s.flushing.Lock()
	defer s.flushing.Unlock()
	if err := s.Store.Activate(ctx, a); err != nil {
		return run.Activation{}, err
	}
	s.flushAll() //nolint:contextcheck // as above
	s.mu.Lock()
	put := s.put(a, plan.Triggers(), "") //nolint:contextcheck // as above
	made := put.shown()
	s.mu.Unlock()
	s.flushAll()      //nolint:contextcheck // as above
	s.forget(removed) //nolint:contextcheck // as above
	s.mu.Lock()
	s.rest(put)
	s.mu.Unlock()
	s.nudge()
	return made, nil
}

// handOver deals with all times that have come, by the activation that was there until now,
// so that those behind belong to the next one. It removes the memory of triggers that are not
// in the next revision, and returns what it has removed: a run of theirs that ends before
// [Service.put] has it written again, so the caller removes it once more after that. The
// caller holds turning.
func (s *Service) handOver(before *active, next []engine.Trigger) (removed []store.TriggerMemory, err error) {
	now := s.Now()
	stays := func(t *armed) bool {
		return slices.ContainsFunc(next, func(n engine.Trigger) bool { return n.Node == t.node })
	}
	for due := s.takeDue(before, now, stays); len(due) > 0; due = s.takeDue(before, now, stays) {
		if err := s.comeDue(due, now); err != nil {
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
		return nil, errNotKept
	}
	return removed, s.Store.Remember(context.WithoutCancel(s.life), removed...)
}

// forget removes memories of triggers that nothing writes any more.
func (s *Service) forget(removed []store.TriggerMemory) {
	if len(removed) == 0 {
		return
	}
	if err := s.Store.Remember(context.WithoutCancel(s.life), removed...); err != nil {
		s.Log.Error("the memory of a trigger that is not in the active revision cannot be removed", "workflow", removed[0].WorkflowID, "error", err)
	}
}

// takeDue takes the triggers that stay out of those that are due, if times of them have come.
func (s *Service) takeDue(of *active, now time.Time, stays func(*armed) bool) (due []*armed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range of.triggers {
		if t.place >= 0 && !t.next.After(now) && stays(t) {
			heap.Remove(&s.due, t.place)
			due = append(due, t)
		}
	}
	return due
}

var errNotKept = errors.New("what a trigger has to remember cannot be kept; see the log of the service")

// settledFor waits until it is known who lets triggers fire; if that is another process, the
// error says so.
func (s *Service) settledFor(ctx context.Context) error {
	select {
	case <-s.settled:
	case <-s.life.Done():
		return store.ErrArmedElsewhere
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mine {
		return store.ErrArmedElsewhere
	}
	return nil
}

// Deactivate takes the triggers of a workflow away. What waits at them ends as cancelled.
func (s *Service) Deactivate(ctx context.Context, workflowID string) error {
	if err := s.settledFor(ctx); err != nil {
		return err
	}
	s.turning.Lock()
	defer s.turning.Unlock()
	s.flushing.Lock() // else what is on its way to the disk would be remembered after all
	defer s.flushing.Unlock()
	if err := s.Store.Deactivate(ctx, workflowID); err != nil {
		return err
	}
	s.discard(workflowID) //nolint:contextcheck // what waits ends whoever waits
	return nil
}

// discard takes the triggers of a workflow away, and ends what waits at them as cancelled.
func (s *Service) discard(workflowID string) {
	s.mu.Lock()
	waiting := s.drop(workflowID)
	for _, w := range waiting {
		delete(s.inbox.of, w.RunID)
		s.inbox.give(1, w.Bytes)
	}
	s.mu.Unlock()
	s.dropRuns(waiting)
}
