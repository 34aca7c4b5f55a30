package store

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

	"github.com/svcflow/svc/engine/run"
)

// reader reads one run. It knows what the index knew of it at one moment.
type reader struct {
	runs    *RunFiles
	entry   runEntry[fileRun]
	table   *table
	files   map[uint32]diskFile
	scratch []byte
}

// read calls read for what is kept of a run.
func (s *RunFiles) read(ctx context.Context, runID string, read func(*reader) error) error {
	for try := 0; ; try++ {
		err := s.readOnce(ctx, runID, read)
		if try < 2 && errors.Is(err, fs.ErrNotExist) {
			continue // it was moved in the meantime, or made room
		}
		return err
	}
}

func (s *RunFiles) readOnce(ctx context.Context, runID string, read func(*reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.index.mu.Lock()
	e, err := s.index.get(runID)
	if err != nil {
		s.index.mu.Unlock()
		return fmt.Errorf("find run: %w", err)
	}
	r := &reader{runs: s, entry: *e, table: s.tables.get(runID)}
	s.index.mu.Unlock()
	defer r.close()
	err = read(r)
	if errors.Is(err, errLine) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.damaged(runID, e.content.first, err)
		return fmt.Errorf("%w %s: %w", ErrRunDamaged, runID, err)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read run %s: %w", runID, err)
	}
	return err
}

func (r *reader) close() {
	for _, f := range r.files {
		_ = f.Close() // it was only read
	}
}

// at reads what stands there.
func (r *reader) at(p place, into []byte) ([]byte, error) {
	f := r.files[p.Segment]
	if f == nil {
		var err error
		if f, err = r.runs.disk.Open(r.runs.out.path(p.Segment), os.O_RDONLY); err != nil {
			return nil, err
		}
		if r.files == nil {
			r.files = map[uint32]diskFile{}
		}
		r.files[p.Segment] = f
	}
	text := slices.Grow(into[:0], int(p.Size))[:p.Size]
	_, err := f.ReadAt(text, int64(p.From))
	if errors.Is(err, io.EOF) {
		err = errLine
	}
	return text, err
}

// line reads the line that stands there, which should have that name.
func (r *reader) line(p place, name string) (line, error) {
	text, err := r.at(p, nil)
	if err != nil {
		return line{}, err
	}
	l, err := parseLine(text)
	if err == nil && (l.name != name || l.run != r.entry.record.RunID && l.run != noRun) {
		err = errLine
	}
	return l, err
}

// open returns the table of a run that has ended.
func (r *reader) open() (*table, error) {
	if r.table != nil {
		return r.table, nil
	}
	end := r.entry.content.last
	l, err := r.line(end, lineEnd)
	if err != nil {
		return nil, err
	}
	var told lineOfEnd
	if err := json.Unmarshal(l.data, &told); err != nil {
		return nil, fmt.Errorf("%w: %w", errLine, err)
	}
	t := &told.table
	for d, p := range t.Values {
		t.Values[d] = p.absolute(end)
	}
	if t.Extents, err = r.unfold(r.entry.content.single(t.Extents), t); err != nil {
		return nil, err
	}
	last := t.Terminal.absolute(end)
	t.Extents = append(t.Extents, extent{last.Segment, last.From, last.end(), r.entry.frames})
	r.table = t
	s := r.runs
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	if e := s.index.runs[r.entry.record.RunID]; e != nil && e.content.last == end {
		s.tables.put(e.record.RunID, t)
	}
	return t, nil
}

// value returns the JSON of a large value.
func (r *reader) value(d run.Digest) ([]byte, error) {
	at, ok, err := r.placeOf(d)
	if err == nil && !ok {
		err = fmt.Errorf("%w: it lacks a value", errLine)
	}
	if err != nil {
		return nil, err
	}
	l, err := r.line(at, lineValue)
	if err == nil && l.about != formatDigest(d) {
		err = errLine
	}
	return l.data, err
}

