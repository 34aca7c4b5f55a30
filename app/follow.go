package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// Follow returns a follower of the frames behind number after, however long ago
// the run was; 0 is for all of them. An unknown run is store.ErrRunNotFound.
func (a *App) Follow(ctx context.Context, runID string, after int) (runs.Follower, error) {
	return a.runs.Follow(ctx, runID, max(after, 0))
}

func eventOf(frame run.Frame) (engine.Event, error) {
	e, err := frame.Event()
	if err != nil {
		err = fmt.Errorf("frame %d: %w", frame.Seq, err)
	}
	return e, err
}

// Events is [App.Follow] as events, whose values are shared with the run: never write
// to them. It ends behind the terminal event, or with the first error, that of ctx
// included.
func (a *App) Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		f, err := a.Follow(ctx, runID, after)
		d, _ := f.(runs.EventFollower)
		if d != nil {
			defer d.WantEvents()()
		}
		for err == nil {
			var frames []run.Frame
			if frames, err = f.Next(ctx); errors.Is(err, io.EOF) {
				return
			}
			for _, frame := range frames {
				var e engine.Event
				known := false
				if d != nil {
					e, known = d.Event(frame.Seq)
				}
				if !known {
					e, err = eventOf(frame)
				}
				if err != nil {
					break
				}
				if !yield(e, nil) {
					return
				}
			}
		}
		yield(engine.Event{}, err)
	}
}
