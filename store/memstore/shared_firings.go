package memstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// awaited is an answer that a caller waits for.
type awaited struct {
	key    []byte
	sealed []byte // nil until it is stored
}

// waits reports whether the run waits for a slot.
func (r *sharedRun) waits() bool {
	return !r.placed && r.entry.Record.Status == engine.StatusWaiting
}

// fenced returns an error if the caller's arming is over.
func (m *Shared) fenced(limits store.SharedLimits) error {
	if limits.Armed != 0 && m.Activations != nil && m.Activations.Epoch() != limits.Armed {
		return store.ErrArmedElsewhere
	}
	return nil
}

// Admit implements [store.SharedFirings].
func (m *Shared) Admit(ctx context.Context, runID string, limits store.SharedLimits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(ctx, runID)
	if err == nil {
		err = m.fenced(limits)
	}
	if err != nil || r.placed {
		return err
	}
	if err := m.place(limits); err != nil {
		return err
	}
	r.placed = true
	return nil
}

// Waiting implements [store.SharedFirings].
func (m *Shared) Waiting(ctx context.Context, since time.Time) ([]run.Record, error) {
	return m.fired(func(r *sharedRun) bool { return r.waits() && r.entry.Record.StartedAt.Time().After(since) }), ctx.Err()
}

// Admitted implements [store.SharedFirings].
func (m *Shared) Admitted(ctx context.Context) ([]run.Record, error) {
	return m.fired(func(r *sharedRun) bool { return !r.waits() && r.entry.Record.StartedBy != nil }), ctx.Err()
}

// fired returns the unfinished runs for which is returns true, oldest first.
func (m *Shared) fired(is func(*sharedRun) bool) (all []run.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	for _, e := range m.runs.index.Order {
		if r := m.going[e.Record.RunID]; r != nil && is(r) {
			all = append(all, e.Record.Record())
		}
	}
	return all
}

// Inbox implements [store.SharedFirings].
func (m *Shared) Inbox(ctx context.Context) (b store.Inbox, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	for _, r := range m.going {
		if r.waits() {
			b.Runs, b.Bytes = b.Runs+1, b.Bytes+r.entry.Bytes
		}
	}
	return b, ctx.Err()
}

// EndedSince implements [store.SharedFirings].
func (m *Shared) EndedSince(ctx context.Context, since time.Time) ([]store.RunEnd, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first, _ := slices.BinarySearchFunc(m.ends, since, func(e store.RunEnd, at time.Time) int { return e.At.Compare(at) })
	return slices.Clone(m.ends[first:]), ctx.Err()
}

// Await implements [store.SharedFirings].
func (m *Shared) Await(ctx context.Context, runID string, key []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.awaits == nil {
		m.awaits = map[string]*awaited{}
	}
	m.awaits[runID] = &awaited{key: slices.Clone(key)}
	return ctx.Err()
}

// Unawait implements [store.SharedFirings].
func (m *Shared) Unawait(ctx context.Context, runID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.awaits, runID)
	return ctx.Err()
}

// Awaiting implements [store.SharedFirings].
func (m *Shared) Awaiting(ctx context.Context, runID string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, err := m.awaited(runID)
	if err != nil {
		return nil, err
	}
	return a.key, ctx.Err()
}

// awaited returns the pending answer of a run. The caller holds mu.
func (m *Shared) awaited(runID string) (*awaited, error) {
	a := m.awaits[runID]
	if a == nil || a.sealed != nil {
		return nil, fmt.Errorf("answer run %s: %w", runID, store.ErrNobodyAwaits)
	}
	return a, nil
}

// Answer implements [store.SharedFirings].
func (m *Shared) Answer(ctx context.Context, runID string, sealed []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, err := m.awaited(runID)
	if err != nil {
		return err
	}
	a.sealed = slices.Clone(sealed)
	return ctx.Err()
}

// Answers implements [store.SharedFirings].
func (m *Shared) Answers(ctx context.Context, runIDs []string) (all []store.SealedAnswer, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range runIDs {
		if a := m.awaits[id]; a != nil && a.sealed != nil {
			all = append(all, store.SealedAnswer{RunID: id, Sealed: string(a.sealed)})
		}
	}
	return all, ctx.Err()
}
