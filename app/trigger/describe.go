package trigger

import (
	"context"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Activation describes an active workflow. If it is not active, the error is
// [store.ErrNotActive].
func (s *Service) Activation(ctx context.Context, workflowID string) (run.Activation, error) {
	s.mu.Lock()
	mine, a, z := s.leader, s.active[workflowID], s.unloaded[workflowID]
	defer s.mu.Unlock()
	switch {
	case !mine:
		k, err := s.Store.Activation(ctx, workflowID)
		if err != nil {
			return run.Activation{}, err
		}
		return elsewhere(k), nil
	case a != nil:
		return a.shown(), nil
	case z != nil:
		return s.shown(z), nil //nolint:contextcheck // a fast local read
	}
	return run.Activation{}, store.ErrNotActive
}

// Activations describes the active workflows, sorted by id.
func (s *Service) Activations(ctx context.Context) (all []run.Activation, err error) {
	s.mu.Lock()
	mine, asleep := s.leader, make([]unloadedWorkflow, 0, len(s.unloaded))
	for _, a := range s.active {
		all = append(all, a.shown())
	}
	for _, z := range s.unloaded {
		asleep = append(asleep, *z)
	}
	s.mu.Unlock()
	if !mine {
		if all, err = s.elsewhere(ctx); err != nil {
			return nil, err
		}
	}
	for i := range asleep {
		all = append(all, s.shown(&asleep[i])) //nolint:contextcheck // as above
	}
	slices.SortFunc(all, func(a, b run.Activation) int { return strings.Compare(a.WorkflowID, b.WorkflowID) })
	return all, nil
}

// elsewhere describes the workflows that another process has active.
func (s *Service) elsewhere(ctx context.Context) (all []run.Activation, err error) {
	for k, err := range s.Store.Activations(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, elsewhere(k))
	}
	return all, nil
}

func elsewhere(k store.Activation) run.Activation {
	shown := (&active{Activation: k}).shown()
	shown.Elsewhere = true
	return shown
}

// shown describes an unloaded workflow.
func (s *Service) shown(z *unloadedWorkflow) run.Activation {
	m, _ := s.loadMemory(z.id, z.kind.node) // it logs errors
	a := z.active()
	a.triggers[0].memory = m
	return a.shown()
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
			LastError: t.memory.Error, Problem: t.problem(), Missed: t.memory.Missed, Refused: t.memory.Refused, Waiting: a.waiting(t.node),
		}
		if t.hook != nil {
			x.URL = "/hooks/" + t.hook.Path
		}
		shown.Triggers = append(shown.Triggers, x)
	}
	if a.problem != "" && len(a.triggers) == 0 {
		shown.Triggers = append(shown.Triggers, a.broken()...)
	}
	return shown
}

// problem says why a trigger cannot fire now; "" if it can. Those of hooks are known elsewhere,
// since their secrets may be slow to read.
func (t *armed) problem() string {
	switch {
	case t.of.problem != "":
		return t.of.problem
	case t.times != nil && t.next.IsZero():
		return "its schedule has no time left"
	case t.sourced:
		return t.memory.Error
	}
	return ""
}

// broken describes the triggers of a workflow that cannot be compiled any more, so that its types
// do not tell which nodes are triggers.
func (a *active) broken() (all []run.Trigger) {
	for i := range a.Definition.Nodes {
		if n := &a.Definition.Nodes[i]; strings.HasPrefix(n.Type, "trigger.") && !n.Disabled && n.Type != "trigger.respond" {
			all = append(all, run.Trigger{NodeID: n.ID, Type: n.Type, Problem: a.problem, LastError: a.problem})
		}
	}
	return all
}
