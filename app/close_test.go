package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/memstore"
)

func TestCloseWaitsForRuns(t *testing.T) {
	journals := &memstore.Runs{}
	synctest.Test(t, func(t *testing.T) {
		a := newTestApp(t, Config{Runs: journals})
		id, err := a.StartJSON(t.Context(), asleep(20), run.Request{})
		require.NoError(t, err)
		closed := make(chan error, 1)
		go func() { closed <- a.Close(soon(t, time.Minute)) }()
		synctest.Wait()
		_, err = a.StartJSON(t.Context(), asleep(1), run.Request{})
		require.ErrorIs(t, err, runs.ErrStopping)
		_, err = a.ExecuteJSON(t.Context(), asleep(1), run.Request{})
		require.ErrorIs(t, err, runs.ErrStopping)
		begun := time.Now()
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
		require.NoError(t, <-closed)
		require.Equal(t, 20*time.Second, time.Since(begun), "no longer than the run")
		require.NoError(t, a.Close(t.Context()), "again")
	})
}

func TestCloseInterruptsRuns(t *testing.T) {
	runs := &memstore.Runs{}
	synctest.Test(t, func(t *testing.T) {
		a := newTestApp(t, Config{Runs: runs})
		id, err := a.StartJSON(t.Context(), asleep(3600), run.Request{})
		require.NoError(t, err)
		waited := make(chan Outcome, 1)
		go func() {
			r, err := a.ExecuteJSON(t.Context(), asleep(3600), run.Request{})
			if err != nil {
				t.Errorf("execute: %v", err)
			}
			waited <- r
		}()
		f, err := a.Follow(t.Context(), id, 0)
		require.NoError(t, err)
		seen := make(chan []run.Frame)
		go func() { seen <- frames(t, f) }()
		synctest.Wait()
		begun := time.Now()
		go func() {
			if err := a.Close(soon(t, 30*time.Second)); err != nil {
				t.Errorf("close: %v", err)
			}
		}()
		synced := <-waited
		require.Equal(t, engine.StatusFailed, synced.Status())
		require.Equal(t, node.CodeInterrupted, synced.Err().Code)
		all := <-seen
		require.Equal(t, engine.EventFailed, all[len(all)-1].Name)
		require.Contains(t, string(all[len(all)-1].Data), node.CodeInterrupted)
		require.LessOrEqual(t, time.Since(begun), 31*time.Second)
		require.NoError(t, a.Close(t.Context()), "it waits for the first one")

		next := newTestApp(t, Config{Runs: runs})
		record, err := next.Run(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, record.Status)
		require.Equal(t, node.CodeInterrupted, record.Result.Error.Code)
		resumed, err := next.Resume(t.Context(), id, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, next, resumed).Name)
		require.NoError(t, next.Close(t.Context()))
	})
}
