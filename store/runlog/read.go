package runlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// reader reads one run, as the index knew it when the reader was made.
type reader struct {
	runs    *Store
	entry   runindex.Entry[fileRun]
	table   *table
	files   map[uint32]vfs.File
	scratch []byte
}

// read calls read with a reader of the run. It retries if compaction moved the run meanwhile.
func (s *Store) read(ctx context.Context, runID string, read func(*reader) error) error {
	for try := 0; ; try++ {
		err := s.readOnce(ctx, runID, read)
		if try < 2 && errors.Is(err, fs.ErrNotExist) {
			continue // the run was moved or removed meanwhile
		}
		return err
	}
}

func (s *Store) readOnce(ctx context.Context, runID string, read func(*reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.index.Mu.Lock()
	e, err := s.index.Get(runID)
	if err != nil {
		s.index.Mu.Unlock()
		return fmt.Errorf("find run: %w", err)
	}
	r := &reader{runs: s, entry: *e, table: s.tables.get(runID)}
	s.index.Mu.Unlock()
	defer r.close()
	err = read(r)
	if errors.Is(err, runtext.ErrLine) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.damaged(runID, e.Content.first, err)
		return fmt.Errorf("%w %s: %w", store.ErrRunDamaged, runID, err)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read run %s: %w", runID, err)
	}
	return err
}

func (r *reader) close() {
	for _, f := range r.files {
		_ = f.Close() // only read
	}
}

// at reads the bytes at p into a buffer.
func (r *reader) at(p logPos, into []byte) ([]byte, error) {
	f := r.files[p.Segment]
	if f == nil {
		var err error
		if f, err = r.runs.disk.Open(r.runs.out.path(p.Segment), os.O_RDONLY); err != nil {
			return nil, err
		}
		if r.files == nil {
			r.files = map[uint32]vfs.File{}
		}
		r.files[p.Segment] = f
	}
	text := slices.Grow(into[:0], int(p.Size))[:p.Size]
	_, err := f.ReadAt(text, int64(p.From))
	if errors.Is(err, io.EOF) {
		err = runtext.ErrLine
	}
	return text, err
}

// line reads the line at p and checks its name.
func (r *reader) line(p logPos, name string) (line, error) {
	text, err := r.at(p, nil)
	if err != nil {
		return line{}, err
	}
	l, err := parseLine(text)
	if err == nil && (l.name != name || l.run != r.entry.Record.RunID && l.run != noRun) {
		err = runtext.ErrLine
	}
	return l, err
}

// open returns the table of a run that has ended, from its end line.
func (r *reader) open() (*table, error) {
	if r.table != nil {
		return r.table, nil
	}
	end := r.entry.Content.last
	l, err := r.line(end, lineEnd)
	if err != nil {
		return nil, err
	}
	var told lineOfEnd
	if err := json.Unmarshal(l.data, &told); err != nil {
		return nil, fmt.Errorf("%w: %w", runtext.ErrLine, err)
	}
	t := &told.table
	for d, p := range t.Values {
		t.Values[d] = p.absolute(end)
	}
	if t.Extents, err = r.unfold(r.entry.Content.single(t.Extents), t); err != nil {
		return nil, err
	}
	last := t.Terminal.absolute(end)
	t.Extents = append(t.Extents, extent{last.Segment, last.From, last.end(), r.entry.Frames})
	r.table = t
	s := r.runs
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	if e := s.index.Runs[r.entry.Record.RunID]; e != nil && e.Content.last == end {
		s.tables.put(e.Record.RunID, t)
	}
	return t, nil
}

// value returns the JSON of a large value.
func (r *reader) value(d run.Digest) ([]byte, error) {
	at, ok, err := r.placeOf(d)
	if err == nil && !ok {
		err = fmt.Errorf("%w: it lacks a value", runtext.ErrLine)
	}
	if err != nil {
		return nil, err
	}
	l, err := r.line(at, lineValue)
	if err == nil && l.about != runtext.FormatDigest(d) {
		err = runtext.ErrLine
	}
	return l.data, err
}

func (r *reader) placeOf(d run.Digest) (at logPos, ok bool, err error) {
	if r.entry.Content.open == nil {
		t, err := r.open()
		if err != nil {
			return at, false, err
		}
		at, ok = t.Values[runtext.FormatDigest(d)]
		return at, ok, nil
	}
	s := r.runs
	s.index.Mu.Lock()
	at, ok = r.entry.Content.open.values[d]
	folded := !ok && r.entry.Content.open.folded()
	s.index.Mu.Unlock()
	if !folded {
		return at, ok, nil
	}
	t, err := r.unfolded()
	if err == nil {
		at, ok = t.Values[runtext.FormatDigest(d)]
	}
	return at, ok, err
}

// source reads values of the run that is being read.
type source struct{ *reader }

// Value implements [run.Source].
func (s source) Value(d run.Digest) ([]byte, error) { return s.value(d) }

// Frame implements [run.Source]; inputs refer to no frame.
func (s source) Frame(int) (run.Frame, error) { return run.Frame{}, runtext.ErrLine }

