package store

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// MemoryRuns is a [RunStore] that lives as long as the process, for tests, for
// the desktop and for programs that need no journal. The zero MemoryRuns is
// empty, ready for use and keeps everything.
type MemoryRuns struct {
	// Keep bounds what is kept. It must not change once the store is in use.
	Keep Retention

	index runIndex[memoryRun]
}

type memoryRun struct {
	start  startText
	frames []run.Frame
	writer *memoryJournal // nil once its owner has closed the store
}

type memoryJournal struct {
	runs  *MemoryRuns
	entry *runEntry[memoryRun]
}

// Create implements [RunStore].
func (m *MemoryRuns) Create(ctx context.Context, start run.Start) (Journal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := encodeStart(start)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	if err := m.index.reserve(start.RunID, start.IdempotencyKey); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	e := &runEntry[memoryRun]{
		record: text.summary.record(), key: start.IdempotencyKey, digest: start.RequestDigest, bytes: int64(len(text.body)),
		writing: true, content: memoryRun{start: text},
	}
	e.content.writer = &memoryJournal{m, e}
	m.index.add(e)
	m.index.prune(m.Keep, time.Now())
	return e.content.writer, nil
}

// Append implements [Journal].
func (j *memoryJournal) Append(f run.Frame) error {
	x := &j.runs.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if !j.entry.writing || j.entry.content.writer != j {
		return fmt.Errorf("append to run %s: %w", j.entry.record.RunID, fs.ErrClosed)
	}
	how, err := checkAppend(f, j.entry.frames)
	if err != nil {
		return fmt.Errorf("append to run %s: %w", j.entry.record.RunID, err)
	}
	j.entry.content.frames = append(j.entry.content.frames, f)
	x.grow(j.entry, int64(len(f.Data)))
	if f.Name.Terminal() {
		x.end(j.entry, how)
		x.prune(j.runs.Keep, time.Now())
	}
	return nil
}

// Unfinished implements [RunStore].
func (m *MemoryRuns) Unfinished(ctx context.Context) ([]string, error) {
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	return m.index.unfinished(), ctx.Err()
}

// Reopen implements [RunStore].
func (m *MemoryRuns) Reopen(ctx context.Context, runID string) (Journal, error) {
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := m.index.claim(runID)
	if err != nil {
		return nil, fmt.Errorf("reopen run: %w", err)
	}
	e.content.writer = &memoryJournal{m, e}
	return e.content.writer, nil
}

// Start implements [RunStore].
func (m *MemoryRuns) Start(ctx context.Context, runID string) (run.Start, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return run.Start{}, err
	}
	return e.content.start.decode()
}

// ByKey implements [RunStore].
func (m *MemoryRuns) ByKey(ctx context.Context, key string) (run.Start, error) {
	if err := ctx.Err(); err != nil {
		return run.Start{}, err
	}
	m.index.mu.Lock()
	k, gone, err := m.index.byKey(key)
	m.index.mu.Unlock()
	switch {
	case err != nil:
		return run.Start{}, fmt.Errorf("find run by its key: %w", err)
	case gone:
		return k.start(), ErrRunGone
	}
	return m.Start(ctx, k.RunID)
}

// Delete implements [RunStore].
func (m *MemoryRuns) Delete(ctx context.Context, runID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	if _, err := m.index.remove(runID, time.Now()); err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	return nil
}

// Record implements [RunStore].
func (m *MemoryRuns) Record(ctx context.Context, runID string) (run.Record, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return run.Record{}, err
	}
	m.index.mu.Lock()
	record, frames := e.record, e.content.frames
	m.index.mu.Unlock()
	if record.Status != engine.StatusRunning {
		record.Result, err = readResult(frames[len(frames)-1])
	}
	return record, err
}

// Records implements [RunStore].
func (m *MemoryRuns) Records(ctx context.Context, q run.Query) (run.Page, error) {
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return run.Page{}, err
	}
	return m.index.page(q)
}

// Frames implements [RunStore].
func (m *MemoryRuns) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return nil, err
	}
	m.index.mu.Lock()
	frames := e.content.frames
	m.index.mu.Unlock()
	frames = frames[min(max(after, 0), len(frames)):]
	n, size := 0, 0
	for n < len(frames) {
		size += len(frames[n].Name) + len(frames[n].Data)
		if n > 0 && size > maxBytes {
			break
		}
		n++
	}
	return frames[:n:n], nil
}

// Close implements [RunStore]. The next owner uses the same MemoryRuns and finds
// in it what was kept.
func (m *MemoryRuns) Close() error {
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	for _, e := range m.index.order {
		e.writing, e.content.writer = false, nil
	}
	return nil
}

func (m *MemoryRuns) find(ctx context.Context, runID string) (*runEntry[memoryRun], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	e, err := m.index.get(runID)
	if err != nil {
		return nil, fmt.Errorf("find run: %w", err)
	}
	return e, nil
}
