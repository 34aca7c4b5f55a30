package store

import (
	"context"
	"fmt"
	"slices"
)

// memoryCall is a call, and how far it is.
type memoryCall struct {
	placed  PlacedCall
	state   CallState
	outcome []byte
}

// PlaceCalls implements [SharedCalls].
func (m *MemoryShared) PlaceCalls(ctx context.Context, calls []PlacedCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range calls {
		if _, err := m.find(ctx, c.RunID); err != nil {
			return fmt.Errorf("place calls: %w", err)
		}
		if m.call(c.ID) == nil {
			c.Inputs = slices.Clone(c.Inputs)
			m.calls = append(m.calls, &memoryCall{placed: c, state: CallState{ID: c.ID}})
		}
	}
	return nil
}

// call returns a call, or nil. The caller holds mu.
func (m *MemoryShared) call(id string) *memoryCall {
	if i := slices.IndexFunc(m.calls, func(c *memoryCall) bool { return c.placed.ID == id }); i >= 0 {
		return m.calls[i]
	}
	return nil
}

// forgetCalls forgets the calls of runs that have ended: until then, who answers them hears that
// nobody waits any more. The caller holds mu.
func (m *MemoryShared) forgetCalls() {
	m.calls = slices.DeleteFunc(m.calls, func(c *memoryCall) bool { return m.going[c.placed.RunID] == nil })
}

// PlacedCalls implements [SharedCalls].
func (m *MemoryShared) PlacedCalls(ctx context.Context, runID string) (all []PlacedCall, err error) {
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

// BeginAnswer implements [SharedCalls].
func (m *MemoryShared) BeginAnswer(ctx context.Context, id, worker string) (PlacedCall, CallState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.call(id)
	if c == nil {
		return PlacedCall{}, CallState{}, ErrNoCall
	}
	before := c.state
	c.state.Worker = worker
	return c.placed, before, ctx.Err()
}

// changeCall changes a call, if it is kept.
func (m *MemoryShared) changeCall(ctx context.Context, id string, change func(c *memoryCall)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.call(id); c != nil && ctx.Err() == nil {
		change(c)
	}
	return ctx.Err()
}

// TellProgress implements [SharedCalls].
func (m *MemoryShared) TellProgress(ctx context.Context, id, progress string) error {
	return m.changeCall(ctx, id, func(c *memoryCall) { c.state.Progress = progress })
}

// AnswerCalls implements [SharedCalls].
func (m *MemoryShared) AnswerCalls(ctx context.Context, answers []CallAnswer) error {
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

// CancelCall implements [SharedCalls].
func (m *MemoryShared) CancelCall(ctx context.Context, id string) error {
	return m.changeCall(ctx, id, func(c *memoryCall) { c.state.Cancelled = true })
}

// Outcomes implements [SharedCalls].
func (m *MemoryShared) Outcomes(ctx context.Context, ids []string) (map[string][]byte, error) {
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

// CallStates implements [SharedCalls].
func (m *MemoryShared) CallStates(ctx context.Context, ids []string) (all []CallState, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.calls {
		if slices.Contains(ids, c.placed.ID) {
			all = append(all, c.state)
		}
	}
	return all, ctx.Err()
}
