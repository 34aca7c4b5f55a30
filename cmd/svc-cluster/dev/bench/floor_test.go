package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	temporal "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/cmd/internal/program"
)

// floorVariable makes the test binary a worker with empty tasks. Its value is the address of
// Temporal.
const floorVariable = "SVC_BENCH_FLOOR"

// floorQueue is the task queue of that worker; the other names are its workflows and its activity.
const (
	floorQueue = "floor"
	emptyLocal = "local" // a local activity
	emptyOne   = "one"   // one activity
	emptyEach  = "each"  // ten activities in a row
	emptyFan   = "fan"   // a hundred activities in parallel
	nothing    = "nothing"
)

func TestMain(m *testing.M) {
	address := os.Getenv(floorVariable)
	if address == "" {
		os.Exit(m.Run())
	}
	if err := beFloor(program.Context(), address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// beFloor runs the worker until ctx ends.
func beFloor(ctx context.Context, address string) error {
	c, err := cluster.Dial(ctx, cluster.Connection{Address: address, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer c.Close()
	const atOnce = cluster.DefaultRuns
	w := worker.New(c, floorQueue, worker.Options{
		MaxConcurrentActivityExecutionSize: atOnce, MaxConcurrentLocalActivityExecutionSize: atOnce, MaxConcurrentWorkflowTaskExecutionSize: atOnce,
	})
	w.RegisterActivityWithOptions(func(context.Context) error { return nil }, activity.RegisterOptions{Name: nothing})
	for name, does := range map[string]func(workflow.Context) error{emptyLocal: local, emptyOne: one, emptyEach: each, emptyFan: fan} {
		w.RegisterWorkflowWithOptions(does, workflow.RegisterOptions{Name: name})
	}
	if err := w.Start(); err != nil {
		return err
	}
	defer w.Stop()
	fmt.Fprintln(os.Stderr, "ready")
	<-ctx.Done()
	return nil
}

func local(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: time.Minute})
	return workflow.ExecuteLocalActivity(ctx, nothing).Get(ctx, nil)
}

func one(ctx workflow.Context) error { return calls(ctx, 1).Get(ctx, nil) }

func each(ctx workflow.Context) error {
	for range nodes {
		if err := calls(ctx, 1).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func fan(ctx workflow.Context) error { return calls(ctx, fanned).Get(ctx, nil) }

// calls starts n activities and returns a future that is ready when all have ended.
func calls(ctx workflow.Context, n int) workflow.Future {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, HeartbeatTimeout: 10 * time.Second})
	all, done := workflow.NewFuture(ctx)
	begun := make([]workflow.Future, n)
	for i := range begun {
		begun[i] = workflow.ExecuteActivity(ctx, nothing)
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		for _, f := range begun {
			if err := f.Get(ctx, nil); err != nil {
				done.SetError(err)
				return
			}
		}
		done.SetValue(nil)
	})
	return all
}

// floor starts the worker with empty tasks.
func (r *rig) floor() {
	r.b.Helper()
	own, err := os.Executable()
	require.NoError(r.b, err)
	p := &process{b: r.b, Cmd: exec.Command(own), log: filepath.Join(r.dir, "floor.log")}
	p.begin(floorVariable + "=" + r.address())
	p.said("ready")
}

// empty executes an empty workflow and waits for its end.
func (r *rig) empty(name string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		task, err := r.client.ExecuteWorkflow(ctx, temporal.StartWorkflowOptions{TaskQueue: floorQueue}, name)
		if err != nil {
			return err
		}
		return task.Get(ctx, nil)
	}
}