// Nodes implements [run.Source].
func (s source) Nodes(int) (run.Frame, error) { return run.Frame{}, runtext.ErrLine }

// start reads the start of the run.
func (r *reader) start() (*runtext.StartText, error) {
	first := r.entry.Content.first
	text, err := r.at(first, nil)
	if err != nil {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil {
		return nil, err
	}
	if l.name == lineWholeRun {
		l.data, _, _ = splitWholeRun(l.data)
	}
	t, err := readStart(&l)
	if err != nil {
		return nil, err
	}
	t.Document, err = r.document(t.Summary.Document)
	return t, err
}

// document reads the workflow of the run and checks its digest.
func (r *reader) document(digest string) (*run.Document, error) {
	d := r.entry.Content.document
	r.runs.index.Mu.Lock()
	at := d.at
	r.runs.index.Mu.Unlock()
	text, err := r.at(at, nil)
	if err != nil {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil || l.name != lineDocument || l.about != digest {
		return nil, fmt.Errorf("%w: its workflow cannot be read", runtext.ErrLine)
	}
	return &run.Document{Digest: d.digest, Text: l.data}, nil
}

// Start implements [store.RunStore].
func (s *Store) Start(ctx context.Context, runID string) (start run.Start, err error) {
	err = s.read(ctx, runID, func(r *reader) error {
		t, err := r.start()
		if err != nil {
			return err
		}
		if start, err = t.Decode(source{r}); err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", runtext.ErrLine, err)
		}
		return err
	})
	return start, err
}

// ByKey implements [store.RunStore].
func (s *Store) ByKey(ctx context.Context, key string) (run.Start, error) {
	if err := ctx.Err(); err != nil {
		return run.Start{}, err
	}
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	return s.index.StartOf(key)
}

// Record implements [store.RunStore].
func (s *Store) Record(ctx context.Context, runID string) (run.Record, error) {
	if err := ctx.Err(); err != nil {
		return run.Record{}, err
	}
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	return s.index.Record(runID)
}

// Records implements [store.RunStore].
func (s *Store) Records(ctx context.Context, q run.Query) (run.Page, error) {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	if err := ctx.Err(); err != nil {
		return run.Page{}, err
	}
	return s.index.Page(q)
}

// Value implements [store.RunStore].
func (s *Store) Value(ctx context.Context, runID string, d run.Digest) (text []byte, err error) {
	err = s.read(ctx, runID, func(r *reader) (err error) {
		text, err = r.value(d)
		return err
	})
	return text, err
}

// Frames implements [store.RunStore].
func (s *Store) Frames(ctx context.Context, runID string, after, maxBytes int) (frames []run.Frame, err error) {
	after = max(after, 0)
	err = s.read(ctx, runID, func(r *reader) (err error) {
		if frames = nil; after < r.entry.Frames {
			frames, err = r.frames(after, maxBytes)
		}
		return err
	})
	return frames, err
}

// damaged marks a run as damaged, and logs that once.
func (s *Store) damaged(runID string, first logPos, reason error) {
	s.index.Mu.Lock()
	e := s.index.Runs[runID]
	news := e != nil && e.Content.first == first && s.index.Damage(e, time.Now())
	s.index.Mu.Unlock()
	if news {
		s.log.Error("a run cannot be read", "run", runID, "file", segmentName(first.Segment), "error", reason)
	}
}

// Outline implements [store.RunStore]. It caches outlines by workflow, so that ending thousands of
// runs of one workflow reads it once.
func (s *Store) Outline(ctx context.Context, runID string) (outline *workflow.Definition, err error) {
	err = s.read(ctx, runID, func(r *reader) error {
		digest := r.entry.Content.document.digest
		if outline = s.outline(digest); outline != nil {
			return nil
		}
		document, err := r.document(runtext.FormatDigest(digest))
		if err != nil {
			return err
		}
		if outline, err = runtext.OutlineOf(document); err != nil {
			return fmt.Errorf("%w: %w", runtext.ErrLine, err)
		}
		s.index.Mu.Lock()
		defer s.index.Mu.Unlock()
		s.outlines.put(digest, outline)
		return nil
	})
	return outline, err
}

func (s *Store) outline(d run.Digest) *workflow.Definition {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	return s.outlines.get(d)
}

// outlineCache caches recently used outlines of workflows.
type outlineCache struct {
	lru *simplelru.LRU[run.Digest, *workflow.Definition] // guarded by index.mu
}

// outlinedNodes is the most nodes of a workflow whose outline is cached; cachedOutlines is the most
// outlines.
const (
	cachedOutlines = 64
	outlinedNodes  = 1000
)

func (c *outlineCache) get(d run.Digest) *workflow.Definition {
	if c.lru == nil {
		return nil
	}
	outline, _ := c.lru.Get(d)
	return outline
}

func (c *outlineCache) put(d run.Digest, outline *workflow.Definition) {
	if len(outline.Nodes) > outlinedNodes {
		return
	}
	if c.lru == nil {
		c.lru, _ = simplelru.NewLRU[run.Digest, *workflow.Definition](cachedOutlines, nil) // cannot fail: the size is positive
	}
	c.lru.Add(d, outline)
}
