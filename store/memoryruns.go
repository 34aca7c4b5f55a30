package store

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// MemoryRuns is a [RunStore] that lives as long as the process, for tests, for
// the desktop and for programs that need no journal. The zero MemoryRuns is
// empty, ready for use and keeps everything.
type MemoryRuns struct {
	// Retention bounds what is kept, and RunBytes what one run may put down; 0 is no
	// bound. They must not change once the store is in use.
	Retention Retention
	RunBytes  int64

	index runIndex[memoryRun]
}

type memoryRun struct {
	start  *startText
	values map[run.Digest][]byte
	frames []run.Frame
	writer *memoryJournal // nil once its owner has closed the store

	// Of shared runs that have ended: see [Change].
	cancelled bool
	epoch     int
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
	e, err := m.entry(&start)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	e.writing = true
	e.content.writer = &memoryJournal{m, e}
	m.index.add(e)
	m.index.prune(m.Retention, time.Now())
	return e.content.writer, nil
}

// entry returns a run that begins, whose id it takes.
func (m *MemoryRuns) entry(start *run.Start) (*runEntry[memoryRun], error) {
	text, err := encodeStart(start)
	if err != nil {
		return nil, err
	}
	if err := m.index.reserve(start.RunID, start.IdempotencyKey); err != nil {
		return nil, err
	}
	e := &runEntry[memoryRun]{
		record: briefOf(&text.summary), request: requestOf(&text.summary),
		bytes: int64(len(text.inputs.Data)), content: memoryRun{start: text, values: map[run.Digest][]byte{}},
	}
	if start.Document == nil {
		e.bytes += int64(len(text.document.Text)) // it shares none
	}
	for i := range text.inputs.Holes {
		e.bytes += int64(text.inputs.Holes[i].Size)
		e.content.values[text.inputs.Holes[i].Digest] = text.inputs.Holes[i].Text
	}
	return e, nil
}

// Keep implements [RunStore].
func (m *MemoryRuns) Keep(ctx context.Context, ended []run.Kept) []error {
	var errs eachError
	for i := range ended {
		err := ctx.Err()
		if err == nil {
			err = m.keep(&ended[i])
		}
		errs.note(i, len(ended), "keep run", err)
	}
	return errs
}

func (m *MemoryRuns) keep(k *run.Kept) error {
	e, err := m.entry(&k.Start)
	if err != nil {
		return err
	}
	for f := range run.Frames(k.Outcome) {
		how, size, err := m.take(e, &f)
		if err != nil {
			m.index.release(k.Start.RunID)
			return err
		}
		e.frames++
		e.bytes += size
		if f.Name.Terminal() {
			e.record.end(how)
		}
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	m.index.add(e)
	m.index.prune(m.Retention, time.Now())
	return nil
}

// take adds a frame, and tells of how many bytes it is with the values that are new.
func (m *MemoryRuns) take(e *runEntry[memoryRun], f *run.Frame) (how ending, size int64, err error) {
	if how, err = checkAppend(f, e.frames); err != nil {
		return how, 0, err
	}
	size = int64(len(f.Data))
	added := map[run.Digest][]byte{}
	kept := *f
	kept.Holes = nil
	for _, h := range f.Holes {
		_, known := e.content.values[h.Digest]
		if _, twice := added[h.Digest]; h.Frame == 0 && !known && !twice {
			if h.Text == nil {
				return how, 0, ErrNoValue
			}
			added[h.Digest] = h.Text
			size += int64(len(h.Text))
		}
		h.Text = nil
		kept.Holes = append(kept.Holes, h)
	}
	if m.RunBytes > 0 && e.bytes+size > m.RunBytes && !f.Name.Terminal() {
		return how, 0, &RunBytesError{Most: m.RunBytes}
	}
	maps.Copy(e.content.values, added)
	e.content.frames = append(e.content.frames, kept)
	return how, size, nil
}

// Append implements [Journal].
func (j *memoryJournal) Append(f run.Frame) error {
	x := &j.runs.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if !j.entry.writing || j.entry.content.writer != j {
		return fmt.Errorf("append to run %s: %w", j.entry.record.RunID, fs.ErrClosed)
	}
	how, size, err := j.runs.take(j.entry, &f)
	if err != nil {
		return fmt.Errorf("append to run %s: %w", j.entry.record.RunID, err)
	}
	x.grow(j.entry, size)
	if f.Name.Terminal() {
		x.end(j.entry, how)
		x.prune(j.runs.Retention, time.Now())
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

// Outline implements [RunStore].
func (m *MemoryRuns) Outline(ctx context.Context, runID string) (*workflow.Definition, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return nil, err
	}
	return outlineOf(e.content.start.document)
}

// Finish implements [RunStore].
func (m *MemoryRuns) Finish(ctx context.Context, lasts []Last) []error {
	var errs eachError
	for i := range lasts {
		errs.note(i, len(lasts), "finish run", m.finish(ctx, &lasts[i]))
	}
	return errs
}

func (m *MemoryRuns) finish(ctx context.Context, last *Last) error {
	if err := checkLast(&last.Frame); err != nil {
		return err
	}
	j, err := m.Reopen(ctx, last.RunID)
	if err != nil {
		return err
	}
	if err = j.Append(last.Frame); err != nil {
		m.index.mu.Lock()
		defer m.index.mu.Unlock()
		e := m.index.runs[last.RunID]
		e.writing, e.content.writer = false, nil
	}
	return err
}

// memorySource has the values of a run.
type memorySource struct{ values map[run.Digest][]byte }

// Value implements [run.Source].
func (s memorySource) Value(d run.Digest) ([]byte, error) {
	text, ok := s.values[d]
	if !ok {
		return nil, ErrNoValue
	}
	return text, nil
}

// Frame implements [run.Source]; inputs refer to no frame.
func (memorySource) Frame(int) (run.Frame, error) { return run.Frame{}, ErrNoValue }

// Nodes implements [run.Source].
func (memorySource) Nodes(int) (run.Frame, error) { return run.Frame{}, ErrNoValue }

// Start implements [RunStore].
func (m *MemoryRuns) Start(ctx context.Context, runID string) (run.Start, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return run.Start{}, err
	}
	return e.content.start.decode(memorySource{}) // its inputs are at hand
}

// ByKey implements [RunStore].
func (m *MemoryRuns) ByKey(ctx context.Context, key string) (run.Start, error) {
	if err := ctx.Err(); err != nil {
		return run.Start{}, err
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	return m.index.startOf(key)
}

// Delete implements [RunStore].
func (m *MemoryRuns) Delete(ctx context.Context, runID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	e, err := m.index.deletable(runID)
	if err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	m.index.remove(e)
	return nil
}

// Record implements [RunStore].
func (m *MemoryRuns) Record(ctx context.Context, runID string) (run.Record, error) {
	if err := ctx.Err(); err != nil {
		return run.Record{}, err
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	return m.index.record(runID)
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
	return firstBytes(frames[min(max(after, 0), len(frames)):], maxBytes), nil
}

// Value implements [RunStore].
func (m *MemoryRuns) Value(ctx context.Context, runID string, d run.Digest) ([]byte, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return nil, err
	}
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	text, err := memorySource{e.content.values}.Value(d)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", runID, err)
	}
	return text, nil
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
