package store

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
)

// MemoryShared is a [SharedRuns] that lives as long as the process, for tests of what many
// processes do: all of them use the same one. The zero MemoryShared is empty and ready for use.
type MemoryShared struct {
	// RunBytes bounds what one run may put down; 0 is no bound. It must not change once the
	// store is in use.
	RunBytes int64
	// Activations, if set, knows who lets triggers fire.
	Activations *MemoryActivations

	// mu is held by what changes runs; index.mu, which reading takes, comes behind it.
	mu     sync.Mutex
	runs   MemoryRuns
	going  map[string]*sharedRun // runs that have not ended
	leases map[string]time.Time  // until when drivers are alive
	calls  []*memoryCall         // of runs that have not ended
	ends   []RunEnd              // in order
	awaits map[string]*awaited   // answers of runs that somebody waits for
}

// sharedRun is what is known of a run that goes on, besides its journal.
type sharedRun struct {
	entry     *runEntry[memoryRun]
	placed    bool
	cancelled bool
	epoch     int
	takes     int
	driver    string
	parked    time.Time
	last      time.Time // of its last frame
}

// Begin implements [SharedRuns].
func (m *MemoryShared) Begin(ctx context.Context, start run.Start, limits SharedLimits) error {
	if _, err := SharedID(start.RunID); err != nil {
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
	m.runs.index.mu.Lock()
	defer m.runs.index.mu.Unlock()
	if m.going == nil {
		m.going = map[string]*sharedRun{}
	}
	m.going[start.RunID] = &sharedRun{entry: m.runs.index.runs[start.RunID], placed: start.First() == engine.StatusRunning}
	return nil
}

func (m *MemoryShared) mayBegin(start *run.Start, limits SharedLimits) error {
	if start.IdempotencyKey != "" {
		m.runs.index.mu.Lock()
		held, err := m.runs.index.startOf(start.IdempotencyKey)
		m.runs.index.mu.Unlock()
		if !errors.Is(err, ErrRunNotFound) {
			return &KeyHeldError{Start: held, Gone: err != nil}
		}
	}
	if err := m.fenced(limits); err != nil {
		return err
	}
	for _, r := range m.going {
		if start.ResumedFrom != "" && r.entry.record.ResumedFrom == start.ResumedFrom {
			return ErrRunResumed
		}
	}
	if start.First() == engine.StatusRunning {
		return m.place(limits)
	}
	return nil
}

// place says whether there is a place.
func (m *MemoryShared) place(limits SharedLimits) error {
	taken := 0
	for _, r := range m.going {
		if r.placed {
			taken++
		}
	}
	if limits.Unfinished > 0 && taken >= limits.Unfinished {
		return ErrNoPlace
	}
	return nil
}

// find returns a run that has not ended. The caller holds mu.
func (m *MemoryShared) find(ctx context.Context, runID string) (*sharedRun, error) {
	if r := m.going[runID]; r != nil {
		return r, ctx.Err()
	}
	if _, err := m.runs.Record(ctx, runID); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("find run %s: %w", runID, ErrRunEnded)
}

// Keep implements [SharedRuns].
func (m *MemoryShared) Keep(ctx context.Context, ended []run.Kept) []error {
	var errs eachError
	for i := range ended {
		_, err := SharedID(ended[i].Start.RunID)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = m.runs.keep(&ended[i])
		}
		if err == nil {
			m.mu.Lock()
			m.ends = append(m.ends, RunEnd{ended[i].Start.RunID, time.Now()})
			m.mu.Unlock()
		}
		errs.note(i, len(ended), "keep run", err)
	}
	return errs
}

// Take implements [SharedRuns].
func (m *MemoryShared) Take(ctx context.Context, runID, driver string) (Taken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(ctx, runID)
	if err != nil {
		return Taken{}, err
	}
	if r.driver != driver && m.alive(r.driver) {
		return Taken{}, fmt.Errorf("take run %s: %w", runID, ErrRunDriven)
	}
	lost := r.driver != ""
	r.epoch++
	r.takes++
	r.driver, r.parked = driver, time.Time{}
	return Taken{
		SharedJournal: &sharedMemoryJournal{m, r, r.epoch}, Epoch: r.epoch, Frames: r.entry.frames, Last: r.last,
		Takes: r.takes, Lost: lost, Cancelled: r.cancelled,
	}, nil
}

