package trigger

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"slices"
	"strings"
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
	queue    []Waiting // runs that wait, in order
	running  int       // runs that they have started
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
	stop  func()      // ends what waits for its source to tell something; nil if nothing does

	memory    memory
	next, due time.Time // zero if it never fires again
	place     int       // among those that are due; -1 if it is none of them
}

// load arms what the store has, and lets those runs wait again that did.
func (s *Service) load() {
	kept, err := s.Store.Activations(s.life)
	if err != nil {
		s.Log.Error("not all activations can be read", "error", err)
	}
	waiting, err := s.Host.Waiting(s.life)
	if err != nil {
		s.Log.Error("what waits for a place cannot be read", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine, s.seen = true, s.Now()
	for _, k := range kept {
		plan, err := s.Host.Compile(s.life, k.Definition)
		if err != nil {
			s.Log.Error("an active workflow cannot run any more; its triggers do not fire", "workflow", k.Definition.ID, "error", err)
			s.put(k, nil, err.Error())
			continue
		}
		s.put(k, plan.Triggers(), "")
	}
	for _, w := range waiting {
		s.enqueue(w)
	}
	s.takeUp(s.Host.Interrupted())
	s.Log.Info("triggers are armed", "workflows", len(s.active), "waiting", len(waiting))
}

// takeUp follows runs that a crash has interrupted before anybody could remember them.
func (s *Service) takeUp(interrupted []Interrupted) {
	for _, w := range interrupted {
		a := s.active[w.WorkflowID]
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
		t := &armed{of: a, node: found.Node, typ: found.Type, since: k.Since, place: -1}
		if times, ok := found.Source.(node.Times); ok {
			t.times = &times
		}
		if source, ok := found.Source.(node.Hook); ok {
			t.hook = newHook(t, source)
		}
		var known bool
		if t.memory, known = s.recall(k.Definition.ID, t.node); !known {
			t.memory.Last = s.Now()
			s.remember(t, t.memory)
		}
		t.memory.Error = cmp.Or(problem, t.memory.Error)
		a.triggers = append(a.triggers, t)
		s.plan(t)
		for _, g := range t.memory.Running {
			s.follow(t, g.RunID)
		}
		s.attend(t, found.Source)
	}
	s.hooks.Store(nil)
	return a
}

// drop takes the triggers of a workflow away, and returns what waits there. Their runs go on,
// and nobody waits for them. The caller holds the lock.
func (s *Service) drop(workflowID string) []Waiting {
	a := s.active[workflowID]
	if a == nil {
		return nil
	}
	for _, t := range a.triggers {
		t.gone = true
		delete(s.changed, t)
		if t.place >= 0 {
			heap.Remove(&s.due, t.place)
		}
		if t.stop != nil {
			t.stop()
		}
	}
	s.hooks.Store(nil)
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
	if err := s.free(a.Definition.ID, plan.Triggers()); err != nil {
		return run.Activation{}, err
	}
	a.Since = s.Now().UTC()
	if before := s.active[a.Definition.ID]; before != nil { // which changes with turning held
		a.Since = before.Since
		if err := s.handOver(before, plan.Triggers()); err != nil { //nolint:contextcheck // what is remembered outlives the caller
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
	made := s.put(a, plan.Triggers(), "").shown() //nolint:contextcheck // as above
	s.mu.Unlock()
	s.flushAll() //nolint:contextcheck // as above
	s.nudge()
	return made, nil
}

// handOver deals with all times that have come, by the activation that was there until now,
// so that those behind belong to the next one. The caller holds turning.
func (s *Service) handOver(before *active, next []engine.Trigger) error {
	now := s.Now()
	var gone []store.TriggerMemory
	var due []*armed
	s.mu.Lock()
	for _, t := range before.triggers {
		switch {
		case !slices.ContainsFunc(next, func(n engine.Trigger) bool { return n.Node == t.node }):
			gone = append(gone, store.TriggerMemory{WorkflowID: t.of.Definition.ID, NodeID: t.node})
		case t.place >= 0 && !t.next.After(now):
			heap.Remove(&s.due, t.place)
			due = append(due, t)
		}
	}
	s.mu.Unlock()
	if err := s.comeDue(due, now); err != nil {
		return err
	}
	s.mu.Lock()
	for _, t := range before.triggers {
		if m := t.memory.clone(); m.Last.Before(now) {
			m.Last = now
			s.remember(t, m)
		}
	}
	s.mu.Unlock()
	if !s.flush() {
		return errNotKept
	}
	return s.Store.Remember(context.WithoutCancel(s.life), gone...)
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
	s.mu.Lock()
	waiting := s.drop(workflowID)
	for _, w := range waiting {
		delete(s.inbox.of, w.RunID)
		s.inbox.give(1, w.Bytes)
	}
	s.mu.Unlock()
	s.dropRuns(waiting) //nolint:contextcheck // they end whoever waits
	return nil
}

// Activations describes the workflows that are active, sorted by id.
func (s *Service) Activations(ctx context.Context) ([]run.Activation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []run.Activation
	if !s.mine {
		kept, err := s.Store.Activations(ctx)
		for _, k := range kept {
			shown := (&active{Activation: k}).shown()
			shown.Elsewhere = true
			all = append(all, shown)
		}
		return all, err
	}
	for _, a := range s.active {
		all = append(all, a.shown())
	}
	slices.SortFunc(all, func(a, b run.Activation) int { return strings.Compare(a.WorkflowID, b.WorkflowID) })
	return all, nil
}

// shown describes an active workflow.
func (a *active) shown() run.Activation {
	shown := run.Activation{
		WorkflowID: a.Definition.ID, Revision: a.Revision, Since: a.Since, Concurrency: a.Concurrency,
		OnInterrupted: a.OnInterrupted, Triggers: []run.Trigger{},
	}
	for _, t := range a.triggers {
		x := run.Trigger{
			NodeID: t.node, Type: t.typ, Next: t.next.UTC(), LastFiredAt: t.memory.FiredAt.UTC(), LastRunID: t.memory.RunID,
			LastError: t.memory.Error, Missed: t.memory.Missed, Refused: t.memory.Refused, Waiting: a.waiting(t.node),
		}
		if t.hook != nil {
			x.URL = "/hooks/" + t.hook.Path
		}
		shown.Triggers = append(shown.Triggers, x)
	}
	return shown
}
