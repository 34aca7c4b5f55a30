package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// mark says where a frame begins. One every markEvery bytes is kept, so that no
// frame is far from one, however long the journal is.
type mark struct {
	seq    int
	offset int64
}

const markEvery = 16 << 10

// addMark adds m if the last mark is far enough away.
func (r *fileRun) addMark(m mark) {
	if m.offset-r.marks[len(r.marks)-1].offset >= markEvery {
		r.marks = append(r.marks, m)
	}
}

// markBefore returns the last mark that is not behind frame seq.
func (r *fileRun) markBefore(seq int) mark {
	n, exact := slices.BinarySearchFunc(r.marks, seq, func(m mark, seq int) int { return m.seq - seq })
	if exact {
		return r.marks[n]
	}
	return r.marks[n-1]
}

// Start implements [RunStore].
func (s *RunFiles) Start(ctx context.Context, runID string) (run.Start, error) {
	e, err := s.find(ctx, runID)
	if err != nil {
		return run.Start{}, err
	}
	var start run.Start
	err = s.read(e, func(f diskFile) (err error) {
		start, err = readStart(readLines(f, 0, e.bytes, readBuffer))
		return err
	})
	return start, err
}

func readStart(lines *lineReader) (run.Start, error) {
	summary, err := readSummary(lines)
	if err != nil {
		return run.Start{}, err
	}
	l, err := lines.next(0)
	if err != nil {
		return run.Start{}, err
	}
	start, err := startText{summary, l.data}.decode()
	if err != nil {
		return run.Start{}, fmt.Errorf("%w: %w", errLine, err)
	}
	return start, nil
}

// ByKey implements [RunStore].
func (s *RunFiles) ByKey(ctx context.Context, key string) (run.Start, error) {
	if err := ctx.Err(); err != nil {
		return run.Start{}, err
	}
	s.index.mu.Lock()
	k, gone, err := s.index.byKey(key)
	s.index.mu.Unlock()
	switch {
	case err != nil:
		return run.Start{}, fmt.Errorf("find run by its key: %w", err)
	case gone:
		return k.start(), ErrRunGone
	}
	return s.Start(ctx, k.RunID)
}

// Record implements [RunStore].
func (s *RunFiles) Record(ctx context.Context, runID string) (run.Record, error) {
	e, err := s.find(ctx, runID)
	if err != nil || e.running() {
		return e.record, err
	}
	err = s.read(e, func(f diskFile) (err error) {
		e.record.Result, err = readTerminal(&e, f)
		return err
	})
	if err != nil {
		return run.Record{}, err
	}
	return e.record, nil
}

// readTerminal returns the outcome of a run that has ended.
func readTerminal(e *runEntry[fileRun], f io.ReaderAt) (*engine.Result, error) {
	l, err := readLines(f, e.content.terminal, e.bytes, readBuffer).next(e.frames)
	if err != nil {
		return nil, err
	}
	result, err := readResult(l.frame())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLine, err)
	}
	return result, nil
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

// Frames implements [RunStore].
func (s *RunFiles) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	after = max(after, 0)
	e, err := s.find(ctx, runID)
	if err != nil || after >= e.frames {
		return nil, err
	}
	var frames []run.Frame
	var found []mark
	err = s.read(e, func(f diskFile) (err error) {
		frames, found, err = readFrames(&e, f, after, maxBytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.remember(runID, found)
	return frames, nil
}

// readFrames reads the frames behind number after, and says where it has found
// which.
func readFrames(e *runEntry[fileRun], f io.ReaderAt, after, maxBytes int) (frames []run.Frame, found []mark, err error) {
	from := e.content.markBefore(after + 1)
	lines := readLines(f, from.offset, e.bytes, readBuffer)
	for seq := from.seq; seq <= after; seq++ {
		found = append(found, mark{seq, lines.at})
		if err := lines.skip(); err != nil {
			return nil, nil, err
		}
	}
	room := int64(maxBytes)
	for seq := after + 1; seq <= e.frames; seq++ {
		found = append(found, mark{seq, lines.at})
		size, err := lines.peek()
		if err != nil {
			return nil, nil, err
		}
		if room -= size - lineOverhead; room < 0 && len(frames) > 0 {
			break
		}
		l, err := lines.next(seq)
		if err != nil {
			return nil, nil, err
		}
		frames = append(frames, l.frame())
	}
	return frames, found, nil
}

// remember keeps what a reader has found, for the next one.
func (s *RunFiles) remember(runID string, found []mark) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	e := s.index.runs[runID]
	if e == nil {
		return
	}
	for _, m := range found {
		e.content.addMark(m)
	}
}

// find returns what the index knows of a run at this moment.
func (s *RunFiles) find(ctx context.Context, runID string) (runEntry[fileRun], error) {
	if err := ctx.Err(); err != nil {
		return runEntry[fileRun]{}, err
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	e, err := s.index.get(runID)
	if err != nil {
		return runEntry[fileRun]{}, fmt.Errorf("find run: %w", err)
	}
	return *e, nil
}

// read opens the journal of a run for a moment.
func (s *RunFiles) read(e runEntry[fileRun], read func(f diskFile) error) error {
	id := e.record.RunID
	f, err := s.disk.Open(s.path(id), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrRunNotFound // pruned since
	}
	if err == nil {
		err = errors.Join(read(f), f.Close())
	}
	if errors.Is(err, errLine) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.damaged(id, err)
		return fmt.Errorf("%w %s: %w", ErrRunDamaged, id, err)
	}
	if err != nil {
		return fmt.Errorf("read run %s: %w", id, err)
	}
	return nil
}

// damaged notes that the journal of a run turned out to be damaged.
func (s *RunFiles) damaged(runID string, reason error) {
	s.index.mu.Lock()
	e := s.index.runs[runID]
	news := e != nil && s.index.damage(e, time.Now())
	s.index.mu.Unlock()
	if news {
		s.log.Error("the journal of a run cannot be read", "file", runID+runSuffix, "error", reason)
	}
}
