package cluster

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Names in Temporal histories. They must never change, and neither may the steps of their
// workflows: a workflow with other steps gets a new name, and both are registered for one
// release. The histories in testdata check this.
const (
	runName   = "svc.run"
	driveName = "svc.drive"
	wakeName  = "wake"
)

// Durations of a run's workflow. They may change while workflows are running.
const (
	// heartbeatTimeout is how long a driver may send no heartbeat until it counts as dead.
	heartbeatTimeout = 10 * time.Second
	// forever stands for no limit.
	forever = 10 * 365 * 24 * time.Hour
	// retryFirst and retryMost bound the pauses between attempts to drive a run.
	retryFirst, retryMost = 100 * time.Millisecond, 10 * time.Second
)

// task is the input of a run's workflow.
type task struct {
	// Pure says that no node of the run has side effects. The run is then driven by a local
	// activity, which costs Temporal half as much.
	Pure bool `json:"pure,omitempty"`
}

// driveResult is the result of the activity.
type driveResult struct {
	// Until is when to continue a run that only waits. If it is zero and Again is not set, the
	// run has ended.
	Until time.Time `json:"until,omitzero"`
	// Again says that the run was handed off.
	Again bool `json:"again,omitempty"`
}

// runTask is the workflow of a run. Its id is the run's id, and it ends with the run.
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

// driveTask starts the activity and returns its result.
func driveTask(ctx workflow.Context, pure bool) (at driveResult, err error) {
	if pure {
		ctx := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: heartbeatTimeout, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		err := workflow.ExecuteLocalActivity(ctx, driveName).Get(ctx, &at)
		if err != nil {
			return driveResult{Again: true}, nil //nolint:nilerr // the normal activity, which has more time, is next
		}
		return at, nil
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: forever, HeartbeatTimeout: heartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: retryFirst, BackoffCoefficient: 2, MaximumInterval: retryMost},
	})
	err = workflow.ExecuteActivity(ctx, driveName).Get(ctx, &at)
	return at, err
}

// sleep waits until a time, a wake signal, or the end of the workflow.
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
