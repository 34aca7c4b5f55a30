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
	running  int // runs that they have started
}

// armed is a trigger that can fire.
type armed struct {
	of    *active
	node  string
	typ   string
	since time.Time   // when the workflow became active
	times *node.Times // nil if it fires by hand only
	gone  bool        // another has taken its place, or the workflow is not active any more

	memory    memory
	next, due time.Time // zero if it never fires again
	place     int       // among those that are due; -1 if it is none of them
}

// load arms what the store has.
func (s *Service) load() {
	kept, err := s.Store.Activations(s.life)
	if err != nil {
		s.Log.Error("not all activations can be read", "error", err)
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
	s.Log.Info("triggers are armed", "workflows", len(s.active))
}

// put arms the triggers of a workflow in the place of those that it had. A trigger goes on
// where the one of its id was.
func (s *Service) put(k store.Activation, triggers []engine.Trigger, problem string) *active {
	s.drop(k.Definition.ID)
	a := &active{Activation: k}
	s.active[k.Definition.ID] = a
	for _, found := range triggers {
		t := &armed{of: a, node: found.Node, typ: found.Type, since: k.Since, place: -1}
		if times, ok := found.Source.(node.Times); ok {
			t.times = &times
		}
		var known bool
		if t.memory, known = s.recall(k.Definition.ID, t.node); !known {
			t.memory.Last = s.Now()
			s.remember(t, t.memory)
		}
		if t.times == nil {
			t.memory.Waiting = nil // its kind is another now
		}
		t.memory.Error = cmp.Or(problem, t.memory.Error)
		a.triggers = append(a.triggers, t)
		if len(t.memory.Waiting) > 0 {
			s.waits[k.Definition.ID] = a
		}
		s.plan(t)
		for _, g := range t.memory.Running {
			s.follow(t, g.RunID)
		}
	}
	return a
}

// drop takes the triggers of a workflow away. Their runs go on, and nobody waits for them.
func (s *Service) drop(workflowID string) {
	a := s.active[workflowID]
	if a == nil {
		return
	}
	for _, t := range a.triggers {
		t.gone = true
		delete(s.changed, t)
		if t.place >= 0 {
			heap.Remove(&s.due, t.place)
		}
	}
	s.running -= a.running
	delete(s.active, workflowID)
	delete(s.waits, workflowID)
}

// Activate arms the triggers of a workflow, in the place of those that it had. plan is
// made of a's definition.
func (s *Service) Activate(ctx context.Context, a store.Activation, plan *engine.Plan) (run.Activation, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return run.Activation{}, err
	}
	defer unlock()
	a.Since = s.Now().UTC()
	if before := s.active[a.Definition.ID]; before != nil {
		a.Since = before.Since
		if err := s.handOver(before, plan.Triggers()); err != nil { //nolint:contextcheck // what is remembered outlives the caller
			return run.Activation{}, err
		}
	}
	if err := s.Store.Activate(ctx, a); err != nil {
		return run.Activation{}, err
	}
	made := s.put(a, plan.Triggers(), "") //nolint:contextcheck // as above
	s.flush()                             //nolint:contextcheck // as above
	s.nudge()
	return made.shown(), nil
}

// handOver deals with all times that have come, by the activation that was there until now,
// so that those behind belong to the next one.
func (s *Service) handOver(before *active, next []engine.Trigger) error {
	now := s.Now()
	var gone []store.TriggerMemory
	for _, t := range before.triggers {
		if !slices.ContainsFunc(next, func(n engine.Trigger) bool { return n.Node == t.node }) {
			gone = append(gone, store.TriggerMemory{WorkflowID: t.of.Definition.ID, NodeID: t.node})
			delete(s.changed, t)
			continue
		}
		if !t.next.IsZero() && !t.next.After(now) {
			s.comesDue(t, now)
		}
		m := t.memory.clone()
		if m.Last.Before(now) {
			m.Last = now
		}
		s.remember(t, m)
	}
	if !s.flush() {
		return errNotKept
	}
	return s.Store.Remember(context.WithoutCancel(s.life), gone...)
}

var errNotKept = errors.New("what a trigger has to remember cannot be kept; see the log of the service")

// lock waits until this process lets triggers fire, and takes the lock; see Service.mu.
func (s *Service) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case <-s.settled:
	case <-s.life.Done():
		return nil, store.ErrArmedElsewhere
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	if !s.mine {
		s.mu.Unlock()
		return nil, store.ErrArmedElsewhere
	}
	return s.mu.Unlock, nil
}

// Deactivate takes the triggers of a workflow away, and what waits at them.
func (s *Service) Deactivate(ctx context.Context, workflowID string) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.Store.Deactivate(ctx, workflowID); err != nil {
		return err
	}
	s.drop(workflowID)
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
		shown.Triggers = append(shown.Triggers, run.Trigger{
			NodeID: t.node, Type: t.typ, Next: t.next.UTC(), LastFiredAt: t.memory.FiredAt.UTC(), LastRunID: t.memory.RunID,
			LastError: t.memory.Error, Missed: t.memory.Missed, Waiting: len(t.memory.Waiting),
		})
	}
	return shown
}
