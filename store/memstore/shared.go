package memstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// Shared is a [store.SharedRuns] in memory, for tests of several processes that share one store.
// The zero Shared is ready for use.
type Shared struct {
	// RunBytes limits the size of one run; 0 means no limit. It must not change while the store is
	// in use.
	RunBytes int64
	// Activations, if set, provides the epoch of the process that fires triggers.
	Activations *ActivationStore

	// mu is held while runs change. Lock order: mu, then index.mu.
	mu     sync.Mutex
	runs   Runs
	going  map[string]*sharedRun // unfinished runs
	leases map[string]time.Time  // when the leases of drivers expire
	calls  []*memoryCall         // of unfinished runs
	ends   []store.RunEnd        // in order
	awaits map[string]*awaited   // by run
}

// sharedRun is the state of an unfinished run, except its journal.
type sharedRun struct {
	entry     *runindex.Entry[memoryRun]
	placed    bool
	cancelled bool
	epoch     int
	takes     int
	driver    string
	parked    time.Time
	last      time.Time // time of its last frame
}

// Begin implements [store.SharedRuns].
func (m *Shared) Begin(ctx context.Context, start run.Start, limits store.SharedLimits) error {
	if _, err := store.SharedID(start.RunID); err != nil {
		return fmt.Errorf("begin run: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.mayBegin(&start, limits); err != nil {
		return fmt.Errorf("begin run: %w", err)
	}
	if _, err := m.runs.Create(ctx, start); err != nil {
		return err
	}
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	if m.going == nil {
		m.going = map[string]*sharedRun{}
	}
	m.going[start.RunID] = &sharedRun{entry: m.runs.index.Runs[start.RunID], placed: start.First() == engine.StatusRunning}
	return nil
}

func (m *Shared) mayBegin(start *run.Start, limits store.SharedLimits) error {
	if start.IdempotencyKey != "" {
		m.runs.index.Mu.Lock()
		held, err := m.runs.index.StartOf(start.IdempotencyKey)
		m.runs.index.Mu.Unlock()
		if !errors.Is(err, store.ErrRunNotFound) {
			return &store.KeyHeldError{Start: held, Gone: err != nil}
		}
	}
	if err := m.fenced(limits); err != nil {
		return err
	}
	for _, r := range m.going {
		if start.ResumedFrom != "" && r.entry.Record.ResumedFrom == start.ResumedFrom {
			return store.ErrRunResumed
		}
	}
	if start.First() == engine.StatusRunning {
		return m.place(limits)
	}
	return nil
}

// place returns [store.ErrNoPlace] if no run slot is free.
func (m *Shared) place(limits store.SharedLimits) error {
	taken := 0
	for _, r := range m.going {
		if r.placed {
			taken++
		}
	}
	if limits.Unfinished > 0 && taken >= limits.Unfinished {
		return store.ErrNoPlace
	}
	return nil
}

// find returns an unfinished run. The caller holds mu.
func (m *Shared) find(ctx context.Context, runID string) (*sharedRun, error) {
	if r := m.going[runID]; r != nil {
		return r, ctx.Err()
	}
	if _, err := m.runs.Record(ctx, runID); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("find run %s: %w", runID, store.ErrRunEnded)
}

// Keep implements [store.SharedRuns].
func (m *Shared) Keep(ctx context.Context, ended []run.Kept) []error {
	var errs runtext.EachError
	for i := range ended {
		_, err := store.SharedID(ended[i].Start.RunID)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = m.runs.keep(&ended[i])
		}
		if err == nil {
			m.mu.Lock()
			m.ends = append(m.ends, store.RunEnd{RunID: ended[i].Start.RunID, At: time.Now()})
			m.mu.Unlock()
		}
		errs.Note(i, len(ended), "keep run", err)
	}
	return errs
}

