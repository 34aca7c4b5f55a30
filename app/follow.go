package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// maxRead is how many bytes of a journal one follower reads at once.
const maxRead = 32 << 10

// Follower reads the frames of one run in order, each once. It has nothing to
// close. It is not safe for concurrent use.
type Follower struct {
	app   *App
	runID string
	feed  *feed // nil for a run that is only in the journal
	after int
}

// Follow returns a follower of the frames behind number after, however long ago
// the run was; 0 is for all of them. In frames of followers, an output of a node
// over 64 KiB is elided (docs/design.md, Events). An unknown run is
// store.ErrRunNotFound.
func (a *App) Follow(ctx context.Context, runID string, after int) (*Follower, error) {
	f := &Follower{app: a, runID: runID, feed: a.recent.feed(runID), after: max(after, 0)}
	if f.feed == nil {
		a.keeper.settle()
		if _, err := a.journals.Frames(ctx, runID, f.after, 1); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Next waits until there are frames and returns a bounded number of them. They
// are shared with other followers: never write to them. The error is io.EOF
// behind the terminal frame; an error of ctx leaves the follower as it was.
func (f *Follower) Next(ctx context.Context) ([]run.Frame, error) {
	frames, err := f.next(ctx)
	if err != nil {
		return nil, err
	}
	f.after = frames[len(frames)-1].Seq
	return frames, nil
}

func (f *Follower) next(ctx context.Context) ([]run.Frame, error) {
	for f.feed != nil {
		frames, wake, err := f.feed.look(f.after)
		switch {
		case errors.Is(err, errTooOld):
			return f.read(ctx)
		case err != nil || frames != nil:
			return frames, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return f.read(ctx)
}

// read takes frames from the journal, as streams show them.
func (f *Follower) read(ctx context.Context) ([]run.Frame, error) {
	frames, err := f.app.journals.Frames(ctx, f.runID, f.after, maxRead)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		return nil, io.EOF
	}
	shown := make([]run.Frame, 0, len(frames)) // the store keeps its own
	from, bytes := f.app.source(ctx, f.runID), 0
	for _, frame := range frames {
		whole, err := frame.Whole(from, limit.Shown)
		if err != nil {
			return nil, err
		}
		shown = append(shown, whole)
		if bytes += len(whole.Data); bytes > maxBatch {
			break // what was read for nothing is small
		}
	}
	return shown, nil
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
		if err == nil && f.feed != nil {
			defer f.feed.want()()
		}
		for err == nil {
			var frames []run.Frame
			if frames, err = f.Next(ctx); errors.Is(err, io.EOF) {
				return
			}
			for _, frame := range frames {
				var e engine.Event
				if e, err = f.event(frame); err != nil {
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

// event returns the event of a frame that f has just read.
func (f *Follower) event(frame run.Frame) (engine.Event, error) {
	if f.feed != nil {
		if e, ok := f.feed.event(frame.Seq); ok {
			return e, nil
		}
	}
	return eventOf(frame)
}
