package trigger

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/svcflow/svc/store"
)

// mirror is what a process knows of the hooks that are armed, whoever lets triggers fire.
type mirror struct {
	mu    sync.Mutex
	at    time.Time          // when it was last known to be what is kept
	last  int64              // number of the last change that is known
	known map[string]int64   // number of the last change of each active workflow
	hooks map[string][]*Hook // by workflow
	table *hookTable
}

func newMirror() mirror {
	return mirror{last: -1, known: map[string]int64{}, hooks: map[string][]*Hook{}, table: newHookTable()}
}

// mirrored is how long hooks are taken to be what they were.
const mirrored = 100 * time.Millisecond

// hooks returns the hooks that are armed, and the number of the last change of that. Unless it
// is to be fresh, it may be a moment old. With an error it returns what was known before.
func (c *Shared) hooks(ctx context.Context, fresh bool) (*hookTable, int64, error) {
	m := &c.mirror
	m.mu.Lock()
	defer m.mu.Unlock()
	if !fresh && !m.at.IsZero() && time.Since(m.at) < mirrored {
		return m.table, m.last, nil
	}
	now := time.Now()
	last, err := c.store.Changed(ctx)
	if err == nil && last != m.last {
		err = c.reflect(ctx)
	}
	if err == nil {
		m.at = now
	}
	return m.table, m.last, err
}

// reflect reads what has changed. The caller holds the mirror's mu.
func (c *Shared) reflect(ctx context.Context) error {
	m := &c.mirror
	of, last, err := c.store.Actives(ctx)
	if err != nil {
		return err
	}
	for id := range m.known {
		if _, active := of[id]; !active {
			delete(m.known, id)
			delete(m.hooks, id)
		}
	}
	if len(m.known) == 0 { // there may be many
		for k, err := range c.store.Activations(ctx) {
			if err == nil {
				c.note(k, of[k.Definition.ID])
			} else if errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
				return err
			}
		}
	}
	for id, change := range of {
		if m.known[id] == change {
			continue
		}
		k, err := c.store.Activation(ctx, id)
		switch {
		case errors.Is(err, store.ErrNotActive):
		case errors.Is(err, store.ErrUnavailable), ctx.Err() != nil:
			return err
		case err != nil:
			c.config.Log.Error("an activation cannot be read", "workflow", id, "error", err)
			m.known[id] = change
		default:
			c.note(k, change)
		}
	}
	m.last, m.table = last, newHookTable()
	for _, hooks := range m.hooks {
		for _, h := range hooks {
			m.table.add(h)
		}
	}
	return nil
}

// note has the mirror know the hooks of an activation, of which that is the number of its last
// change. The caller holds the mirror's mu.
func (c *Shared) note(k store.Activation, change int64) {
	var hooks []*Hook
	for _, t := range c.unarmed(k).triggers {
		if t.hook != nil {
			hooks = append(hooks, t.hook)
		}
	}
	c.mirror.known[k.Definition.ID], c.mirror.hooks[k.Definition.ID] = change, hooks
	if len(hooks) == 0 {
		delete(c.mirror.hooks, k.Definition.ID)
	}
}

// unarmed returns an activation with its triggers, none of which fires here.
func (c *Shared) unarmed(k store.Activation) *active {
	triggers, problem := c.view.triggersOf(k)
	a := &active{Activation: k}
	for _, found := range triggers {
		t := newArmed(a, found)
		t.memory.Error = problem
		a.triggers = append(a.triggers, t)
	}
	return a
}