// Take implements [store.SharedRuns].
func (m *Shared) Take(ctx context.Context, runID, driver string) (store.Taken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(ctx, runID)
	if err != nil {
		return store.Taken{}, err
	}
	if r.driver != driver && m.alive(r.driver) {
		return store.Taken{}, fmt.Errorf("take run %s: %w", runID, store.ErrRunDriven)
	}
	lost := r.driver != ""
	r.epoch++
	r.takes++
	r.driver, r.parked = driver, time.Time{}
	return store.Taken{
		SharedJournal: &sharedMemoryJournal{m, r, r.epoch}, Epoch: r.epoch, Frames: r.entry.Frames, Last: r.last,
		Takes: r.takes, Lost: lost, Cancelled: r.cancelled,
	}, nil
}

// ReleaseAllExcept implements [store.SharedRuns].
func (m *Shared) ReleaseAllExcept(ctx context.Context, driver string, but []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, r := range m.going {
		if r.driver == driver && !slices.Contains(but, id) {
			r.left(time.Time{})
		}
	}
	return ctx.Err()
}

// left records that the driver has left the run properly.
func (r *sharedRun) left(parked time.Time) {
	r.driver, r.takes, r.parked = "", max(r.takes-1, 0), parked
}

func (m *Shared) alive(driver string) bool {
	return driver != "" && time.Now().Before(m.leases[driver])
}

// Renew implements [store.SharedRuns].
func (m *Shared) Renew(ctx context.Context, driver string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leases == nil {
		m.leases = map[string]time.Time{}
	}
	m.leases[driver] = time.Now().Add(store.LeaseLife)
	return ctx.Err()
}

// Retire implements [store.SharedRuns].
func (m *Shared) Retire(ctx context.Context, driver string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.leases, driver)
	return ctx.Err()
}

// Unfinished implements [store.SharedRuns].
func (m *Shared) Unfinished(ctx context.Context, limit int) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	var ids []string
	for _, e := range m.runs.index.Order {
		r := m.going[e.Record.RunID]
		if r != nil && !r.waits() && !m.alive(r.driver) && !time.Now().Before(r.parked) && len(ids) < limit {
			ids = append(ids, e.Record.RunID)
		}
	}
	return ids, ctx.Err()
}

// RequestCancel implements [store.SharedRuns].
func (m *Shared) RequestCancel(ctx context.Context, runID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(ctx, runID)
	if err == nil {
		r.cancelled = true
	}
	return err
}

// Changes implements [store.SharedRuns].
func (m *Shared) Changes(ctx context.Context, runIDs []string) ([]store.Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	var changes []store.Change
	for _, id := range runIDs {
		e := m.runs.index.Runs[id]
		if e == nil {
			continue
		}
		c := store.Change{RunID: id, Frames: e.Frames, Status: e.Record.Status, Cancelled: e.Content.cancelled, Epoch: e.Content.epoch}
		if r := m.going[id]; r != nil {
			c.Cancelled, c.Epoch, c.Driver, c.Parked = r.cancelled, r.epoch, r.driver, r.parked
		}
		changes = append(changes, c)
	}
	return changes, ctx.Err()
}

// Put implements [store.SharedRuns].
func (m *Shared) Put(ctx context.Context, runID string, text []byte) (run.Digest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := run.Digest(sha256.Sum256(text))
	r, err := m.find(ctx, runID)
	if err != nil {
		return d, err
	}
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	if _, known := r.entry.Content.values[d]; known {
		return d, nil
	}
	if m.RunBytes > 0 && r.entry.Bytes+int64(len(text)) > m.RunBytes {
		return d, &store.RunBytesError{Most: m.RunBytes}
	}
	r.entry.Content.values[d] = append([]byte(nil), text...)
	r.entry.Bytes += int64(len(text))
	m.runs.index.Bytes += int64(len(text))
	return d, nil
}

// Delete implements [store.SharedRuns].
func (m *Shared) Delete(ctx context.Context, runID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runs.Delete(ctx, runID)
}

// Tidy implements [store.SharedRuns].
func (m *Shared) Tidy(ctx context.Context, keep store.Retention) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.Mu.Lock()
	defer m.runs.index.Mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	m.forgetCalls()
	m.runs.index.Prune(keep, time.Now())
	return nil
}

// Check implements [store.SharedRuns].
func (m *Shared) Check(ctx context.Context) error { return ctx.Err() }

// Close implements [store.SharedRuns].
func (m *Shared) Close() error { return nil }
