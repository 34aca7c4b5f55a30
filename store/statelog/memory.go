package statelog

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
)

// Memory stores state in memory. The zero value is ready for use.
type Memory struct {
	mu    sync.Mutex
	table *stateTable
}

// State implements [store.StateStore].
func (s *Memory) State(ctx context.Context, key store.StateKey) (v store.StateValue, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) {
		v = t.value(key, now)
		return nil, nil
	})
	return v, err
}

// States implements [store.StateStore].
func (s *Memory) States(ctx context.Context, workflowID, after string, maxBytes int) (page []store.KeyedState, more bool, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) {
		page, more = t.page(workflowID, after, maxBytes, now)
		return nil, nil
	})
	return page, more, err
}

// ChangeState implements [store.StateStore].
func (s *Memory) ChangeState(ctx context.Context, key store.StateKey, change func(now store.StateValue) (store.StateValue, error)) (v store.StateValue, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) (lines []*stateLine, err error) {
		v, lines, err = changeState(t, key, change, now)
		return lines, err
	})
	return v, err
}

// Lend implements [store.StateStore].
func (s *Memory) Lend(ctx context.Context, key store.StateKey, l store.Lent) (isNew []bool, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) (lines []*stateLine, err error) {
		isNew, lines, err = lendItems(t, key, l, now)
		return lines, err
	})
	return isNew, err
}

// Settle implements [store.StateStore].
func (s *Memory) Settle(ctx context.Context, holder string, seen bool) error {
	return s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) { return t.settle(holder, seen, now), nil })
}

// Relend implements [store.StateStore].
func (s *Memory) Relend(ctx context.Context, holder string) error {
	return s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) { return t.relend(holder, now), nil })
}

// ForgetState implements [store.StateStore].
func (s *Memory) ForgetState(ctx context.Context, workflowID string) error {
	return s.with(ctx, func(t *stateTable, _ time.Time) ([]*stateLine, error) { return forgetState(t, workflowID), nil })
}

// with calls f and applies the changes it returns.
func (s *Memory) with(ctx context.Context, f func(t *stateTable, now time.Time) ([]*stateLine, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.table == nil {
		s.table = newStateTable()
	}
	lines, err := f(s.table, time.Now())
	if err != nil {
		return err
	}
	s.table.applyAll(lines)
	return nil
}

// changeState returns the lines of a [store.StateStore.ChangeState].
func changeState(t *stateTable, key store.StateKey, change func(now store.StateValue) (store.StateValue, error), now time.Time) (store.StateValue, []*stateLine, error) {
	if err := store.CheckStateKey(key.Key); err != nil {
		return store.StateValue{}, nil, err
	}
	before := t.value(key, now)
	after, err := change(before)
	switch {
	case err != nil:
		return store.StateValue{}, nil, err
	case len(after.Value) > limit.StateValue:
		return store.StateValue{}, nil, store.ErrStateValue
	case after.Value == nil && t.values[key].Value == nil:
		return store.StateValue{}, nil, nil
	}
	after.Value = bytes.Clone(after.Value)
	line, err := t.change(key, after, now)
	if err != nil {
		return store.StateValue{}, nil, err
	}
	made := store.StateValue{Value: after.Value, Revision: line.Revision, Until: line.Until}
	if after.Value == nil {
		made = store.StateValue{}
	}
	return made, []*stateLine{line}, nil
}

// lendItems returns the lines of a [store.StateStore.Lend].
func lendItems(t *stateTable, key store.StateKey, l store.Lent, now time.Time) ([]bool, []*stateLine, error) {
	if err := store.CheckStateKey(key.Key); err != nil {
		return nil, nil, err
	}
	isNew, line, err := t.lend(key, l, now)
	if line == nil || err != nil {
		return isNew, nil, err
	}
	return isNew, []*stateLine{line}, nil
}

// forgetState returns the lines of a [store.StateStore.ForgetState].
func forgetState(t *stateTable, workflowID string) []*stateLine {
	of := func(key store.StateKey) bool { return key.WorkflowID == workflowID }
	known := slices.ContainsFunc(slices.Collect(maps.Keys(t.values)), of) || slices.ContainsFunc(slices.Collect(maps.Keys(t.lists)), of)
	for _, loans := range t.lent {
		known = known || slices.ContainsFunc(loans, func(loan *lending) bool { return of(loan.key) })
	}
	if workflowID == "" || !known {
		return nil
	}
	return []*stateLine{{Do: stateForget, WorkflowID: workflowID}}
}

var _ store.StateStore = (*Memory)(nil)
