package localruns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/statelog"
)

// localWorld is what Runs needs, without an App.
type localWorld struct {
	registry *node.Registry
	runner   engine.Runner
	runs     *memstore.Runs
	compiled int
}

func newLocalWorld(t *testing.T, extra ...node.Plugin) *localWorld {
	t.Helper()
	plugins := append(nodes.Builtin(nodes.Env{}), trigger.Plugin(trigger.Config{}))
	registry, err := node.NewRegistry(append(plugins, extra...)...)
	require.NoError(t, err)
	return &localWorld{registry: registry, runner: &engine.Local{}, runs: &memstore.Runs{}}
}

// open returns runs over the same store, as another process has them.
func (w *localWorld) open(t *testing.T) *Runs {
	t.Helper()
	l, err := New(drive.Env{
		Runner: w.runner, State: &statelog.Memory{}, Log: slog.New(slog.DiscardHandler),
		Compile: func(ctx context.Context, start *run.Start) (*engine.Plan, error) {
			w.compiled++
			return engine.Compile(ctx, start.Definition, engine.Env{Registry: w.registry})
		},
		WithFiles: func(ctx context.Context, _ string, _ ...string) (context.Context, func()) { return ctx, func() {} },
	}, w.runs, false)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			l.Drain(t.Context()) // which has ended by now
			_ = l.Close()
		}
	})
	return l
}

// work is a run of a workflow that waits for the given number of seconds.
func (w *localWorld) work(t *testing.T, seconds int) drive.Work {
	t.Helper()
	return w.workOf(t, fmt.Appendf(nil, `{"id":"asleep","nodes":[{"id":"wait","type":"control.delay","config":{"ms":%d}}],"connections":[]}`, seconds*1000))
}

// workOf is a run of a workflow.
func (w *localWorld) workOf(t *testing.T, text []byte) drive.Work {
	t.Helper()
	def, err := workflow.Decode(text, workflow.DefaultLimits())
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: w.registry})
	require.NoError(t, err)
	return drive.Work{Plan: plan, Start: run.Start{Definition: def}}
}

