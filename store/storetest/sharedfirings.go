package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// waits returns the start of a run by a trigger.
func waits(n int) run.Start {
	start := RunStart(n)
	start.StartedBy = &run.StartedBy{Trigger: "hook", Type: "trigger.webhook", Chain: 2}
	start.Firing = &engine.Firing{Node: "hook", Outputs: map[string]any{"body": n}}
	return start
}

func recordIDs(t *testing.T, records []run.Record, err error) (ids []string) {
	t.Helper()
	require.NoError(t, err)
	for i := range records {
		ids = append(ids, records[i].RunID)
	}
	return ids
}

// testFirings checks that waiting runs are visible to all processes, and cannot be driven before
// they are admitted.
func testFirings(t *testing.T, s SharedStore) {
	one, other, limits := s.Open(), s.Open(), store.SharedLimits{Unfinished: 10}
	for n := range 3 {
		require.NoError(t, one.Begin(t.Context(), waits(n), limits))
	}
	require.NoError(t, one.Begin(t.Context(), RunStart(3), limits))
	goesOn := waits(4)
	goesOn.ResumedFrom = RunID(0)
	require.NoError(t, one.Begin(t.Context(), goesOn, limits))
	look := func(waiting, admitted, unfinished []string) {
		t.Helper()
		all, err := other.Waiting(t.Context(), time.Time{})
		require.Equal(t, waiting, recordIDs(t, all, err))
		for i := range all {
			require.Equal(t, waits(0).StartedBy, all[i].StartedBy)
			require.Equal(t, waits(0).Definition.ID, all[i].WorkflowID)
		}
		inbox, err := other.Inbox(t.Context())
		require.NoError(t, err)
		require.Equal(t, len(waiting), inbox.Runs)
		require.Equal(t, len(waiting) > 0, inbox.Bytes > 0)
		all, err = other.Admitted(t.Context())
		require.Equal(t, admitted, recordIDs(t, all, err))
		ids, err := other.Unfinished(t.Context(), 10)
		require.NoError(t, err)
		require.Equal(t, unfinished, ids)
	}
	look(runIDs(0, 1, 2), runIDs(4), runIDs(3, 4))
	all, err := other.Waiting(t.Context(), waits(0).StartedAt)
	require.Equal(t, runIDs(1, 2), recordIDs(t, all, err), "those behind a time")
	require.NoError(t, other.Admit(t.Context(), RunID(1), limits))
	look(runIDs(0, 2), runIDs(1, 4), runIDs(1, 3, 4))
	require.NoError(t, other.Admit(t.Context(), RunID(2), store.SharedLimits{}), "without a bound, too")
	look(runIDs(0), runIDs(1, 2, 4), runIDs(1, 2, 3, 4))
	write(t, take(t, one, 1, "d"), LastFrame(1, 1, engine.StatusCompleted))
	write(t, take(t, one, 0, "d"), LastFrame(0, 1, engine.StatusCancelled))
	look(nil, runIDs(2, 4), runIDs(2, 3, 4))
}

// testEnds checks that asking again from the time of the last known end returns all later ends.
func testEnds(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	ends, err := one.EndedSince(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Empty(t, ends)
	for _, n := range []int{2, 0, 1} {
		begin(t, one, n)
		write(t, take(t, one, n, "d"), LastFrame(n, 1, engine.StatusCompleted))
	}
	begin(t, one, 3)
	ends, err = other.EndedSince(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Len(t, ends, 3)
	for i, n := range []int{2, 0, 1} {
		require.Equal(t, RunID(n), ends[i].RunID, "in their order")
		require.WithinDuration(t, time.Now(), ends[i].At, sharedPatience)
	}
	since := ends[2].At
	ends, err = other.EndedSince(t.Context(), since.Add(time.Microsecond))
	require.NoError(t, err)
	require.Empty(t, ends)
	write(t, take(t, one, 3, "d"), LastFrame(3, 1, engine.StatusFailed))
	ends, err = other.EndedSince(t.Context(), since)
	require.NoError(t, err)
	require.Equal(t, RunID(3), ends[len(ends)-1].RunID)
}

// testAnswers checks that the caller of a webhook gets the first answer, from whichever process.
func testAnswers(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	nobody := func(n int) {
		t.Helper()
		_, err := other.Awaiting(t.Context(), RunID(n))
		require.ErrorIs(t, err, store.ErrNobodyAwaits)
		require.NotErrorIs(t, err, store.ErrUnavailable)
		require.ErrorIs(t, other.Answer(t.Context(), RunID(n), []byte("x")), store.ErrNobodyAwaits)
	}
	nobody(1)
	require.NoError(t, one.Await(t.Context(), RunID(1), []byte{1, 0, 2}))
	require.NoError(t, one.Await(t.Context(), RunID(2), []byte("other key")))
	key, err := other.Awaiting(t.Context(), RunID(1))
	require.NoError(t, err)
	require.Equal(t, []byte{1, 0, 2}, key)
	answers, err := one.Answers(t.Context(), runIDs(1, 2))
	require.NoError(t, err)
	require.Empty(t, answers)
	require.NoError(t, other.Answer(t.Context(), RunID(1), []byte{0, 255, 1}))
	nobody(1)
	answers, err = one.Answers(t.Context(), runIDs(1, 2, 3))
	require.NoError(t, err)
	require.Equal(t, []store.SealedAnswer{{RunID: RunID(1), Sealed: "\x00\xff\x01"}}, answers)
	require.NoError(t, one.Unawait(t.Context(), RunID(1)))
	require.NoError(t, one.Unawait(t.Context(), RunID(2)))
	require.NoError(t, one.Unawait(t.Context(), RunID(3)))
	nobody(2)
	require.ErrorIs(t, other.Answer(t.Context(), "no run", nil), store.ErrNobodyAwaits)
}
