package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// testWaiting checks that a run started by a trigger has the status waiting until its first frame,
// also after the store was reopened.
func testWaiting(t *testing.T, open OpenRuns) {
	s := open()
	by := &run.StartedBy{Trigger: "hook", Type: "trigger.webhook", Chain: 2}
	for n := range 3 {
		start := RunStart(n)
		start.StartedBy, start.Firing = by, &engine.Firing{Node: "hook", Outputs: map[string]any{"body": n}}
		start.IdempotencyKey = "\x00of the service"
		create(t, s, start)
	}
	goesOn := RunStart(3)
	goesOn.StartedBy, goesOn.ResumedFrom = by, RunID(0)
	create(t, s, goesOn)
	check := func(waiting ...int) {
		t.Helper()
		require.Equal(t, runIDs(waiting...), listed(t, s, run.Query{Status: engine.StatusWaiting}))
		for _, n := range waiting {
			record, err := s.Record(t.Context(), RunID(n))
			require.NoError(t, err)
			require.Equal(t, by, record.StartedBy)
			require.ErrorIs(t, s.Delete(t.Context(), RunID(n)), store.ErrRunRunning)
		}
	}
	check(2, 1, 0)
	require.Equal(t, runIDs(3), listed(t, s, run.Query{ResumedFrom: RunID(0)}))
	require.Equal(t, runIDs(3), listed(t, s, run.Query{Status: engine.StatusRunning}), "what goes on with another does not wait")
	require.NoError(t, s.Close())
	s = open()
	check(2, 1, 0)
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Equal(t, runIDs(0, 1, 2, 3), ids)

	j, err := s.Reopen(t.Context(), RunID(1))
	require.NoError(t, err)
	appendAll(t, j, Frame(1, "begins"))
	check(2, 0)
	dropped, err := s.Reopen(t.Context(), RunID(2))
	require.NoError(t, err)
	appendAll(t, dropped, LastFrame(2, 1, engine.StatusCancelled))
	check(0)
	require.Equal(t, runIDs(2), listed(t, s, run.Query{Status: engine.StatusCancelled}))

	// A key of the service itself lasts as long as its run.
	found, err := s.ByKey(t.Context(), "\x00of the service")
	require.NoError(t, err)
	require.Equal(t, RunID(2), found.RunID)
	require.NoError(t, s.Close())
	s = opened(t, open)
	check(0)
	require.Equal(t, runIDs(3, 1), listed(t, s, run.Query{Status: engine.StatusRunning}))
	found, err = s.ByKey(t.Context(), "\x00of the service")
	require.NoError(t, err)
	require.Equal(t, RunID(2), found.RunID)
	require.NoError(t, s.Delete(t.Context(), RunID(2)))
	_, err = s.ByKey(t.Context(), "\x00of the service")
	require.ErrorIs(t, err, store.ErrRunNotFound)
}
