package memstore

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// Runs is a [store.RunStore] in memory, for tests, the desktop app and programs that need no
// journal. The zero Runs is ready for use and keeps all runs.
type Runs struct {
	// Retention limits what is kept, and RunBytes the size of one run; 0 means no limit. They must
	// not change while the store is in use.
	Retention store.Retention
	RunBytes  int64

	index runindex.Index[memoryRun]
}

type memoryRun struct {
	start  *runtext.StartText
	values map[run.Digest][]byte
	frames []run.Frame
	writer *memoryJournal // nil after Close

	// Of shared runs that have ended; see [store.Change].
	cancelled bool
	epoch     int
}

type memoryJournal struct {
	runs  *Runs
	entry *runindex.Entry[memoryRun]
}

// Create implements [store.RunStore].
func (m *Runs) Create(ctx context.Context, start run.Start) (store.Journal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := m.entry(&start)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	e.Writing = true
	e.Content.writer = &memoryJournal{m, e}
	m.index.Add(e)
	m.index.Prune(m.Retention, time.Now())
	return e.Content.writer, nil
}

// entry returns an entry for a new run and reserves its id.
func (m *Runs) entry(start *run.Start) (*runindex.Entry[memoryRun], error) {
	text, err := runtext.EncodeStart(start)
	if err != nil {
		return nil, err
	}
	if err := m.index.Reserve(start.RunID, start.IdempotencyKey); err != nil {
		return nil, err
	}
	e := &runindex.Entry[memoryRun]{
		Record: runindex.BriefOf(&text.Summary), Request: runindex.RequestOf(&text.Summary),
		Bytes: int64(len(text.Inputs.Data)), Content: memoryRun{start: text, values: map[run.Digest][]byte{}},
	}
	if start.Document == nil {
		e.Bytes += int64(len(text.Document.Text)) // the document is not shared
	}
	for i := range text.Inputs.Holes {
		e.Bytes += int64(text.Inputs.Holes[i].Size)
		e.Content.values[text.Inputs.Holes[i].Digest] = text.Inputs.Holes[i].Text
	}
	return e, nil
}

// Keep implements [store.RunStore].
func (m *Runs) Keep(ctx context.Context, ended []run.Kept) []error {
	var errs runtext.EachError
	for i := range ended {
		err := ctx.Err()
		if err == nil {
			err = m.keep(&ended[i])
		}
		errs.Note(i, len(ended), "keep run", err)
	}
	return errs
}

func (m *Runs) keep(k *run.Kept) error {
	e, err := m.entry(&k.Start)
	if err != nil {
		return err
	}
	for f := range run.Frames(k.Outcome) {
		how, size, err := m.take(e, &f)
		if err != nil {
			m.index.Release(k.Start.RunID)
			return err
		}
		e.Frames++
		e.Bytes += size
		if f.Name.Terminal() {
			e.Record.End(how)
		}
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	m.index.Add(e)
	m.index.Prune(m.Retention, time.Now())
	return nil
}

// take adds a frame, and returns its size together with its new values.
func (m *Runs) take(e *runindex.Entry[memoryRun], f *run.Frame) (how runtext.Ending, size int64, err error) {
	if how, err = runtext.CheckAppend(f, e.Frames); err != nil {
		return how, 0, err
	}
	size = int64(len(f.Data))
	added := map[run.Digest][]byte{}
	kept := *f
	kept.Holes = nil
	for _, h := range f.Holes {
		_, known := e.Content.values[h.Digest]
		if _, twice := added[h.Digest]; h.Frame == 0 && !known && !twice {
			if h.Text == nil {
				return how, 0, store.ErrNoValue
			}
			added[h.Digest] = h.Text
			size += int64(len(h.Text))
		}
		h.Text = nil
		kept.Holes = append(kept.Holes, h)
	}
	if m.RunBytes > 0 && e.Bytes+size > m.RunBytes && !f.Name.Terminal() {
		return how, 0, &store.RunBytesError{Most: m.RunBytes}
	}
	maps.Copy(e.Content.values, added)
	e.Content.frames = append(e.Content.frames, kept)
	return how, size, nil
}

// Append implements [store.Journal].
func (j *memoryJournal) Append(f run.Frame) error {
	x := &j.runs.index
	x.Mu.Lock()
	defer x.Mu.Unlock()
	if !j.entry.Writing || j.entry.Content.writer != j {
		return fmt.Errorf("append to run %s: %w", j.entry.Record.RunID, fs.ErrClosed)
	}
	how, size, err := j.runs.take(j.entry, &f)
	if err != nil {
		return fmt.Errorf("append to run %s: %w", j.entry.Record.RunID, err)
	}
	x.Grow(j.entry, size)
	if f.Name.Terminal() {
		x.End(j.entry, how)
		x.Prune(j.runs.Retention, time.Now())
	}
	return nil
}

// Unfinished implements [store.RunStore].
func (m *Runs) Unfinished(ctx context.Context) ([]string, error) {
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	return m.index.Unfinished(), ctx.Err()
}

// Reopen implements [store.RunStore].
func (m *Runs) Reopen(ctx context.Context, runID string) (store.Journal, error) {
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := m.index.Claim(runID)
	if err != nil {
		return nil, fmt.Errorf("reopen run: %w", err)
	}
	e.Content.writer = &memoryJournal{m, e}
	return e.Content.writer, nil
}

// Outline implements [store.RunStore].
func (m *Runs) Outline(ctx context.Context, runID string) (*workflow.Definition, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return nil, err
	}
	return runtext.OutlineOf(e.Content.start.Document)
}

