package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// recordSource has what belongs into the holes of the frames of a run.
type recordSource struct {
	ctx   context.Context //nolint:containedctx // for as long as one frame is read
	runs  *LocalRuns
	runID string
}

// Source implements [Runs].
func (l *LocalRuns) Source(ctx context.Context, runID string) run.Source {
	return recordSource{ctx, l, runID}
}

// Frame implements [run.Source].
func (s recordSource) Frame(seq int) (run.Frame, error) {
	if r := s.runs.recent.run(s.runID); r != nil {
		if owed := r.owed.Load(); owed != nil && owed.Seq == seq {
			return *owed, nil
		}
	}
	frames, err := s.runs.journals.Frames(s.ctx, s.runID, seq-1, 1)
	if err == nil && len(frames) == 0 {
		err = fmt.Errorf("%w: frame %d is not there", store.ErrRunDamaged, seq)
	}
	if err != nil {
		return run.Frame{}, err
	}
	return frames[0], nil
}

// Value implements [run.Source].
func (s recordSource) Value(d run.Digest) ([]byte, error) {
	return s.runs.journals.Value(s.ctx, s.runID, d)
}

// Run describes a recorded run, with its whole result if it has ended, in which equal
// large values are one; see [App.WriteResult]. An unknown run is store.ErrRunNotFound.
func (a *App) Run(ctx context.Context, runID string) (run.Record, error) {
	record, last, err := a.lastFrame(ctx, runID)
	if err != nil || last == nil {
		return record, err
	}
	var values largeValues
	from := a.runs.Source(ctx, runID)
	e, err := last.Opened(from, func(h *run.Hole) (any, error) { return values.get(from, h) })
	if err != nil {
		return run.Record{}, err
	}
	record.Result = e.Result
	return record, nil
}

// Record describes a recorded run without its result. An unknown one is
// store.ErrRunNotFound.
func (a *App) Record(ctx context.Context, runID string) (run.Record, error) {
	return a.runs.Record(ctx, runID)
}

// WriteResult writes the result of a recorded run that has ended as JSON. Outputs of nodes
// over 64 KiB are elided, unless full; the outputs of the run are whole. It holds no more
// than one large value at a time. Of a run that goes on it writes nothing.
func (a *App) WriteResult(ctx context.Context, w io.Writer, runID string, full bool) error {
	_, last, err := a.lastFrame(ctx, runID)
	if err != nil || last == nil {
		return err
	}
	elide := limit.Shown
	if full {
		elide = engine.NoElision
	}
	return last.WriteResult(w, a.runs.Source(ctx, runID), elide)
}

// lastFrame returns the record of a run and, if it has ended, its last frame.
func (a *App) lastFrame(ctx context.Context, runID string) (run.Record, *run.Frame, error) {
	record, err := a.runs.Record(ctx, runID)
	if err != nil {
		return record, nil, err
	}
	if goesOn(&record) {
		return record, nil, nil
	}
	last, err := a.runs.Source(ctx, runID).Frame(record.Frames)
	return record, &last, err
}

// goesOn reports whether a run has no end, be it that it waits.
func goesOn(record *run.Record) bool {
	return record.Status == engine.StatusRunning || record.Status == engine.StatusWaiting
}

// resultText returns the JSON of the whole result of a run.
func (a *App) resultText(ctx context.Context, runID string, full bool) ([]byte, error) {
	var text bytes.Buffer
	err := a.WriteResult(ctx, &text, runID, full)
	return text.Bytes(), err
}

// largeValues are values that were read, each once however many nodes have put it out. They
// may be used by several goroutines.
type largeValues struct {
	mu    sync.Mutex
	known map[run.Digest]any
	bytes int // of their JSON
}

func (v *largeValues) get(from run.Source, h *run.Hole) (any, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if known, ok := v.known[h.Digest]; ok {
		return known, nil
	}
	text, err := from.Value(h.Digest)
	if err != nil {
		return nil, err
	}
	made, err := value.Decode(text)
	if err != nil {
		return nil, err
	}
	if v.bytes += h.Size; v.known == nil || v.bytes > maxRecalled {
		v.known, v.bytes = map[run.Digest]any{}, h.Size
	}
	v.known[h.Digest] = made
	return made, nil
}
