package app

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

func TestThreeWaysToStart(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		text := greeting(t)
		def := parse(t, string(text))
		_, err := a.Save(t.Context(), def, workflow.Condition{})
		require.NoError(t, err)
		for name, start := range map[string]func(run.Request) (string, error){
			"a definition":      func(o run.Request) (string, error) { return a.Start(t.Context(), def, o) },
			"a text":            func(o run.Request) (string, error) { return a.StartJSON(t.Context(), text, o) },
			"a stored workflow": func(o run.Request) (string, error) { return a.StartStored(t.Context(), "greeting", o) },
		} {
			id, err := start(run.Request{Inputs: map[string]any{"who": "Ada"}})
			require.NoError(t, err, name)
			last := ended(t, a, id)
			require.Equal(t, engine.EventCompleted, last.Name)
			require.Equal(t, map[string]any{"greeting": "Hello, Ada!"}, last.Result.Outputs)

			record, err := a.Run(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, last.Result, record.Result)
			require.Equal(t, engine.StatusCompleted, record.Status)

			id, err = start(run.Request{Overrides: map[string]map[string]any{"who": {"default": "Bob"}}})
			require.NoError(t, err, name)
			require.Equal(t, map[string]any{"greeting": "Hello, Bob!"}, ended(t, a, id).Result.Outputs)
			ran, err := a.RunWorkflow(t.Context(), id)
			require.NoError(t, err)
			require.Contains(t, string(ran.Format()), "Bob", "the workflow as it ran")
		}
		page, err := a.Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 6)
		require.Nil(t, page.Items[0].Result)
	})
}

func TestStartRefuses(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		ctx := t.Context()
		_, err := a.StartStored(ctx, "nobody", run.Request{})
		require.ErrorIs(t, err, workflow.ErrNotFound)
		_, err = a.StartJSON(ctx, []byte(`{"id":"x","nodes":[]}`), run.Request{})
		require.ErrorContains(t, err, "connections")
		_, err = a.StartJSON(ctx, []byte(`{"id":"x","nodes":[{"id":"a","type":"no.such"}],"connections":[]}`), run.Request{})
		require.Equal(t, []string{engine.CodeUnknownNodeType}, codes(t, err))
		_, err = a.Start(ctx, says(t, "w", "x"), run.Request{Inputs: map[string]any{"nobody": 1}})
		require.Equal(t, []string{engine.CodeUnknownInput}, codes(t, err))
		_, err = a.Start(ctx, says(t, "w", "x"), run.Request{IdempotencyKey: strings.Repeat("k", runs.MaxKey+1)})
		require.ErrorIs(t, err, runs.ErrKeyTooLong)

		page, err := a.Runs(ctx, run.Query{})
		require.NoError(t, err)
		require.Empty(t, page.Items, "nothing is recorded of what did not start")
		require.Zero(t, a.Stats())
	})
}

func TestAThousandStartsAtOnce(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		var mu sync.Mutex
		var accepted []string
		refused := 0
		var group sync.WaitGroup
		for range 1000 {
			group.Go(func() {
				id, err := a.StartJSON(t.Context(), asleep(60), run.Request{})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					accepted = append(accepted, id)
				case errors.Is(err, runs.ErrRunLimit):
					refused++
				default:
					t.Errorf("start: %v", err)
				}
			})
		}
		group.Wait()
		require.Len(t, accepted, runs.MaxAsync)
		require.Equal(t, 990, refused)
		require.Equal(t, runs.Stats{Async: runs.MaxAsync}, a.Stats())
		for _, id := range accepted {
			require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
			_, err := a.StartJSON(t.Context(), asleep(1), run.Request{})
			require.NoError(t, err, "after the last frame the slot is free")
		}
	})
}

