package cluster

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The names that histories have for ever. What stands behind them is frozen: a workflow that
// is to take other steps gets a new name, and for one release both are registered. The
// histories in testdata hold this code to it.
const (
	runName   = "svc.run"
	driveName = "svc.drive"
	wakeName  = "wake"
)

// Durations of a run's task. They may change under tasks that go on.
const (
	// silence is how long nothing may be heard of a driver until it is taken for dead.
	silence = 10 * time.Second
	// forever bounds what has no bound.
	forever = 10 * 365 * 24 * time.Hour
	// retryFirst and retryMost are the pauses before a run that could not be driven is
	// tried again, for as long as it takes.
	retryFirst, retryMost = 100 * time.Millisecond, 10 * time.Second
)

// task is what a run's workflow is started with.
type task struct {
	// Pure says that the nodes of the run do nothing but compute. It is then driven within
	// a step of the workflow, which costs Temporal half as much.
	Pure bool `json:"pure,omitempty"`
}

// halt is where a driver has left a run.
type halt struct {
	// Until is when to go on with a run that only waits. Without it the run has ended, but
	// for Again.
	Until time.Time `json:"until,omitzero"`
	// Again says that it was left for somebody else.
	Again bool `json:"again,omitempty"`
}

// runTask is the workflow of a run, whose id it has. It ends with the run.
func runTask(ctx workflow.Context, t task) error {
	wake := workflow.GetSignalChannel(ctx, wakeName)
	for {
		at, err := driveTask(ctx, t.Pure)
		switch {
		case err != nil:
			return err
		case !at.Again && at.Until.IsZero():
			return nil
		}
		t.Pure = t.Pure && !at.Again
		sleep(ctx, at.Until, wake)
		if err := ctx.Err(); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, runName, t)
		}
	}
}

// driveTask has the run driven until it halts.
func driveTask(ctx workflow.Context, pure bool) (at halt, err error) {
	if pure {
		ctx := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: silence, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		err := workflow.ExecuteLocalActivity(ctx, driveName).Get(ctx, &at)
		if err != nil {
			return halt{Again: true}, nil //nolint:nilerr // where there is more time it may succeed
		}
		return at, nil
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: forever, HeartbeatTimeout: silence,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: retryFirst, BackoffCoefficient: 2, MaximumInterval: retryMost},
	})
	err = workflow.ExecuteActivity(ctx, driveName).Get(ctx, &at)
	return at, err
}

// sleep waits until it is time, somebody wakes the run, or its workflow is cancelled.
func sleep(ctx workflow.Context, until time.Time, wake workflow.ReceiveChannel) {
	timed, cancel := workflow.WithCancel(ctx)
	defer cancel()
	woken := workflow.NewSelector(ctx).AddReceive(wake, func(c workflow.ReceiveChannel, _ bool) {
		for c.ReceiveAsync(nil) {
		}
	})
	if d := until.Sub(workflow.Now(ctx)); !until.IsZero() && d > 0 {
		woken.AddFuture(workflow.NewTimer(timed, d), func(workflow.Future) {})
		woken.Select(ctx)
	}
}
