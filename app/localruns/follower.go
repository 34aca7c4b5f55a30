package localruns

import (
	"context"
	"errors"
	"io"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// maxRead is how many bytes of a journal one follower reads at once.
const maxRead = 32 << 10

// follower is a [runs.Follower] of what is in memory of a run, or in its journal.
type follower struct {
	runs  *Runs
	runID string
	feed  *feed // nil for a run that is only in the journal
	after int
}

// Follow implements [runs.Backend].
func (l *Runs) Follow(ctx context.Context, runID string, after int) (runs.Follower, error) {
	f := &follower{runs: l, runID: runID, feed: l.recent.feed(runID), after: after}
	if f.feed == nil {
		l.recorder.settle()
		if _, err := l.journals.Frames(ctx, runID, f.after, 1); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Next implements [runs.Follower].
func (f *follower) Next(ctx context.Context) ([]run.Frame, error) {
	frames, err := f.next(ctx)
	if err != nil {
		return nil, err
	}
	f.after = frames[len(frames)-1].Seq
	return frames, nil
}

func (f *follower) next(ctx context.Context) ([]run.Frame, error) {
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
func (f *follower) read(ctx context.Context) ([]run.Frame, error) {
	frames, err := f.runs.journals.Frames(ctx, f.runID, f.after, maxRead)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		return nil, io.EOF
	}
	return run.Shown(frames, f.runs.Source(ctx, f.runID), maxBatch) // what was read for nothing is small
}

// WantEvents implements [runs.EventFollower].
func (f *follower) WantEvents() (enough func()) {
	if f.feed == nil {
		return func() {}
	}
	return f.feed.want()
}

// Event implements [runs.EventFollower].
func (f *follower) Event(seq int) (engine.Event, bool) {
	if f.feed == nil {
		return engine.Event{}, false
	}
	return f.feed.event(seq)
}

var _ runs.EventFollower = (*follower)(nil)