// waitingWork is one of a trigger.
func (w *localWorld) waitingWork(t *testing.T, id string) drive.Work {
	t.Helper()
	def, err := workflow.Decode([]byte(`{"id":"fired","nodes":[{"id":"at","type":"trigger.manual"}],"connections":[]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: w.registry})
	require.NoError(t, err)
	firing, problems := plan.Fire("at", nil, time.Now())
	require.Empty(t, problems)
	return drive.Work{Plan: plan, Start: run.Start{
		RunID: id, Definition: def, Firing: firing, StartedBy: &run.StartedBy{Trigger: "at", Type: "trigger.manual"},
		IdempotencyKey: "\x00" + id, RequestDigest: "same",
	}}
}

func closeLocal(t *testing.T, l *Runs) {
	t.Helper()
	l.Drain(t.Context())
	require.NoError(t, l.Close())
}

// status waits for the end of a run and returns how it has ended.
func status(t *testing.T, l *Runs, id string) engine.Status {
	t.Helper()
	f, err := l.Follow(t.Context(), id, 0)
	require.NoError(t, err)
	for err == nil {
		_, err = f.Next(t.Context())
	}
	require.ErrorIs(t, err, io.EOF)
	record, err := l.Record(t.Context(), id)
	require.NoError(t, err)
	return record.Status
}

func TestStartRespectsRunSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLocalWorld(t)
		l := w.open(t)
		for range runs.MaxAsync {
			_, err := l.Start(t.Context(), w.work(t, 10))
			require.NoError(t, err)
		}
		_, err := l.Start(t.Context(), w.work(t, 10))
		require.ErrorIs(t, err, runs.ErrRunLimit)
		require.Equal(t, runs.MaxAsync, l.Stats().Async)

		mine, full := 0, errors.New("full")
		place := func(context.Context) (func(), error) {
			if mine > 0 {
				return nil, full
			}
			mine++
			return func() { mine-- }, nil
		}
		waited := w.work(t, 5)
		waited.TakeSlot = place
		id, err := l.Start(t.Context(), waited)
		require.NoError(t, err, "it has its own slot")
		_, err = l.Start(t.Context(), waited)
		require.ErrorIs(t, err, full)
		require.Equal(t, engine.StatusCompleted, status(t, l, id))
		require.Zero(t, mine)
		closeLocal(t, l)
		require.Zero(t, l.Stats().Async)
	})
}

func TestOneRunPerKeyAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLocalWorld(t)
		l := w.open(t)
		one := w.work(t, 10)
		one.Start.IdempotencyKey, one.Start.RequestDigest = "key", "a"
		id, err := l.Start(t.Context(), one)
		require.NoError(t, err)
		again, err := l.Start(t.Context(), one)
		require.NoError(t, err)
		require.Equal(t, id, again)
		one.Start.RequestDigest = "b"
		_, err = l.Start(t.Context(), one)
		require.ErrorIs(t, err, runs.ErrKeyReused)

		resumed := w.work(t, 10)
		resumed.Start.ResumedFrom = id
		_, err = l.Resume(t.Context(), resumed)
		require.ErrorIs(t, err, runs.ErrRunNotResumable, "it goes on")
		require.NoError(t, l.Cancel(t.Context(), id))
		require.Equal(t, engine.StatusCancelled, status(t, l, id))
		require.ErrorIs(t, l.Cancel(t.Context(), id), runs.ErrRunEnded)
		second, err := l.Resume(t.Context(), resumed)
		require.NoError(t, err)
		_, err = l.Resume(t.Context(), resumed)
		require.ErrorIs(t, err, runs.ErrRunNotResumable, "by one run at a time")
		require.ErrorIs(t, l.Delete(t.Context(), second), store.ErrRunRunning)
		require.NoError(t, l.Delete(t.Context(), id))
		resumed.Start.ResumedFrom = "gone"
		_, err = l.Resume(t.Context(), resumed)
		require.ErrorIs(t, err, store.ErrRunNotFound)
		closeLocal(t, l)
	})
}

// Runs that go on when their process ends are interrupted, those that wait wait for the next.
func TestRecoveryOfAnEarlierProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLocalWorld(t)
		first := w.open(t)
		long, err := first.Start(t.Context(), w.work(t, 3600))
		require.NoError(t, err)
		put, err := first.Wait(t.Context(), []drive.Work{w.waitingWork(t, "one"), w.waitingWork(t, "two"), w.waitingWork(t, "three")})
		require.NoError(t, err)
		require.Equal(t, []runs.Enqueued{{RunID: "one"}, {RunID: "two"}, {RunID: "three"}}, put)
		put, err = first.Wait(t.Context(), []drive.Work{w.waitingWork(t, "one")})
		require.NoError(t, err)
		require.Equal(t, []runs.Enqueued{{RunID: "one", Known: true}}, put)
		require.NoError(t, w.runs.Close()) // as a crash leaves it

		l := w.open(t)
		require.NoError(t, l.Ready(t.Context()))
		require.Equal(t, engine.StatusFailed, status(t, l, long))
		var waiting []string
		for start, err := range l.Waiting(t.Context()) {
			require.NoError(t, err)
			waiting = append(waiting, start.RunID)
		}
		require.ElementsMatch(t, []string{"one", "two", "three"}, waiting)
		require.NoError(t, l.Begin(t.Context(), "one", 0))
		require.Equal(t, 1, w.compiled, "what waited is compiled anew")
		require.ErrorIs(t, l.Begin(t.Context(), "one", 0), runs.ErrNotWaiting)
		require.Equal(t, engine.StatusCompleted, status(t, l, "one"))
		require.NoError(t, l.Drop(t.Context(), "two"))
		require.Equal(t, engine.StatusCancelled, status(t, l, "two"))
		require.ErrorIs(t, l.Begin(t.Context(), "two", 0), runs.ErrNotWaiting)
		require.NoError(t, l.Drop(t.Context(), "one"), "what has begun is left alone")
		require.NoError(t, l.Cancel(t.Context(), "three"))
		require.Equal(t, engine.StatusCancelled, status(t, l, "three"))
		closeLocal(t, l)
		first.Drain(t.Context())
	})
}
