package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// retryFor is how long a driver keeps unwritten frames while the database is unavailable. After
// that it gives the run back to Temporal.
const retryFor = time.Minute

// journal is the journal of a run that this process drives.
type journal struct {
	store.SharedJournal

	cancel     context.CancelCauseFunc // of the run's context
	onProgress func()                  // called when the run makes progress
	onWrite    func(last *run.Frame)   // called with the last written frame
	counts     *holderCounts
}

// Append implements [store.SharedJournal]. While the database is unavailable it retries, because
// a late write is better than a repeated call. If the run has another driver by now, or the
// database stays away, the run is handed off.
func (j *journal) Append(ctx context.Context, frames ...run.Frame) error {
	ctx = context.WithoutCancel(ctx)
	err := retryUnavailable(ctx, func() error { return j.SharedJournal.Append(ctx, frames...) })
	if err == nil {
		j.counts.commits.Add(1)
		if store.GotOn(frames) {
			j.onProgress()
		}
		if len(frames) > 0 {
			j.onWrite(&frames[len(frames)-1])
		}
	} else {
		j.counts.refused.Add(1)
	}
	if errors.Is(err, store.ErrRunTaken) || errors.Is(err, store.ErrUnavailable) {
		j.cancel(handoffError(err))
	}
	return err
}

// retryUnavailable calls do until it succeeds, for at most retryFor while the database is
// unavailable.
func retryUnavailable(ctx context.Context, do func() error) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 50*time.Millisecond, 2*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !errors.Is(err, store.ErrUnavailable) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(retryFor))
	if permanent, ok := errors.AsType[*backoff.PermanentError](err); ok {
		err = permanent.Unwrap()
	}
	return err
}

// handoffError wraps the reason of a handoff that nobody requested.
func handoffError(why error) error { return fmt.Errorf("%w: %w", engine.ErrHandedOff, why) }
