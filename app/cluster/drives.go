package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// Driver drives runs. It is safe for concurrent use.
type Driver interface {
	// Drive takes a run, and goes on behind what is recorded of it until it has ended; of a
	// run that has ended already it does nothing. A run that only waits is given up with
	// an [engine.Parked]. When ctx ends with the cause [engine.ErrHandedOff], it begins nothing
	// more, lets go of the run and returns that error. After any other error somebody will
	// be asked again, so what no repeating can help has to end the run.
	Drive(ctx context.Context, runID string) error
	// Leave lets runs be driven no further than to the end of what is being called: Drive then
	// returns [engine.ErrHandedOff], and at once for runs that are still to be taken.
	Leave()
}

// Durations of a driver's work.
const (
	// aliveEvery is how often a driver says that it lives; Temporal is asked less often.
	aliveEvery = 2 * time.Second
	// shortest is how long a run of nothing but pure nodes is driven within a step of its
	// workflow: then it goes on as others do, so that the step stays one.
	shortest = 5 * time.Second
)

// Why a run that was being driven is to be driven again, for Temporal, which is told no
// more than that.
const (
	handedOver = "handed over"
	notDriven  = "not driven"
)

// drives does the work of a worker.
type drives struct {
	driver  Driver
	log     *slog.Logger
	leaving context.Context //nolint:containedctx // ends, with the cause engine.ErrHandedOff, when the worker is to leave its runs whatever is being called
}

// drive is the activity of a run, and the local one.
//
// That its context ends means nothing: the SDK does so as well when Temporal cannot be
// reached, and no node has to be cancelled for that. What goes on here although Temporal
// has given it to another worker is kept apart by the journal of the run.
func (d *drives) drive(ctx context.Context) (halt, error) {
	info := activity.GetInfo(ctx)
	driven, leave := context.WithCancelCause(context.WithoutCancel(ctx))
	defer leave(nil)
	defer context.AfterFunc(d.leaving, func() { leave(engine.ErrHandedOff) })() //nolint:contextcheck // the worker's own, which outlives activities
	if info.IsLocalActivity {
		defer time.AfterFunc(shortest, func() { leave(engine.ErrHandedOff) }).Stop()
	} else {
		defer alive(ctx)()
	}
	err := d.call(driven, info.WorkflowExecution.ID)
	if err == nil {
		return halt{}, nil
	}
	if parked, ok := errors.AsType[*engine.Parked](err); ok {
		return halt{Until: parked.Until.UTC()}, nil
	}
	left, lost := errors.Is(err, engine.ErrHandedOff), errors.Is(err, store.ErrRunTaken) || errors.Is(err, store.ErrUnavailable)
	if !left {
		d.log.WarnContext(driven, "a run cannot be driven; it will be tried again", "run", info.WorkflowExecution.ID, "attempt", info.Attempt, "error", err)
	}
	switch {
	case info.IsLocalActivity, left && !lost: // a step of the workflow is there at once, a second attempt after up to a second
		return halt{Again: true}, nil
	case left:
		return halt{}, errHandedOver()
	}
	return halt{}, temporal.NewApplicationError(notDriven, notDriven)
}

// errHandedOver has Temporal ask somebody else at once.
func errHandedOver() error {
	return temporal.NewApplicationErrorWithOptions(handedOver, handedOver, temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
}

// call asks the driver. What a panic says stays here.
func (d *drives) call(ctx context.Context, runID string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.log.ErrorContext(ctx, "a driver panicked", "run", runID, "stack", string(debug.Stack()))
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return d.driver.Drive(ctx, runID)
}

// alive lets Temporal know that a run is being driven, until stop.
func alive(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		tick := time.NewTicker(aliveEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	})
	return func() {
		close(done)
		telling.Wait()
	}
}
