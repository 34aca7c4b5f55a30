package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// queue is the Temporal task queue of runs.
const queue = "svc"

// DefaultRuns is the default number of runs that a worker drives at once.
const DefaultRuns = 100

// DefaultGrace is the default time that running node calls have when a process stops.
const DefaultGrace = 10 * time.Second

// WorkerConfig configures a [Worker].
type WorkerConfig struct {
	Driver Driver
	// Runs is how many runs are driven at once; 0 means [DefaultRuns]. Further runs wait at
	// Temporal, which alternates between workflows.
	Runs int
	// Grace is the time that running node calls have when the worker is closed; 0 means
	// [DefaultGrace].
	Grace time.Duration
	// Log receives messages for operators.
	Log *slog.Logger
}

// Worker drives runs. Make one with [StartWorker], and close it.
type Worker struct {
	worker worker.Worker
	driver Driver
	grace  time.Duration
	leave  context.CancelCauseFunc
	fatal  chan error
	once   sync.Once
}

// deadlockAfter is the SDK's limit for a step of a workflow. These steps take no time, so only an
// overloaded machine reaches it.
const deadlockAfter = 30 * time.Second

// stopMargin is the time to stop after all runs were handed off.
const stopMargin = 10 * time.Second

// cachedPerRun is how many workflow states a worker caches per run that it drives. The SDK's
// default of 10,000 would also keep waiting runs and runs that ended elsewhere. Other histories
// are short and are read again.
const cachedPerRun = 2

// StartWorker starts to drive runs that Temporal assigns.
func StartWorker(temporal client.Client, c WorkerConfig) (*Worker, error) {
	if c.Runs == 0 {
		c.Runs = DefaultRuns
	}
	worker.SetStickyWorkflowCacheSize(cachedPerRun * c.Runs)
	leaving, leave := context.WithCancelCause(context.Background())
	w := &Worker{leave: leave, fatal: make(chan error, 1), driver: c.Driver, grace: cmp.Or(c.Grace, DefaultGrace)}
	w.worker = worker.New(temporal, queue, worker.Options{
		MaxConcurrentActivityExecutionSize:      c.Runs,
		MaxConcurrentLocalActivityExecutionSize: c.Runs,
		MaxConcurrentWorkflowTaskExecutionSize:  max(2, c.Runs),
		WorkerStopTimeout:                       w.grace + stopMargin,
		DeadlockDetectionTimeout:                deadlockAfter,
		OnFatalError:                            func(err error) { w.fatal <- err },
	})
	d := &drives{driver: c.Driver, log: c.Log, leaving: leaving}
	register(w.worker, d)
	if err := w.worker.Start(); err != nil {
		leave(nil)
		return nil, fmt.Errorf("work for Temporal: %w", err)
	}
	return w, nil
}

// register registers the workflows and the activity of a worker.
func register(r worker.Registry, d *drives) {
	registerRun(r)
	registerDrive(r, d)
}

func registerRun(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(runTask, workflow.RegisterOptions{Name: runName})
	r.RegisterWorkflowWithOptions(callTask, workflow.RegisterOptions{Name: callName})
	r.RegisterWorkflowWithOptions(callsTask, workflow.RegisterOptions{Name: callsName})
}

func registerDrive(r interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}, d *drives,
) {
	r.RegisterActivityWithOptions(d.drive, activity.RegisterOptions{Name: driveName})
}

// Failed receives the error of a worker that has stopped for good.
func (w *Worker) Failed() <-chan error { return w.fatal }

// Close takes no more runs and hands off those being driven: at once if no node is being called,
// otherwise when the calls have ended, at the latest when ctx or the grace period ends. It
// returns when all are handed off.
func (w *Worker) Close(ctx context.Context) {
	w.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, w.grace)
		defer cancel()
		defer context.AfterFunc(ctx, func() { w.leave(engine.ErrHandedOff) })()
		w.driver.Leave()
		w.worker.Stop()
		w.leave(engine.ErrHandedOff)
	})
}

// Driver drives runs. It is safe for concurrent use.
type Driver interface {
	// Drive takes a run and continues it behind its recorded frames until it has ended; for an
	// ended run it does nothing. If the run only waits, Drive parks it and returns an
	// [*engine.Parked]. If ctx ends with the cause [engine.ErrHandedOff], Drive hands the run off and
	// returns that error. After any other error Temporal retries, so problems that a retry cannot
	// solve have to end the run.
	Drive(ctx context.Context, runID string) error
	// Leave hands off all runs as soon as their current calls have ended: Drive then returns
	// [engine.ErrHandedOff]. Later calls of Drive return it at once.
	Leave()
}

// Durations of a driver's work.
const (
	// heartbeatEvery is how often a driver records a heartbeat; the SDK sends fewer.
	heartbeatEvery = 2 * time.Second
	// localDriveTime is how long a run without side effects is driven in a local activity, within
	// one step of its workflow. After that it continues in a normal activity, so that the step
	// stays short.
	localDriveTime = 5 * time.Second
)

// Error types that Temporal sees when a run has to be driven again. There is no
// further detail in them.
const (
	handedOff = "handed over"
	notDriven = "not driven"
)

// drives implements the activities of a worker.
type drives struct {
	driver  Driver
	log     *slog.Logger
	leaving context.Context //nolint:containedctx // ends with the cause engine.ErrHandedOff when runs are handed off in the middle of calls
}

// drive is the activity of a run, and its local activity.
//
// It ignores the end of its context: the SDK ends it also when Temporal is unreachable, and no
// node should be cancelled for that. If Temporal has meanwhile given the run to another worker,
// the journal refuses writes of this one.
func (d *drives) drive(ctx context.Context) (driveResult, error) {
	info := activity.GetInfo(ctx)
	driven, leave := context.WithCancelCause(context.WithoutCancel(ctx))
	defer leave(nil)
	defer context.AfterFunc(d.leaving, func() { leave(engine.ErrHandedOff) })() //nolint:contextcheck // the context of the worker outlives activities
	if info.IsLocalActivity {
		defer time.AfterFunc(localDriveTime, func() { leave(engine.ErrHandedOff) }).Stop()
	} else {
		defer heartbeat(ctx)()
	}
	err := d.call(driven, info.WorkflowExecution.ID)
	if err == nil {
		return driveResult{}, nil
	}
	if parked, ok := errors.AsType[*engine.Parked](err); ok {
		return driveResult{Until: parked.Until.UTC()}, nil
	}
	left, lost := errors.Is(err, engine.ErrHandedOff), errors.Is(err, store.ErrRunTaken) || errors.Is(err, store.ErrUnavailable)
	if !left {
		d.log.WarnContext(driven, "a run cannot be driven; retrying", "run", info.WorkflowExecution.ID, "attempt", info.Attempt, "error", err)
	}
	switch {
	case info.IsLocalActivity, left && !lost: // a new step starts at once, a retry only after up to a second
		return driveResult{Again: true}, nil
	case left:
		return driveResult{}, errHandedOff()
	}
	return driveResult{}, temporal.NewApplicationError(notDriven, notDriven)
}

// errHandedOff makes Temporal retry at once, at another worker.
func errHandedOff() error {
	return temporal.NewApplicationErrorWithOptions(handedOff, handedOff, temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
}

// call calls the driver. The text of a panic is only logged.
func (d *drives) call(ctx context.Context, runID string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.log.ErrorContext(ctx, "a driver panicked", "run", runID, "stack", string(debug.Stack()))
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return d.driver.Drive(ctx, runID)
}

// heartbeat sends heartbeats to Temporal until stop.
func heartbeat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(heartbeatEvery)
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
		beating.Wait()
	}
}