func (r *reader) placeOf(d run.Digest) (at place, ok bool, err error) {
	if r.entry.content.open == nil {
		t, err := r.open()
		if err != nil {
			return at, false, err
		}
		at, ok = t.Values[formatDigest(d)]
		return at, ok, nil
	}
	s := r.runs
	s.index.mu.Lock()
	at, ok = r.entry.content.open.values[d]
	folded := !ok && r.entry.content.open.folded()
	s.index.mu.Unlock()
	if !folded {
		return at, ok, nil
	}
	t, err := r.unfolded()
	if err == nil {
		at, ok = t.Values[formatDigest(d)]
	}
	return at, ok, err
}

// source reads the values of a run that is being read.
type source struct{ *reader }

// Value implements [run.Source].
func (s source) Value(d run.Digest) ([]byte, error) { return s.value(d) }

// Frame implements [run.Source]; inputs refer to no frame.
func (s source) Frame(int) (run.Frame, error) { return run.Frame{}, errLine }

// Nodes implements [run.Source].
func (s source) Nodes(int) (run.Frame, error) { return run.Frame{}, errLine }

// start reads what the run was started with.
func (r *reader) start() (*startText, error) {
	first := r.entry.content.first
	text, err := r.at(first, nil)
	if err != nil {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil {
		return nil, err
	}
	if l.name == lineKept {
		l.data, _, _ = cutKept(l.data)
	}
	t, err := readStart(&l)
	if err != nil {
		return nil, err
	}
	t.document, err = r.document(t.summary.Document)
	return t, err
}

// document reads the workflow of the run, which should have that digest.
func (r *reader) document(digest string) (*run.Document, error) {
	d := r.entry.content.document
	r.runs.index.mu.Lock()
	at := d.at
	r.runs.index.mu.Unlock()
	text, err := r.at(at, nil)
	if err != nil {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil || l.name != lineDocument || l.about != digest {
		return nil, fmt.Errorf("%w: its workflow cannot be read", errLine)
	}
	return &run.Document{Digest: d.digest, Text: l.data}, nil
}

// Start implements [RunStore].
func (s *RunFiles) Start(ctx context.Context, runID string) (start run.Start, err error) {
	err = s.read(ctx, runID, func(r *reader) error {
		t, err := r.start()
		if err != nil {
			return err
		}
		if start, err = t.decode(source{r}); err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", errLine, err)
		}
		return err
	})
	return start, err
}

// ByKey implements [RunStore].
func (s *RunFiles) ByKey(ctx context.Context, key string) (run.Start, error) {
	if err := ctx.Err(); err != nil {
		return run.Start{}, err
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	return s.index.startOf(key)
}

// Record implements [RunStore].
func (s *RunFiles) Record(ctx context.Context, runID string) (run.Record, error) {
	if err := ctx.Err(); err != nil {
		return run.Record{}, err
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	return s.index.record(runID)
}

// Records implements [RunStore].
func (s *RunFiles) Records(ctx context.Context, q run.Query) (run.Page, error) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return run.Page{}, err
	}
	return s.index.page(q)
}

// Value implements [RunStore].
func (s *RunFiles) Value(ctx context.Context, runID string, d run.Digest) (text []byte, err error) {
	err = s.read(ctx, runID, func(r *reader) (err error) {
		text, err = r.value(d)
		return err
	})
	return text, err
}

// Frames implements [RunStore].
func (s *RunFiles) Frames(ctx context.Context, runID string, after, maxBytes int) (frames []run.Frame, err error) {
	after = max(after, 0)
	err = s.read(ctx, runID, func(r *reader) (err error) {
		if frames = nil; after < r.entry.frames {
			frames, err = r.frames(after, maxBytes)
		}
		return err
	})
	return frames, err
}

// damaged notes that a run turned out to be damaged.
func (s *RunFiles) damaged(runID string, first place, reason error) {
	s.index.mu.Lock()
	e := s.index.runs[runID]
	news := e != nil && e.content.first == first && s.index.damage(e, time.Now())
	s.index.mu.Unlock()
	if news {
		s.log.Error("a run cannot be read", "run", runID, "file", segmentName(first.Segment), "error", reason)
	}
}