// Finish implements [store.RunStore].
func (m *Runs) Finish(ctx context.Context, lasts []store.Last) []error {
	var errs runtext.EachError
	for i := range lasts {
		errs.Note(i, len(lasts), "finish run", m.finish(ctx, &lasts[i]))
	}
	return errs
}

func (m *Runs) finish(ctx context.Context, last *store.Last) error {
	if err := runtext.CheckLast(&last.Frame); err != nil {
		return err
	}
	j, err := m.Reopen(ctx, last.RunID)
	if err != nil {
		return err
	}
	if err = j.Append(last.Frame); err != nil {
		m.index.Mu.Lock()
		defer m.index.Mu.Unlock()
		e := m.index.Runs[last.RunID]
		e.Writing, e.Content.writer = false, nil
	}
	return err
}

// memorySource provides the values of a run.
type memorySource struct{ values map[run.Digest][]byte }

// Value implements [run.Source].
func (s memorySource) Value(d run.Digest) ([]byte, error) {
	text, ok := s.values[d]
	if !ok {
		return nil, store.ErrNoValue
	}
	return text, nil
}

// Frame implements [run.Source]; inputs refer to no frame.
func (memorySource) Frame(int) (run.Frame, error) { return run.Frame{}, store.ErrNoValue }

// Nodes implements [run.Source].
func (memorySource) Nodes(int) (run.Frame, error) { return run.Frame{}, store.ErrNoValue }

// Start implements [store.RunStore].
func (m *Runs) Start(ctx context.Context, runID string) (run.Start, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return run.Start{}, err
	}
	return e.Content.start.Decode(memorySource{}) // its inputs have no references to resolve
}

// ByKey implements [store.RunStore].
func (m *Runs) ByKey(ctx context.Context, key string) (run.Start, error) {
	if err := ctx.Err(); err != nil {
		return run.Start{}, err
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	return m.index.StartOf(key)
}

// Delete implements [store.RunStore].
func (m *Runs) Delete(ctx context.Context, runID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	e, err := m.index.Deletable(runID)
	if err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	m.index.Remove(e)
	return nil
}

// Record implements [store.RunStore].
func (m *Runs) Record(ctx context.Context, runID string) (run.Record, error) {
	if err := ctx.Err(); err != nil {
		return run.Record{}, err
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	return m.index.Record(runID)
}

// Records implements [store.RunStore].
func (m *Runs) Records(ctx context.Context, q run.Query) (run.Page, error) {
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	if err := ctx.Err(); err != nil {
		return run.Page{}, err
	}
	return m.index.Page(q)
}

// Frames implements [store.RunStore].
func (m *Runs) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return nil, err
	}
	m.index.Mu.Lock()
	frames := e.Content.frames
	m.index.Mu.Unlock()
	return runtext.FirstBytes(frames[min(max(after, 0), len(frames)):], maxBytes), nil
}

// Value implements [store.RunStore].
func (m *Runs) Value(ctx context.Context, runID string, d run.Digest) ([]byte, error) {
	e, err := m.find(ctx, runID)
	if err != nil {
		return nil, err
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	text, err := memorySource{e.Content.values}.Value(d)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", runID, err)
	}
	return text, nil
}

// Close implements [store.RunStore]. It closes all journals; the runs stay, and the same Runs can
// be used again.
func (m *Runs) Close() error {
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	for _, e := range m.index.Order {
		e.Writing, e.Content.writer = false, nil
	}
	return nil
}

func (m *Runs) find(ctx context.Context, runID string) (*runindex.Entry[memoryRun], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.index.Mu.Lock()
	defer m.index.Mu.Unlock()
	e, err := m.index.Get(runID)
	if err != nil {
		return nil, fmt.Errorf("find run: %w", err)
	}
	return e, nil
}
