package trigger

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/svcflow/svc/store"
)

// hookCache holds the armed hooks, also in processes that do not lead.
type hookCache struct {
	mu    sync.Mutex
	at    time.Time          // last time the cache was up to date
	last  int64              // number of the last applied change
	known map[string]int64   // last change of each active workflow
	hooks map[string][]*Hook // by workflow
	table *hookTable
}

func newHookCache() hookCache {
	return hookCache{last: -1, known: map[string]int64{}, hooks: map[string][]*Hook{}, table: newHookTable()}
}

// hookCacheLife is how long hooks are used without asking the store.
const hookCacheLife = 100 * time.Millisecond

// hooks returns the armed hooks and the number of the last change. Unless fresh is set, they may
// be outdated by hookCacheLife. Beside an error it returns the former ones.
func (c *Shared) hooks(ctx context.Context, fresh bool) (*hookTable, int64, error) {
	m := &c.hookCache
	m.mu.Lock()
	defer m.mu.Unlock()
	if !fresh && !m.at.IsZero() && time.Since(m.at) < hookCacheLife {
		return m.table, m.last, nil
	}
	now := time.Now()
	last, err := c.store.Changed(ctx)
	if err == nil && last != m.last {
		err = c.refreshHooks(ctx)
	}
	if err == nil {
		m.at = now
	}
	return m.table, m.last, err
}

// refreshHooks reads changed activations. The caller holds the cache's mu.
func (c *Shared) refreshHooks(ctx context.Context) error {
	m := &c.hookCache
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
	if len(m.known) == 0 { // first read: one scan instead of a query for each
		for k, err := range c.store.Activations(ctx) {
			if err == nil {
				c.setHooks(k, of[k.Definition.ID])
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
			c.setHooks(k, change)
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

// setHooks caches the hooks of an activation. change is the number of its last change. The caller
// holds the cache's mu.
func (c *Shared) setHooks(k store.Activation, change int64) {
	var hooks []*Hook
	for _, t := range c.passiveTriggers(k).triggers {
		if t.hook != nil {
			hooks = append(hooks, t.hook)
		}
	}
	c.hookCache.known[k.Definition.ID], c.hookCache.hooks[k.Definition.ID] = change, hooks
	if len(hooks) == 0 {
		delete(c.hookCache.hooks, k.Definition.ID)
	}
}

// passiveTriggers returns an activation with triggers that do not fire here.
func (c *Shared) passiveTriggers(k store.Activation) *active {
	triggers, problem := c.passive.triggersOf(k)
	a := &active{Activation: k, problem: problem}
	for _, found := range triggers {
		t := newArmed(a, found)
		t.memory.Error = problem
		a.triggers = append(a.triggers, t)
	}
	return a
}
