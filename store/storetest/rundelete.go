package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

func testDeleteRun(t *testing.T, open OpenRuns) {
	s := open()
	require.ErrorIs(t, s.Delete(t.Context(), RunID(1)), store.ErrRunNotFound)
	for n := range 3 {
		ended(t, s, n, engine.StatusCompleted)
	}
	j := create(t, s, RunStart(3))
	require.ErrorIs(t, s.Delete(t.Context(), RunID(3)), store.ErrRunRunning)
	require.NoError(t, s.Delete(t.Context(), RunID(1)))
	requireNoRun(t, s, RunID(1))
	require.ErrorIs(t, s.Delete(t.Context(), RunID(1)), store.ErrRunNotFound)
	require.Equal(t, runIDs(3, 2, 0), listed(t, s, run.Query{Limit: 10}))
	require.NoError(t, s.Close())

	s = opened(t, open)
	require.Equal(t, runIDs(3, 2, 0), listed(t, s, run.Query{Limit: 10}))
	require.ErrorIs(t, s.Delete(t.Context(), RunID(3)), store.ErrRunRunning, "it waits for its end")
	require.Error(t, j.Append(Frame(1, "one")))
	ended(t, s, 1, engine.StatusCompleted) // the id can be used again
}

func testKeysOutliveRuns(t *testing.T, open OpenRuns) {
	s := open()
	begin := func(n int, key string, age time.Duration) run.Start {
		start := RunStart(n)
		start.StartedAt = time.Now().Add(-age).UTC().Truncate(time.Microsecond)
		start.IdempotencyKey, start.RequestDigest = key, "digest of "+key
		appendAll(t, create(t, s, start), LastFrame(n, 1, engine.StatusCompleted))
		return start
	}
	young := begin(1, "young", time.Hour)
	begin(2, "old", run.KeyLife+time.Hour)
	require.NoError(t, s.Close())
	s = open()
	for n := 1; n <= 2; n++ {
		require.NoError(t, s.Delete(t.Context(), RunID(n)))
	}
	check := func() {
		t.Helper()
		got, err := s.ByKey(t.Context(), "young")
		require.ErrorIs(t, err, store.ErrRunGone)
		young.Definition, young.Workflows, young.Inputs = nil, nil, nil
		require.Equal(t, young, got)
		_, err = s.ByKey(t.Context(), "old") // the key has expired, although its run still exists
		require.ErrorIs(t, err, store.ErrRunNotFound)
	}
	check()
	require.NoError(t, s.Close())
	s = open()
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
	begin(3, "young", time.Minute)
	got, err := s.ByKey(t.Context(), "young")
	require.NoError(t, err)
	require.Equal(t, RunID(3), got.RunID, "the one that was started last")
}
