package cluster

import (
	"context"
	"io"
	"math"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// readAtOnce and shownAtOnce bound the bytes of one read, as recorded and as shown.
const (
	readAtOnce  = 32 << 10
	shownAtOnce = 256 << 10
)

// unknownFrames says that it is not known how many frames there are.
const unknownFrames = math.MaxInt

// follower follows a run in any process: it watches the number of frames and reads new ones.
type follower struct {
	runs       *Runs
	runID      string
	tail       *tail
	after      int
	available  int // number of the last frame as far as known
	subscribed bool
	ended      bool
}

// Follow implements [runs.Backend].
func (r *Runs) Follow(ctx context.Context, runID string, after int) (runs.Follower, error) {
	if _, err := r.shared.Record(ctx, runID); err != nil {
		return nil, err
	}
	return &follower{runs: r, runID: runID, tail: r.tails.of(runID), after: max(after, 0), available: unknownFrames}, nil
}

// Next implements [runs.Follower].
func (f *follower) Next(ctx context.Context) (frames []run.Frame, err error) {
	if f.ended {
		return nil, io.EOF
	}
	if f.after < f.available {
		frames, err = f.read(ctx)
		if f.available == unknownFrames {
			f.available = 0 // from now on the watch reports frames
		}
	}
	if err == nil && len(frames) == 0 {
		frames, err = f.wait(ctx)
	}
	if err != nil {
		return nil, err
	}
	last := frames[len(frames)-1]
	f.after, f.ended = last.Seq, last.Name.Terminal()
	return frames, nil
}

// wait waits for the next frames and returns them.
func (f *follower) wait(ctx context.Context) ([]run.Frame, error) {
	news := make(chan store.Change, 1)
	defer f.runs.holder.watch.subscribe(f.runID, func(c store.Change) {
		select { // keep only the latest
		case <-news:
		default:
		}
		news <- c
	})()
	if !f.subscribed { // a new run may end soon
		f.subscribed = true
		f.runs.holder.watch.pollSoon()
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.runs.closing:
			return nil, io.EOF
		case c := <-news:
			if f.available = c.Frames; c.Frames > f.after {
				if frames, err := f.read(ctx); err != nil || len(frames) > 0 {
					return frames, err
				}
			}
			if !c.Status.GoesOn() {
				return nil, io.EOF
			}
		}
	}
}

// read reads frames as followers see them. All followers of the run in this process share a read,
// so that the end of one does not cancel it.
func (f *follower) read(ctx context.Context) ([]run.Frame, error) {
	ctx = context.WithoutCancel(ctx)
	return f.tail.read(f.after, func() (kept, shown []run.Frame, err error) {
		if kept, err = f.runs.shared.Frames(ctx, f.runID, f.after, readAtOnce); err != nil {
			return nil, nil, err
		}
		shown, err = run.Shown(kept, f.tail.source(kept, f.runs.Source(ctx, f.runID)), shownAtOnce) // frames that do not fit are read again; they are small
		return kept[:len(shown)], shown, err
	})
}
