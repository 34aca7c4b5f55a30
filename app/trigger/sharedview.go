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

// Activation describes an active workflow. If it is not active, the error is
// [store.ErrNotActive].
func (c *Shared) Activation(ctx context.Context, workflowID string) (run.Activation, error) {
	if s := c.readyLeader(ctx); s != nil {
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
	return c.restored(k, waiting[workflowID]).shown(), nil //nolint:contextcheck // compiled plans are shared
}

// Activations describes the active workflows, sorted by id.
func (c *Shared) Activations(ctx context.Context) (all []run.Activation, err error) {
	if s := c.readyLeader(ctx); s != nil {
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
		all = append(all, c.restored(k, waiting[k.Definition.ID]).shown())
	}
	slices.SortFunc(all, func(a, b run.Activation) int { return strings.Compare(a.WorkflowID, b.WorkflowID) })
	return all, nil
}

// Upcoming returns the next times of a trigger, at most n; none if it is not a schedule.
func (c *Shared) Upcoming(workflowID, nodeID string, n int) (times []time.Time) {
	if s := c.currentLeader(); s != nil {
		return s.Upcoming(workflowID, nodeID, n)
	}
	k, err := c.store.Activation(c.life, workflowID)
	if err != nil {
		return nil
	}
	t := c.restored(k, nil).trigger(nodeID)
	if t == nil || t.times == nil {
		return nil
	}
	return upcoming(t.times.Next, t.next, n)
}

// waiting returns the queued runs by workflow.
func (c *Shared) waiting(ctx context.Context) (map[string][]Waiting, error) {
	all, err := c.host.Arrived(ctx, time.Time{})
	of := map[string][]Waiting{}
	for _, w := range all {
		of[w.WorkflowID] = append(of[w.WorkflowID], w)
	}
	return of, err
}

// restored returns an activation with the saved memories of its triggers.
func (c *Shared) restored(k store.Activation, waiting []Waiting) *active {
	a := c.passiveTriggers(k)
	a.queue = waiting
	for _, t := range a.triggers {
		m, known := c.passive.loadMemory(k.Definition.ID, t.node)
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
