package memstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/svcflow/svc/store"
)

// memoryCall is a call and its state.
type memoryCall struct {
	placed  store.PlacedCall
	state   store.CallState
	outcome []byte
}

// PlaceCalls implements [store.SharedCalls].
func (m *Shared) PlaceCalls(ctx context.Context, calls []store.PlacedCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range calls {
		if _, err := m.find(ctx, c.RunID); err != nil {
			return fmt.Errorf("place calls: %w", err)
		}
		if m.call(c.ID) == nil {
			c.Inputs = slices.Clone(c.Inputs)
			m.calls = append(m.calls, &memoryCall{placed: c, state: store.CallState{ID: c.ID}})
		}
	}
	return nil
}

// call returns a call, or nil. The caller holds mu.
func (m *Shared) call(id string) *memoryCall {
	if i := slices.IndexFunc(m.calls, func(c *memoryCall) bool { return c.placed.ID == id }); i >= 0 {
		return m.calls[i]
	}
	return nil
}

// forgetCalls deletes the calls of runs that have ended. Until then, workers can see that a call
// was cancelled. The caller holds mu.
func (m *Shared) forgetCalls() {
	m.calls = slices.DeleteFunc(m.calls, func(c *memoryCall) bool { return m.going[c.placed.RunID] == nil })
}

// PlacedCalls implements [store.SharedCalls].
func (m *Shared) PlacedCalls(ctx context.Context, runID string) (all []store.PlacedCall, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.calls {
		if c.placed.RunID == runID && !c.state.Cancelled {
			placed := c.placed
			placed.Inputs = nil
			all = append(all, placed)
		}
	}
	return all, ctx.Err()
}

// BeginAnswer implements [store.SharedCalls].
func (m *Shared) BeginAnswer(ctx context.Context, id, worker string) (store.PlacedCall, store.CallState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.call(id)
	if c == nil {
		return store.PlacedCall{}, store.CallState{}, store.ErrNoCall
	}
	before := c.state
	c.state.Worker = worker
	return c.placed, before, ctx.Err()
}

// changeCall changes a call, if it exists.
func (m *Shared) changeCall(ctx context.Context, id string, change func(c *memoryCall)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.call(id); c != nil && ctx.Err() == nil {
		change(c)
	}
	return ctx.Err()
}

// TellProgress implements [store.SharedCalls].
func (m *Shared) TellProgress(ctx context.Context, id, progress string) error {
	return m.changeCall(ctx, id, func(c *memoryCall) { c.state.Progress = progress })
}

// AnswerCalls implements [store.SharedCalls].
func (m *Shared) AnswerCalls(ctx context.Context, answers []store.CallAnswer) error {
	for _, a := range answers {
		err := m.changeCall(ctx, a.ID, func(c *memoryCall) {
			if !c.state.Answered {
				c.state.Answered, c.outcome = true, slices.Clone(a.Outcome)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CancelCall implements [store.SharedCalls].
func (m *Shared) CancelCall(ctx context.Context, id string) error {
	return m.changeCall(ctx, id, func(c *memoryCall) { c.state.Cancelled = true })
}

// Outcomes implements [store.SharedCalls].
func (m *Shared) Outcomes(ctx context.Context, ids []string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string][]byte{}
	for _, id := range ids {
		if c := m.call(id); c != nil && c.state.Answered {
			all[id] = c.outcome
		}
	}
	return all, ctx.Err()
}

// CallStates implements [store.SharedCalls].
func (m *Shared) CallStates(ctx context.Context, ids []string) (all []store.CallState, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.calls {
		if slices.Contains(ids, c.placed.ID) {
			all = append(all, c.state)
		}
	}
	return all, ctx.Err()
}