// However a run ends, its place is free again.
func TestPlacesAreFreed(t *testing.T) {
	c := newCounter()
	c.set(c.waiting, "long")
	c.set(c.failing, "broken")
	for name, text := range map[string]string{
		"timeout": `{"id":"t","nodes":[{"id":"a","type":"test.count","config":{"label":"long"},"timeoutMs":10}],"connections":[]}`,
		"failure": `{"id":"t","nodes":[{"id":"a","type":"test.count","config":{"label":"broken"}}],"connections":[]}`,
		"success": `{"id":"t","nodes":[{"id":"a","type":"test.count","config":{"label":"fine"}}],"connections":[]}`,
	} {
		inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
			for range 3 * runs.MaxAsync {
				id, err := a.StartJSON(t.Context(), []byte(text), run.Request{})
				require.NoError(t, err, name)
				ended(t, a, id)
				require.Zero(t, a.Stats())
			}
		})
	}
}

// wildRunner panics, or comes back without an end.
type wildRunner struct{ panics bool }

func (r wildRunner) Run(_ context.Context, _ *engine.Plan, o engine.Options) (*engine.Run, error) {
	o.Observe(engine.Event{Name: engine.EventStarted, Seq: 1, RunID: o.RunID, Time: time.Now()})
	o.Observe(engine.Event{
		Name: engine.EventNode, Seq: 2, RunID: o.RunID, Time: time.Now(), NodeID: "out", Status: engine.StatusSucceeded,
	})
	if r.panics {
		panic("out of order")
	}
	return nil, nil
}

func TestRunsThatCannotEndThemselves(t *testing.T) {
	for runner, code := range map[wildRunner]string{{panics: true}: node.CodePanic, {}: node.CodeFailed} {
		inBubble(t, Config{Runner: runner}, func(t *testing.T, a *App) {
			id, err := a.Start(t.Context(), says(t, "w", "x"), run.Request{})
			require.NoError(t, err)
			last := ended(t, a, id)
			require.Equal(t, 3, last.Seq)
			require.Equal(t, code, last.Error.Code)
			require.Equal(t, engine.StatusSucceeded, last.Result.Nodes["out"].Status, "earlier events are in the result")
			require.Zero(t, a.Stats())
			record, err := a.Run(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, engine.StatusFailed, record.Status)
		})
	}
}

func TestRunsOutliveTheirCallers(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		ctx, cancel := context.WithCancel(t.Context())
		id, err := a.StartJSON(ctx, asleep(10), run.Request{})
		require.NoError(t, err)
		cancel()
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
	})
}

func TestCancel(t *testing.T) {
	const nested = `{"id":"deep","nodes":[
		{"id":"items","type":"json.parse","config":{"text":"[1,2,3]"}},
		{"id":"loop","type":"control.foreach","config":{"concurrency":2},"body":{"nodes":[
			{"id":"item","type":"io.input","config":{"name":"item","type":"any"}},
			{"id":"count","type":"test.count","config":{"label":"long"}}],"connections":[]}},
		{"id":"after","type":"test.count","config":{"label":"after"}}],
		"connections":[{"fromNodeId":"items","fromPort":"value","toNodeId":"loop","toPort":"list"},
			{"fromNodeId":"loop","fromPort":"count","toNodeId":"after","toPort":"item"}]}`
	c := newCounter()
	c.set(c.waiting, "long")
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
		id, err := a.StartJSON(t.Context(), []byte(nested), run.Request{})
		require.NoError(t, err)
		synctest.Wait()
		begun := time.Now()
		require.NoError(t, a.Cancel(t.Context(), id))
		require.NoError(t, ignoreEnded(a.Cancel(t.Context(), id)), "again")
		last := ended(t, a, id)
		require.LessOrEqual(t, time.Since(begun), time.Second)
		require.Equal(t, engine.EventFailed, last.Name)
		require.Equal(t, engine.StatusCancelled, last.Result.Status)
		require.Equal(t, "cancelled", last.Error.Code)
		require.Equal(t, engine.StatusCancelled, last.Result.Nodes["after"].Status)
		require.ErrorIs(t, a.Cancel(t.Context(), id), runs.ErrRunEnded)
		require.ErrorIs(t, a.Cancel(t.Context(), "nobody"), store.ErrRunNotFound)
		record, err := a.Run(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, engine.StatusCancelled, record.Status)
	})
}

func ignoreEnded(err error) error {
	if errors.Is(err, runs.ErrRunEnded) {
		return nil
	}
	return err
}

