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

// holdFor is how long a driver holds what has happened while it cannot be written. Then it
// gives the run back to Temporal, which asks again for ever.
const holdFor = time.Minute

// journal is that of a run which somebody drives here.
type journal struct {
	store.SharedJournal

	lose   context.CancelCauseFunc // of the run's context
	gotOn  func()                  // called each time that the run has got on
	wrote  func(last *run.Frame)   // called with the last one of frames that are written
	counts *counts
}

// Append implements [store.SharedJournal]. While the store is away it waits, as what has
// happened is better written late than done again. If the run has another driver by now, or
// the store is away for long, the run is left: nothing more may happen here.
func (j *journal) Append(ctx context.Context, frames ...run.Frame) error {
	ctx = context.WithoutCancel(ctx)
	err := held(ctx, func() error { return j.SharedJournal.Append(ctx, frames...) })
	if err == nil {
		j.counts.commits.Add(1)
		if store.GotOn(frames) {
			j.gotOn()
		}
		if len(frames) > 0 {
			j.wrote(&frames[len(frames)-1])
		}
	} else {
		j.counts.refused.Add(1)
	}
	if errors.Is(err, store.ErrRunTaken) || errors.Is(err, store.ErrUnavailable) {
		j.lose(leftFor(err))
	}
	return err
}

// held does something again and again while the store is away, as long as what has happened is
// held.
func held(ctx context.Context, do func() error) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 50*time.Millisecond, 2*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !errors.Is(err, store.ErrUnavailable) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(holdFor))
	if permanent, ok := errors.AsType[*backoff.PermanentError](err); ok {
		err = permanent.Unwrap()
	}
	return err
}

// leftFor says that a run is left although nobody has asked for it.
func leftFor(why error) error { return fmt.Errorf("%w: %w", engine.ErrHandedOff, why) }
