package drive

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// GoOn makes the run one that goes on with what is recorded of itself: nodes that have ended
// are neither called nor told again, at any depth, and those that were under way keep the
// number of their attempt. It comes before [Run.Drive].
func (r *Run) GoOn(ctx context.Context) error {
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

// UnderWay returns how many calls of nodes were under way here when the run was interrupted with
// which one goes on.
func (r *Run) UnderWay() (n int) {
	if r.known == nil {
		return 0
	}
	return r.known.UnderWay(r.Elsewhere)
}

// recorded returns what is known of a node; see [engine.Options].
func (r *Run) recorded(path string) (engine.Recorded, bool) {
	known, ok := r.known.Recorded(path)
	if ok && r.Elsewhere != nil && known.Status == engine.StatusRunning {
		known.Elsewhere = r.Elsewhere(path)
	}
	return known, ok
}