func TestUnknownRuns(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		_, err := a.Run(t.Context(), "nobody")
		require.ErrorIs(t, err, store.ErrRunNotFound)
		_, err = a.RunWorkflow(t.Context(), "nobody")
		require.ErrorIs(t, err, store.ErrRunNotFound)
		_, err = a.Follow(t.Context(), "nobody", 0)
		require.ErrorIs(t, err, store.ErrRunNotFound)
		_, err = a.Resume(t.Context(), "nobody", run.Resumption{})
		require.ErrorIs(t, err, store.ErrRunNotFound)
		for _, err := range a.Events(t.Context(), "nobody", 0) {
			require.ErrorIs(t, err, store.ErrRunNotFound)
		}
	})
}

// A run that cannot write its journal stops its nodes.
func TestFullDiskStopsNodes(t *testing.T) {
	runs := &failingRuns{RunStore: &memstore.Runs{}}
	inBubble(t, Config{Runs: runs}, func(t *testing.T, a *App) {
		id, err := a.StartJSON(t.Context(), pulse(100), run.Request{})
		require.NoError(t, err)
		<-time.After(10*time.Second + time.Millisecond)
		runs.fail(syscall.ENOSPC, 0)
		begun := time.Now()
		last := ended(t, a, id)
		require.LessOrEqual(t, time.Since(begun), 2*time.Second)
		require.Equal(t, node.CodeStorageFull, last.Error.Code)
		require.Equal(t, engine.StatusCancelled, last.Result.Nodes["loop"].Status)
		require.NotContains(t, last.Error.Message, "no space left", "of the system's words there may be too many")
		runs.fail(nil, 0)
		require.NoError(t, a.Close(t.Context()))
		record, err := runs.Record(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, record.Status, "the last attempt at closing")
	})
}

// A run whose journal cannot be written ends as failed, its followers see the end,
// and once there is room again, everything is as it should be.
func TestFullDisk(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		code  string
		spare int
	}{
		"full":              {syscall.ENOSPC, node.CodeStorageFull, 0},
		"quota":             {syscall.EDQUOT, node.CodeStorageFull, 2},
		"broken":            {io.ErrShortWrite, node.CodeUnavailable, 1},
		"full at the end":   {syscall.ENOSPC, node.CodeStorageFull, 5},
		"full before nodes": {syscall.ENOSPC, node.CodeStorageFull, 1},
		"panic":             {errPanic, node.CodeUnavailable, 3},
	} {
		t.Run(name, func(t *testing.T) {
			journals := &failingRuns{RunStore: &memstore.Runs{}}
			inBubble(t, Config{Runs: journals}, func(t *testing.T, a *App) {
				id, err := a.StartJSON(t.Context(), greeting(t), run.Request{})
				require.NoError(t, err)
				require.Len(t, everything(t, a, id, 0), 5, "the frames of a good run")

				journals.fail(c.cause, min(c.spare, 4))
				id, err = a.StartJSON(t.Context(), greeting(t), run.Request{})
				require.NoError(t, err)
				last := ended(t, a, id)
				require.Equal(t, engine.EventFailed, last.Name)
				require.Equal(t, c.code, last.Error.Code)
				require.Equal(t, engine.StatusFailed, last.Result.Status)
				synctest.Wait()
				require.Equal(t, runs.Stats{Unrecorded: 1}, a.Stats())
				record, err := a.Run(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, engine.StatusFailed, record.Status)
				require.Equal(t, c.code, record.Result.Error.Code)
				require.ErrorIs(t, a.Cancel(t.Context(), id), runs.ErrRunEnded)

				_, err = a.StartJSON(t.Context(), greeting(t), run.Request{})
				require.Error(t, err, "still no room")
				journals.fail(nil, 0)
				next, err := a.StartJSON(t.Context(), greeting(t), run.Request{})
				require.NoError(t, err)
				require.Equal(t, engine.EventCompleted, ended(t, a, next).Name)
				require.Zero(t, a.Stats())
				require.Equal(t, last, ended(t, a, id), "the end did not change")
				written, err := journals.Record(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, engine.StatusFailed, written.Status)
			})
		})
	}
}
