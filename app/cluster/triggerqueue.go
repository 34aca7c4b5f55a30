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
	// maxEnqueues is how many runs of triggers are enqueued concurrently.
	maxEnqueues = 16
	// reservedPart reserves one of that many run slots for runs without a trigger.
	reservedPart = 5
)

var _ runs.SharedTriggerQueue = (*Runs)(nil)

// Places implements [runs.SharedTriggerQueue].
func (r *Runs) Places() int {
	all := r.limits.Unfinished
	return max(all-max(all/reservedPart, 1), 1)
}

// Wait implements [runs.TriggerQueue].
func (r *Runs) Wait(ctx context.Context, works []drive.Work) ([]runs.Enqueued, error) {
	made := make([]runs.Enqueued, len(works))
	var group errgroup.Group
	group.SetLimit(maxEnqueues)
	for i := range works {
		group.Go(func() error { return r.enqueue(ctx, &works[i], &made[i]) })
	}
	return made, group.Wait()
}

// enqueue records a run that waits.
func (r *Runs) enqueue(ctx context.Context, w *drive.Work, made *runs.Enqueued) error {
	start := w.Start
	start.StartedAt = time.Now().UTC().Truncate(time.Microsecond)
	err := r.begin(context.WithoutCancel(ctx), start, store.SharedLimits{Armed: w.Epoch})
	if held, ok := errors.AsType[*store.KeyHeldError](err); ok {
		*made = runs.Enqueued{RunID: held.Start.RunID, Known: true}
		return nil
	}
	if err == nil {
		made.RunID = start.RunID
	}
	return err
}

// Begin implements [runs.TriggerQueue]. Reasons for which the run cannot begin are found by its
// driver.
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
	if record, err := r.shared.Record(ctx, runID); err == nil { // otherwise the run gets a fairness key of its own
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

// drop cancels a run that has not begun, and reports whether it did. A running one is cancelled
// by its driver.
func (r *Runs) drop(ctx context.Context, runID string) (dropped bool, err error) {
	record, err := r.shared.Record(ctx, runID)
	if err != nil || record.Status != engine.StatusWaiting {
		return false, err
	}
	err = r.holder.conclude(ctx, runID, errDropped)
	switch {
	case errors.Is(err, store.ErrRunDriven):
		return false, nil
	case errors.Is(err, store.ErrRunEnded): // another process was faster
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

// Interrupted implements [runs.TriggerQueue]. It returns the running runs of triggers, which
// other drivers continue.
func (r *Runs) Interrupted() (all []run.Record) {
	ctx, cancel := r.untilClose()
	defer cancel()
	err := retryUnavailable(ctx, func() (err error) {
		all, err = r.shared.Admitted(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.log.Error("the running runs of triggers cannot be read", "error", err)
	}
	return all
}

// Remembered implements [runs.TriggerQueue]. It does nothing.
func (r *Runs) Remembered() {}
