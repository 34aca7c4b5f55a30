package cluster

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/svcflow/svc/engine"
)

// queue is the one that runs are driven from.
const queue = "svc"

// DefaultRuns is how many runs a worker drives at once unless it is told otherwise.
const DefaultRuns = 100

// DefaultGrace is how long nodes may go on that are being called when a process ends.
const DefaultGrace = 10 * time.Second

// WorkerConfig is what a [Worker] is made of.
type WorkerConfig struct {
	Driver Driver
	// Runs is how many runs are driven at once; 0 means [DefaultRuns]. The others wait at
	// Temporal, fairly between workflows.
	Runs int
	// Grace is how long nodes may go on that are being called when the worker is closed; 0 means
	// [DefaultGrace].
	Grace time.Duration
	// Log takes what operators should know.
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

// slowest is how long a step of a workflow may take. These take none: what takes longer is a
// machine that has too much to do.
const slowest = 30 * time.Second

// stopping bounds what is left to do once all runs were left.
const stopping = 10 * time.Second

// remembered is of how many runs a worker keeps the state of their workflow for each that it
// drives. The SDK keeps 10,000 in all otherwise, also those that wait and those that have ended elsewhere;
// the histories of the others are short, and read again.
const remembered = 2

// StartWorker begins to drive the runs that Temporal hands out.
func StartWorker(temporal client.Client, c WorkerConfig) (*Worker, error) {
	if c.Runs == 0 {
		c.Runs = DefaultRuns
	}
	worker.SetStickyWorkflowCacheSize(remembered * c.Runs)
	leaving, leave := context.WithCancelCause(context.Background())
	w := &Worker{leave: leave, fatal: make(chan error, 1), driver: c.Driver, grace: cmp.Or(c.Grace, DefaultGrace)}
	w.worker = worker.New(temporal, queue, worker.Options{
		MaxConcurrentActivityExecutionSize:      c.Runs,
		MaxConcurrentLocalActivityExecutionSize: c.Runs,
		MaxConcurrentWorkflowTaskExecutionSize:  max(2, c.Runs),
		WorkerStopTimeout:                       w.grace + stopping,
		DeadlockDetectionTimeout:                slowest,
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

// register makes known what a worker does.
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

// Failed receives the error of a worker that will do nothing more.
func (w *Worker) Failed() <-chan error { return w.fatal }

// Close takes no more runs and leaves those that are being driven for others, which go on
// with them: at once where nothing is being called, else when that has ended, but no later than
// with ctx or the grace. It waits until they were left.
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
