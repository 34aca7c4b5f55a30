package trigger

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Activation describes an active workflow; one that is not is [store.ErrNotActive].
func (c *Shared) Activation(ctx context.Context, workflowID string) (run.Activation, error) {
	if s := c.ruling(ctx); s != nil {
		return s.Activation(ctx, workflowID)
	}
	k, err := c.store.Activation(ctx, workflowID)
	if err != nil {
		return run.Activation{}, err
	}
	waiting, err := c.waiting(ctx)
	if err != nil {
		return run.Activation{}, err
	}
	return c.kept(k, waiting[workflowID]).shown(), nil //nolint:contextcheck // what it compiles serves all
}

// Activations describes the workflows that are active, sorted by id.
func (c *Shared) Activations(ctx context.Context) (all []run.Activation, err error) {
	if s := c.ruling(ctx); s != nil {
		return s.Activations(ctx)
	}
	waiting, err := c.waiting(ctx)
	if err != nil {
		return nil, err
	}
	for k, err := range c.store.Activations(ctx) { //nolint:contextcheck // as above
		if err != nil {
			return nil, err
		}
		all = append(all, c.kept(k, waiting[k.Definition.ID]).shown())
	}
	slices.SortFunc(all, func(a, b run.Activation) int { return strings.Compare(a.WorkflowID, b.WorkflowID) })
	return all, nil
}

// Upcoming returns the times at which a trigger fires next, at most n; none if that is not
// known.
func (c *Shared) Upcoming(workflowID, nodeID string, n int) (times []time.Time) {
	if s := c.crowned(); s != nil {
		return s.Upcoming(workflowID, nodeID, n)
	}
	k, err := c.store.Activation(c.life, workflowID)
	if err != nil {
		return nil
	}
	t := c.kept(k, nil).trigger(nodeID)
	if t == nil || t.times == nil {
		return nil
	}
	return upcoming(t.times.Next, t.next, n)
}

// waiting returns the runs that wait, by their workflows.
func (c *Shared) waiting(ctx context.Context) (map[string][]Waiting, error) {
	all, err := c.host.Arrived(ctx, time.Time{})
	of := map[string][]Waiting{}
	for _, w := range all {
		of[w.WorkflowID] = append(of[w.WorkflowID], w)
	}
	return of, err
}

// kept returns an activation as its triggers remember it, whichever process lets them fire.
func (c *Shared) kept(k store.Activation, waiting []Waiting) *active {
	a := c.unarmed(k)
	a.queue = waiting
	for _, t := range a.triggers {
		m, known := c.view.recall(k.Definition.ID, t.node)
		if !known {
			m.Last = k.Armed
		}
		m.Error = cmp.Or(t.memory.Error, m.Error)
		t.memory = m
		if t.times != nil {
			t.next = t.times.Next(m.Last)
		}
	}
	return a
}
