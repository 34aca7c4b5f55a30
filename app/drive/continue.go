package drive

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// Continue loads the frames that the run has already recorded, so that [Run.Drive] continues
// behind them: completed nodes are not called again, at any depth, and interrupted ones keep the
// number of their attempt. Call it before Drive.
func (r *Run) Continue(ctx context.Context) error {
	var values Values
	known := &engine.Recall{}
	from := NewSource(ctx, r.from, r.Start.RunID)
	err := eachFrame(ctx, r.from, r.Start.RunID, func(frame run.Frame) error {
		e, err := frame.Opened(from, func(h *run.Reference) (any, error) { return values.Get(from, h) })
		if err != nil {
			return fmt.Errorf("frame %d: %w", frame.Seq, err)
		}
		r.encoder.Recall(&frame)
		if r.Earlier != nil {
			r.Earlier.observe(&frame, &e)
		}
		known.Apply(&e)
		r.seq = frame.Seq
		return nil
	})
	if err == nil && r.seq > 0 {
		r.known = known
	}
	return err
}

// UnderWay returns how many node calls of this process were running when the run was interrupted.
// Call it after [Run.Continue].
func (r *Run) UnderWay() (n int) {
	if r.known == nil {
		return 0
	}
	return r.known.UnderWay(r.Elsewhere)
}

// recorded returns the recorded state of a node; see [engine.Options].
func (r *Run) recorded(path string) (engine.Recorded, bool) {
	known, ok := r.known.Recorded(path)
	if ok && r.Elsewhere != nil && known.Status == engine.StatusRunning {
		known.Elsewhere = r.Elsewhere(path)
	}
	return known, ok
}
