package app

import (
	"bytes"
	"context"
	"io"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// Run describes a recorded run, with its whole result if it has ended, in which equal
// large values are one; see [App.WriteResult]. An unknown run is store.ErrRunNotFound.
func (a *App) Run(ctx context.Context, runID string) (run.Record, error) {
	record, last, err := a.lastFrame(ctx, runID)
	if err != nil || last == nil {
		return record, err
	}
	var values drive.Values
	from := a.runs.Source(ctx, runID)
	e, err := last.Opened(from, func(h *run.Reference) (any, error) { return values.Get(from, h) })
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
// than one large value in memory at a time. For an unfinished run it writes nothing.
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
	if record.Status.GoesOn() {
		return record, nil, nil
	}
	last, err := a.runs.Source(ctx, runID).Frame(record.Frames)
	return record, &last, err
}

// resultText returns the JSON of the whole result of a run.
func (a *App) resultText(ctx context.Context, runID string, full bool) ([]byte, error) {
	var text bytes.Buffer
	err := a.WriteResult(ctx, &text, runID, full)
	return text.Bytes(), err
}
