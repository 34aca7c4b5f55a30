package cluster

import (
	"context"
	"io"
	"math"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// readAtOnce and shownAtOnce bound what a follower takes at once, as it is kept and as it is
// shown.
const (
	readAtOnce  = 32 << 10
	shownAtOnce = 256 << 10
)

// unheard is up to which number there may be frames of which nobody has heard yet.
const unheard = math.MaxInt

// follower follows a run wherever it is driven: it hears that there is more, and reads it.
type follower struct {
	runs  *Runs
	runID string
	tail  *tail
	after int
	known int // up to which number there may be frames, as far as it has heard
	heard bool
	over  bool
}

// Follow implements [runs.Backend].
func (r *Runs) Follow(ctx context.Context, runID string, after int) (runs.Follower, error) {
	if _, err := r.shared.Record(ctx, runID); err != nil {
		return nil, err
	}
	return &follower{runs: r, runID: runID, tail: r.tails.of(runID), after: max(after, 0), known: unheard}, nil
}

// Next implements [runs.Follower].
func (f *follower) Next(ctx context.Context) (frames []run.Frame, err error) {
	if f.over {
		return nil, io.EOF
	}
	if f.after < f.known {
		frames, err = f.read(ctx)
		if f.known == unheard {
			f.known = 0 // of all that comes it hears
		}
	}
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
	if !f.heard { // what has just begun may be over soon
		f.heard = true
		f.runs.holder.watch.hurry()
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.runs.ending:
			return nil, io.EOF
		case c := <-news:
			if f.known = c.Frames; c.Frames > f.after {
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

// read takes frames from the journal, as they are shown, for all who follow the run here: that
// one of them leaves does not end it.
func (f *follower) read(ctx context.Context) ([]run.Frame, error) {
	ctx = context.WithoutCancel(ctx)
	return f.tail.read(f.after, func() (kept, shown []run.Frame, err error) {
		if kept, err = f.runs.shared.Frames(ctx, f.runID, f.after, readAtOnce); err != nil {
			return nil, nil, err
		}
		shown, err = run.Shown(kept, f.tail.source(kept, f.runs.Source(ctx, f.runID)), shownAtOnce) // what was read for nothing is small
		return kept[:len(shown)], shown, err
	})
}
