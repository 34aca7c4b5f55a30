package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// testFinish ends the runs of an earlier process with one call. A run that cannot be ended does not
// affect the others, and can be ended later.
func testFinish(t *testing.T, open OpenRuns) {
	s := open()
	const many = 6
	for n := range many {
		appendAll(t, create(t, s, RunStart(n)), Frame(1, "one"))
	}
	ended(t, s, many, engine.StatusCompleted)
	require.Nil(t, s.Finish(t.Context(), nil))
	require.Error(t, s.Finish(t.Context(), []store.Last{{RunID: RunID(0), Frame: LastFrame(0, 2, engine.StatusFailed)}})[0], "it is being written")
	require.NoError(t, s.Close())

	s = open()
	outline, err := s.Outline(t.Context(), RunID(1))
	require.NoError(t, err)
	whole := RunStart(1).Definition
	require.Equal(t, whole.ID, outline.ID)
	require.Len(t, outline.Nodes, len(whole.Nodes))
	for i := range whole.Nodes {
		require.Equal(t, whole.Nodes[i].ID, outline.Nodes[i].ID)
	}
	_, err = s.Outline(t.Context(), RunID(99))
	require.ErrorIs(t, err, store.ErrRunNotFound)
	errs := s.Finish(t.Context(), []store.Last{
		{RunID: RunID(0), Frame: LastFrame(0, 2, engine.StatusFailed)},
		{RunID: RunID(1), Frame: LastFrame(1, 3, engine.StatusFailed)},
		{RunID: RunID(2), Frame: Frame(2, "two")},
		{RunID: RunID(many), Frame: LastFrame(many, 2, engine.StatusFailed)},
		{RunID: RunID(99), Frame: LastFrame(99, 1, engine.StatusFailed)},
		{RunID: RunID(3), Frame: LastFrame(3, 2, engine.StatusFailed)},
		{RunID: RunID(3), Frame: LastFrame(3, 2, engine.StatusFailed)},
	})
	require.Len(t, errs, 7)
	for i, fails := range []bool{false, true, true, true, true, false, true} {
		require.Equal(t, fails, errs[i] != nil, "%d %v", i, errs[i])
	}
	require.Equal(t, runIDs(1, 2, 4, 5), unfinished(t, s))
	j, err := s.Reopen(t.Context(), RunID(4))
	require.NoError(t, err)
	appendAll(t, j, Frame(2, "two"))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, s.Finish(stopped, []store.Last{{RunID: RunID(5), Frame: LastFrame(5, 2, engine.StatusFailed)}})[0])
	require.Nil(t, s.Finish(t.Context(), []store.Last{
		{RunID: RunID(1), Frame: LastFrame(1, 2, engine.StatusFailed)}, {RunID: RunID(2), Frame: LastFrame(2, 2, engine.StatusCancelled)},
	}))
	require.NoError(t, s.Close())

	s = opened(t, open)
	require.Equal(t, runIDs(4, 5), unfinished(t, s))
	require.Equal(t, []run.Frame{Frame(1, "one"), LastFrame(3, 2, engine.StatusFailed)}, allFrames(t, s, RunID(3)))
	record, err := s.Record(t.Context(), RunID(2))
	require.NoError(t, err)
	require.Equal(t, engine.StatusCancelled, record.Status)
	require.Equal(t, 2, record.Frames)
}
