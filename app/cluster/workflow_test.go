package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
)

// script is a driver that does one thing after the other, and remembers of which runs.
type script struct {
	mu   sync.Mutex
	acts []func(ctx context.Context) error
	runs []string
}

func (s *script) Drive(ctx context.Context, runID string) error {
	s.mu.Lock()
	s.runs = append(s.runs, runID)
	act := func(context.Context) error { return nil }
	if len(s.acts) > 0 {
		act, s.acts = s.acts[0], s.acts[1:]
	}
	s.mu.Unlock()
	return act(ctx)
}

func (*script) Leave() {}

func ends(context.Context) error { return nil }

func fails(text string) func(context.Context) error {
	return func(context.Context) error { return errors.New(text) }
}

// world is a Temporal without a server, with a simulated clock.
type world struct {
	*testsuite.TestWorkflowEnvironment

	driver *script
	log    *bytes.Buffer
	leave  func()
	local  int // activities that were steps of the workflow
	own    int // and others
}

func newWorld(t *testing.T, acts ...func(context.Context) error) *world {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	w := &world{driver: &script{acts: acts}, log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(w.log, nil))
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	w.TestWorkflowEnvironment = suite.NewTestWorkflowEnvironment()
	w.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // slow machines stop for a second
	w.leave = cluster.Register(w, w.driver, log)
	w.SetTestTimeout(time.Minute)
	w.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // and not a second, for which a slow machine may stand still
	w.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) { w.local++ })
	w.SetOnActivityStartedListener(func(*activity.Info, context.Context, converter.EncodedValues) { w.own++ })
	return w
}

// run runs the workflow of a run to its end.
func (w *world) run(t *testing.T, pure bool) {
	t.Helper()
	w.ExecuteWorkflow(cluster.RunName, cluster.Task(pure))
	require.True(t, w.IsWorkflowCompleted())
}

func TestARunIsDrivenToItsEnd(t *testing.T) {
	w := newWorld(t, ends)
	w.run(t, false)
	require.NoError(t, w.GetWorkflowError())
	require.Equal(t, []string{"default-test-workflow-id"}, w.driver.runs, "the workflow has the id of the run")
	require.Equal(t, [2]int{0, 1}, [2]int{w.local, w.own})
}

func TestWhatOnlyComputesIsDrivenWithinAStep(t *testing.T) {
	w := newWorld(t, ends)
	w.run(t, true)
	require.NoError(t, w.GetWorkflowError())
	require.Equal(t, [2]int{1, 0}, [2]int{w.local, w.own})
}

func TestWhatCannotBeDrivenWithinAStepIsDrivenAsOthersAre(t *testing.T) {
	w := newWorld(t, fails("no room"), ends)
	w.run(t, true)
	require.NoError(t, w.GetWorkflowError())
	require.Equal(t, [2]int{1, 1}, [2]int{w.local, w.own})
}

func TestARunThatOnlyWaitsIsGoneOnWithWhenItIsTime(t *testing.T) {
	var w *world
	until := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	w = newWorld(t, func(context.Context) error { return &engine.Parked{Until: until} }, func(context.Context) error {
		require.False(t, w.Now().Before(until), "driven at %s", w.Now())
		return nil
	})
	w.SetStartTime(until.Add(-time.Hour))
	w.run(t, false)
	require.NoError(t, w.GetWorkflowError())
	require.Len(t, w.driver.runs, 2)
	require.Less(t, w.Now().Sub(until), time.Minute)
}

func TestARunThatOnlyWaitsCanBeWoken(t *testing.T) {
	var w *world
	begun := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	w = newWorld(t, func(context.Context) error { return &engine.Parked{Until: begun.Add(24 * time.Hour)} })
	w.SetStartTime(begun)
	w.RegisterDelayedCallback(func() { w.SignalWorkflow(cluster.WakeName, nil) }, time.Minute)
	w.run(t, false)
	require.NoError(t, w.GetWorkflowError())
	require.Len(t, w.driver.runs, 2)
	require.Less(t, w.Now().Sub(begun), 2*time.Minute)
}

func TestWhoIsWokenWhileItIsDrivenMissesNothing(t *testing.T) {
	var w *world
	w = newWorld(t, func(context.Context) error {
		w.SignalWorkflow(cluster.WakeName, nil)
		return &engine.Parked{Until: time.Now().Add(24 * time.Hour)}
	})
	began := w.Now()
	w.run(t, false)
	require.Len(t, w.driver.runs, 2)
	require.Less(t, w.Now().Sub(began), time.Hour)
}

func TestWhatCannotBeDrivenIsTriedAgain(t *testing.T) {
	acts := make([]func(context.Context) error, 8) // the environment gives up after ten, servers never
	for i := range acts {
		acts[i] = fails("the store is away")
	}
	w := newWorld(t, acts...)
	w.run(t, false)
	require.NoError(t, w.GetWorkflowError())
	require.Len(t, w.driver.runs, 9)
}

func TestLongHistoriesAreCut(t *testing.T) {
	w := newWorld(t, func(context.Context) error { return &engine.Parked{Until: time.Now()} })
	w.SetContinueAsNewSuggested(true)
	w.run(t, true)
	require.True(t, workflow.IsContinueAsNewError(w.GetWorkflowError()), "%v", w.GetWorkflowError())
}

// TestPlacedCallsAreAnsweredInTheEnd has those who answer them die.
func TestPlacedCallsAreAnsweredInTheEnd(t *testing.T) {
	for name, task := range map[string]any{
		cluster.CallName:  map[string]string{"id": "a", "queue": "gpu"},
		cluster.CallsName: cluster.CallTask{ID: "task", Queue: "gpu", Calls: []string{"a", "b", "c"}},
	} {
		w := newWorld(t)
		var mu sync.Mutex
		asked := map[string]int{}
		w.RegisterActivityWithOptions(func(_ context.Context, id string) error {
			mu.Lock()
			defer mu.Unlock()
			if asked[id]++; id != "b" && asked[id] < 4 {
				return errors.New("killed")
			}
			return nil
		}, activity.RegisterOptions{Name: cluster.AnswerName})
		w.ExecuteWorkflow(name, task)
		require.True(t, w.IsWorkflowCompleted())
		require.NoError(t, w.GetWorkflowError())
		want := map[string]int{"a": 4}
		if name == cluster.CallsName {
			want["b"], want["c"] = 1, 4
		}
		require.Equal(t, want, asked, name)
	}
}

// TestRecordedHistories holds the code of workflows to what releases have recorded: a change
// that these do not fit needs a workflow of a new name.
func TestRecordedHistories(t *testing.T) {
	histories, err := filepath.Glob("testdata/histories/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, histories)
	for _, history := range histories {
		t.Run(filepath.Base(history), func(t *testing.T) {
			replayer := worker.NewWorkflowReplayer()
			cluster.RegisterRun(replayer)
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)), history))
		})
	}
}
