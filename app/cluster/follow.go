package cluster

import (
	"context"
	"io"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// readAtOnce and shownAtOnce bound what a follower takes at once, as it is kept and as it is
// shown.
const (
	readAtOnce  = 32 << 10
	shownAtOnce = 256 << 10
)

// follower follows a run wherever it is driven: it hears that there is more, and reads it.
type follower struct {
	runs  *Runs
	runID string
	after int
	over  bool
}

// Follow implements [app.Runs].
func (r *Runs) Follow(ctx context.Context, runID string, after int) (app.Follower, error) {
	if _, err := r.shared.Record(ctx, runID); err != nil {
		return nil, err
	}
	return &follower{runs: r, runID: runID, after: max(after, 0)}, nil
}

// Next implements [app.Follower].
func (f *follower) Next(ctx context.Context) ([]run.Frame, error) {
	if f.over {
		return nil, io.EOF
	}
	frames, err := f.read(ctx)
	if err == nil && len(frames) == 0 {
		frames, err = f.wait(ctx)
	}
	if err != nil {
		return nil, err
	}
	last := frames[len(frames)-1]
	f.after, f.over = last.Seq, last.Name.Terminal()
	return frames, nil
}

// wait returns the next frames once there are some.
func (f *follower) wait(ctx context.Context) ([]run.Frame, error) {
	news := make(chan store.Change, 1)
	defer f.runs.holder.watch.look(f.runID, func(c store.Change) {
		select { // only the last one counts
		case <-news:
		default:
		}
		news <- c
	})()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.runs.ending:
			return nil, io.EOF
		case c := <-news:
			if c.Frames > f.after {
				return f.read(ctx)
			}
			if !c.Status.GoesOn() {
				return nil, io.EOF
			}
		}
	}
}

// read takes frames from the journal, as they are shown.
func (f *follower) read(ctx context.Context) ([]run.Frame, error) {
	frames, err := f.runs.shared.Frames(ctx, f.runID, f.after, readAtOnce)
	if err != nil {
		return nil, err
	}
	return run.Shown(frames, f.runs.Source(ctx, f.runID), shownAtOnce) // what was read for nothing is small
}