// Disown implements [SharedRuns].
func (m *MemoryShared) Disown(ctx context.Context, driver string, but []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, r := range m.going {
		if r.driver == driver && !slices.Contains(but, id) {
			r.left(time.Time{})
		}
	}
	return ctx.Err()
}

// left notes that its driver has left the run in good order.
func (r *sharedRun) left(parked time.Time) {
	r.driver, r.takes, r.parked = "", max(r.takes-1, 0), parked
}

func (m *MemoryShared) alive(driver string) bool {
	return driver != "" && time.Now().Before(m.leases[driver])
}

// Renew implements [SharedRuns].
func (m *MemoryShared) Renew(ctx context.Context, driver string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leases == nil {
		m.leases = map[string]time.Time{}
	}
	m.leases[driver] = time.Now().Add(LeaseLife)
	return ctx.Err()
}

// Retire implements [SharedRuns].
func (m *MemoryShared) Retire(ctx context.Context, driver string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.leases, driver)
	return ctx.Err()
}

// Unfinished implements [SharedRuns].
func (m *MemoryShared) Unfinished(ctx context.Context, limit int) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.mu.Lock()
	defer m.runs.index.mu.Unlock()
	var ids []string
	for _, e := range m.runs.index.order {
		r := m.going[e.record.RunID]
		if r != nil && !r.waits() && !m.alive(r.driver) && !time.Now().Before(r.parked) && len(ids) < limit {
			ids = append(ids, e.record.RunID)
		}
	}
	return ids, ctx.Err()
}

// RequestCancel implements [SharedRuns].
func (m *MemoryShared) RequestCancel(ctx context.Context, runID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(ctx, runID)
	if err == nil {
		r.cancelled = true
	}
	return err
}

// Changes implements [SharedRuns].
func (m *MemoryShared) Changes(ctx context.Context, runIDs []string) ([]Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.mu.Lock()
	defer m.runs.index.mu.Unlock()
	var changes []Change
	for _, id := range runIDs {
		e := m.runs.index.runs[id]
		if e == nil {
			continue
		}
		c := Change{RunID: id, Frames: e.frames, Status: e.record.Status, Cancelled: e.content.cancelled, Epoch: e.content.epoch}
		if r := m.going[id]; r != nil {
			c.Cancelled, c.Epoch, c.Driver, c.Parked = r.cancelled, r.epoch, r.driver, r.parked
		}
		changes = append(changes, c)
	}
	return changes, ctx.Err()
}

// Put implements [SharedRuns].
func (m *MemoryShared) Put(ctx context.Context, runID string, text []byte) (run.Digest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := run.Digest(sha256.Sum256(text))
	r, err := m.find(ctx, runID)
	if err != nil {
		return d, err
	}
	m.runs.index.mu.Lock()
	defer m.runs.index.mu.Unlock()
	if _, known := r.entry.content.values[d]; known {
		return d, nil
	}
	if m.RunBytes > 0 && r.entry.bytes+int64(len(text)) > m.RunBytes {
		return d, &RunBytesError{Most: m.RunBytes}
	}
	r.entry.content.values[d] = append([]byte(nil), text...)
	r.entry.bytes += int64(len(text))
	m.runs.index.bytes += int64(len(text))
	return d, nil
}

// Delete implements [SharedRuns].
func (m *MemoryShared) Delete(ctx context.Context, runID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runs.Delete(ctx, runID)
}

// Tidy implements [SharedRuns].
func (m *MemoryShared) Tidy(ctx context.Context, keep Retention) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.index.mu.Lock()
	defer m.runs.index.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	m.forgetCalls()
	m.runs.index.prune(keep, time.Now())
	return nil
}

// Check implements [SharedRuns].
func (m *MemoryShared) Check(ctx context.Context) error { return ctx.Err() }

// Close implements [SharedRuns].
func (m *MemoryShared) Close() error { return nil }
