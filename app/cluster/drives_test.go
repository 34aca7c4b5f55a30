package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// driveOnce calls the activity as a worker with that context does, of which act can say that it leaves its runs.
func driveOnce(ctx context.Context, t *testing.T, act func(ctx context.Context, leave func()) error) (at cluster.Halt, log string, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	var text bytes.Buffer
	var leave func()
	driver := &script{acts: []func(context.Context) error{func(ctx context.Context) error { return act(ctx, leave) }}}
	leave = cluster.RegisterDrive(env, driver, slog.New(slog.NewTextHandler(&text, nil)))
	result, err := env.ExecuteActivity(cluster.DriveName)
	if err == nil {
		require.NoError(t, result.Get(&at))
	}
	return at, text.String(), err
}

func TestTemporalIsToldNoReasons(t *testing.T) {
	const secret = "canary-4711"
	for name, act := range map[string]func(context.Context, func()) error{
		"failure": func(context.Context, func()) error { return errors.New(secret) },
		"panic":   func(context.Context, func()) error { panic(secret) },
	} {
		t.Run(name, func(t *testing.T) {
			_, log, err := driveOnce(t.Context(), t, act)
			require.Error(t, err)
			for told := err; told != nil; told = errors.Unwrap(told) {
				require.NotContains(t, told.Error(), secret)
			}
			failure, ok := errors.AsType[*temporal.ApplicationError](err)
			require.True(t, ok)
			require.False(t, failure.HasDetails())
			require.False(t, failure.NonRetryable())
			require.Contains(t, log, secret, "operators find it in the log")
		})
	}
}

func TestWhoLeavesHandsItsRunsOver(t *testing.T) {
	at, _, err := driveOnce(t.Context(), t, func(ctx context.Context, leave func()) error {
		leave()
		<-ctx.Done()
		require.ErrorIs(t, context.Cause(ctx), engine.ErrHandedOff)
		return context.Cause(ctx)
	})
	require.NoError(t, err)
	require.Equal(t, cluster.Halt{Again: true}, at, "the workflow has it driven on at once")
}

func TestARunThatIsLostIsTriedAgain(t *testing.T) {
	_, _, err := driveOnce(t.Context(), t, func(context.Context, func()) error {
		return fmt.Errorf("%w: %w", engine.ErrHandedOff, store.ErrRunTaken)
	})
	failure, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok)
	require.Less(t, failure.NextRetryDelay(), 100*time.Millisecond)
	require.Positive(t, failure.NextRetryDelay())
}

func TestWhereARunOnlyWaitsIsTold(t *testing.T) {
	until := time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	at, _, err := driveOnce(t.Context(), t, func(context.Context, func()) error { return &engine.Parked{Until: until} })
	require.NoError(t, err)
	require.Equal(t, cluster.Halt{Until: until.UTC()}, at)
}

func TestThatTemporalIsAwayCancelsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := driveOnce(ctx, t, func(driven context.Context, _ func()) error {
		cancel() // as the SDK does when heartbeats fail
		return driven.Err()
	})
	require.NoError(t, err)
}
