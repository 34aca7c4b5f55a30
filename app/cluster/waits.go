package cluster

import (
	"context"
	"errors"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

const (
	// puttingDown is how many runs of triggers are put down at once.
	puttingDown = 16
	// keptFor is which part of all places is never taken by triggers: one of so many.
	keptFor = 5
)

var _ runs.SharedTriggerQueue = (*Runs)(nil)

// Places implements [runs.SharedTriggerQueue].
func (r *Runs) Places() int {
	all := r.limits.Unfinished
	return max(all-max(all/keptFor, 1), 1)
}

// Wait implements [runs.TriggerQueue].
func (r *Runs) Wait(ctx context.Context, works []drive.Work) ([]runs.Enqueued, error) {
	made := make([]runs.Enqueued, len(works))
	var group errgroup.Group
	group.SetLimit(puttingDown)
	for i := range works {
		group.Go(func() error { return r.putDown(ctx, &works[i], &made[i]) })
	}
	return made, group.Wait()
}

// putDown puts a run down that waits.
func (r *Runs) putDown(ctx context.Context, w *drive.Work, made *runs.Enqueued) error {
	start := w.Start
	start.StartedAt = time.Now().UTC().Truncate(time.Microsecond)
	err := r.begin(context.WithoutCancel(ctx), start, store.SharedLimits{Armed: w.Armed})
	if held, ok := errors.AsType[*store.KeyHeldError](err); ok {
		*made = runs.Enqueued{RunID: held.Start.RunID, Known: true}
		return nil
	}
	if err == nil {
		made.RunID = start.RunID
	}
	return err
}

// Begin implements [runs.TriggerQueue]. What keeps the run from beginning, whoever drives it finds.
func (r *Runs) Begin(ctx context.Context, runID string, armed int64) error {
	limits := r.limits
	limits.Armed = armed
	err := r.shared.Admit(ctx, runID, limits)
	switch {
	case errors.Is(err, store.ErrRunEnded), errors.Is(err, store.ErrRunNotFound):
		return runs.ErrNotWaiting
	case errors.Is(err, store.ErrNoPlace):
		return runs.ErrRunLimit
	case err != nil:
		return err
	}
	begun := Begun{RunID: runID, WorkflowID: runID}
	if record, err := r.shared.Record(ctx, runID); err == nil { // else it takes its turn by itself
		begun.WorkflowID = record.WorkflowID
	}
	r.tasks.Offer(begun)
	return nil
}

// Drop implements [runs.TriggerQueue].
func (r *Runs) Drop(ctx context.Context, runID string) error {
	err := r.Cancel(ctx, runID)
	if errors.Is(err, runs.ErrRunEnded) || errors.Is(err, store.ErrRunNotFound) {
		return nil
	}
	return err
}

// drop ends a run as cancelled that has not begun, and reports whether it did. Of a run that
// somebody drives already, the driver sees that it is cancelled.
func (r *Runs) drop(ctx context.Context, runID string) (dropped bool, err error) {
	record, err := r.shared.Record(ctx, runID)
	if err != nil || record.Status != engine.StatusWaiting {
		return false, err
	}
	err = r.holder.conclude(ctx, runID, errDropped)
	switch {
	case errors.Is(err, store.ErrRunDriven):
		return false, nil
	case errors.Is(err, store.ErrRunEnded): // somebody else has dropped it meanwhile
		return true, nil
	}
	return err == nil, err
}

// Waiting implements [runs.TriggerQueue].
func (r *Runs) Waiting(ctx context.Context) iter.Seq2[run.Start, error] {
	return func(yield func(run.Start, error) bool) {
		records, err := r.shared.Waiting(ctx, time.Time{})
		if err != nil {
			yield(run.Start{}, err)
			return
		}
		for i := range records {
			if !yield(r.shared.Start(ctx, records[i].RunID)) {
				return
			}
		}
	}
}

// Arrived implements [runs.SharedTriggerQueue].
func (r *Runs) Arrived(ctx context.Context, since time.Time) ([]run.Record, error) {
	return r.shared.Waiting(ctx, since)
}

// Inbox implements [runs.SharedTriggerQueue].
func (r *Runs) Inbox(ctx context.Context) (store.Inbox, error) { return r.shared.Inbox(ctx) }

// Interrupted implements [runs.TriggerQueue]: the runs of triggers that go on, which no driver's end
// interrupts.
func (r *Runs) Interrupted() (all []run.Record) {
	ctx, cancel := r.life()
	defer cancel()
	err := held(ctx, func() (err error) {
		all, err = r.shared.Admitted(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.log.Error("the runs of triggers that go on cannot be told", "error", err)
	}
	return all
}

// Remembered implements [runs.TriggerQueue].
func (r *Runs) Remembered() {}
