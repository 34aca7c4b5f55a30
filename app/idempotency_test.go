package app

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

func TestTheSameRequestStartsOneRun(t *testing.T) {
	inBubbles(t, func(t *testing.T, open func() store.RunStore) {
		a := newTestApp(t, Config{Runs: open()})
		start := func(inputs map[string]any) (string, error) {
			return a.StartJSON(t.Context(), greeting(t), run.Request{Inputs: inputs, IdempotencyKey: "key"})
		}
		ids := make([]string, 100)
		var group sync.WaitGroup
		for i := range ids {
			group.Go(func() {
				id, err := start(map[string]any{"who": "Ada"})
				if err != nil {
					t.Errorf("start: %v", err)
				}
				ids[i] = id
			})
		}
		group.Wait()
		for _, id := range ids {
			require.Equal(t, ids[0], id)
		}
		_, err := start(map[string]any{"who": "Bob"})
		require.ErrorIs(t, err, runs.ErrKeyReused)
		_, err = a.StartStored(t.Context(), "greeting", run.Request{Inputs: map[string]any{"who": "Ada"}, IdempotencyKey: "key"})
		require.ErrorIs(t, err, runs.ErrKeyReused)
		page, err := a.Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		require.NoError(t, a.Close(t.Context()))

		a = newTestApp(t, Config{Runs: open()})
		again, err := start(map[string]any{"who": "Ada"})
		require.NoError(t, err)
		require.Equal(t, ids[0], again, "after a restart")
		<-time.After(run.KeyLife)
		again, err = start(map[string]any{"who": "Bob"})
		require.NoError(t, err)
		require.NotEqual(t, ids[0], again, "a day later")
		require.NoError(t, a.Close(t.Context()))
	})
}

// Only a success is remembered, and it is whatever happens to the workflow or the
// places.
func TestKeysRememberSuccesses(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		key := run.Request{IdempotencyKey: "key"}
		_, err := a.StartStored(t.Context(), "w", key)
		require.ErrorIs(t, err, workflow.ErrNotFound)
		_, err = a.Save(t.Context(), parse(t, string(asleepAs("w", 60))), workflow.Condition{})
		require.NoError(t, err)
		for range runs.MaxAsync {
			_, err = a.StartJSON(t.Context(), asleep(60), run.Request{})
			require.NoError(t, err)
		}
		_, err = a.StartStored(t.Context(), "w", key)
		require.ErrorIs(t, err, runs.ErrRunLimit)
		<-time.After(2 * time.Minute)
		id, err := a.StartStored(t.Context(), "w", key)
		require.NoError(t, err)
		for range runs.MaxAsync - 1 {
			_, err = a.StartJSON(t.Context(), asleep(60), run.Request{})
			require.NoError(t, err)
		}
		require.NoError(t, a.Delete(t.Context(), "w", workflow.Condition{}))
		again, err := a.StartStored(t.Context(), "w", key)
		require.NoError(t, err)
		require.Equal(t, id, again)
	})
}

// begins is a store that finds a run by its key before Create returns.
type begins struct {
	memstore.Runs

	begun, goOn chan struct{}
}

func (b *begins) Create(ctx context.Context, start run.Start) (store.Journal, error) {
	j, err := b.Runs.Create(ctx, start)
	close(b.begun)
	<-b.goOn
	return j, err
}

// The same request during the start of the first one waits for the end of the same run.
func TestTheSameRequestWhileItIsStarted(t *testing.T) {
	runs := &begins{begun: make(chan struct{}), goOn: make(chan struct{})}
	a := newTestApp(t, Config{Runs: runs})
	ended := make(chan error, 2)
	execute := func() {
		_, err := a.Execute(t.Context(), says(t, "twice", "once"), run.Request{IdempotencyKey: "key"}, nil)
		ended <- err
	}
	go execute()
	<-runs.begun
	go execute()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(50 * time.Millisecond): // it waits
	}
	close(runs.goOn)
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	require.NoError(t, a.Close(t.Context()))
}
