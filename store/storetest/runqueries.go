package storetest

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// listed returns the ids on all pages of a query. All pages but the last must be full.
func listed(t *testing.T, s store.RunStore, q run.Query) []string {
	t.Helper()
	ids := []string{}
	for {
		page, err := s.Records(t.Context(), q)
		require.NoError(t, err)
		for _, r := range page.Items {
			require.Nil(t, r.Result)
			ids = append(ids, r.RunID)
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return ids
		}
		require.Len(t, page.Items, q.Limit)
	}
}

// runIDs returns the ids of runs by their numbers.
func runIDs(numbers ...int) []string {
	ids := []string{}
	for _, n := range numbers {
		ids = append(ids, RunID(n))
	}
	return ids
}

func testPages(t *testing.T, open OpenRuns) {
	s := open()
	for _, n := range []int{3, 1, 4, 5, 2, 6, 0} { // sorted by start time
		create(t, s, RunStart(n))
	}
	same := RunStart(7) // then by id
	same.StartedAt = RunStart(6).StartedAt
	create(t, s, same)
	early := RunStart(8)
	early.StartedAt = Epoch().Add(-time.Hour)
	create(t, s, early)
	want := runIDs(7, 6, 5, 4, 3, 2, 1, 0, 8)
	check := func() {
		t.Helper()
		for limit := 1; limit <= 10; limit++ {
			require.Equal(t, want, listed(t, s, run.Query{Limit: limit}), limit)
		}
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
	for n := 9; n < run.DefaultLimit+9; n++ {
		create(t, s, RunStart(n))
	}
	for _, limit := range []int{0, -1, run.DefaultLimit} {
		page, err := s.Records(t.Context(), run.Query{Limit: limit})
		require.NoError(t, err)
		require.Len(t, page.Items, run.DefaultLimit)
		require.NotEmpty(t, page.NextCursor)
	}
}

func testFilters(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	for n, status := range []engine.Status{engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled, engine.StatusCompleted} {
		ended(t, s, n, status)
	}
	other := RunStart(4)
	other.Definition = Definition("other", "two")
	create(t, s, other)
	for _, test := range []struct {
		q    run.Query
		want []int
	}{
		{run.Query{Limit: 2}, []int{4, 3, 2, 1, 0}},
		{run.Query{Limit: 1, Status: engine.StatusCompleted}, []int{3, 0}},
		{run.Query{Limit: 2, Status: engine.StatusCompleted}, []int{3, 0}},
		{run.Query{Limit: 5, Status: engine.StatusFailed}, []int{1}},
		{run.Query{Limit: 5, Status: engine.StatusCancelled}, []int{2}},
		{run.Query{Limit: 5, Status: engine.StatusRunning}, []int{4}},
		{run.Query{Limit: 2, WorkflowID: "w"}, []int{3, 2, 1, 0}},
		{run.Query{Limit: 2, WorkflowID: "other"}, []int{4}},
		{run.Query{Limit: 2, WorkflowID: "other", Status: engine.StatusFailed}, nil},
		{run.Query{Limit: 2, WorkflowID: "none"}, nil},
		{run.Query{Limit: 2, ResumedFrom: "none"}, nil},
	} {
		require.Equal(t, runIDs(test.want...), listed(t, s, test.q), "%+v", test.q)
	}
}

// testPagesWhileRunsCome checks that a page continues where the previous one ended, although new
// runs have started.
func testPagesWhileRunsCome(t *testing.T, open OpenRuns) {
	s := open()
	for n := range 6 {
		ended(t, s, n, engine.StatusCompleted)
	}
	page, err := s.Records(t.Context(), run.Query{Limit: 2})
	require.NoError(t, err)
	ended(t, s, 6, engine.StatusCompleted)
	ended(t, s, 7, engine.StatusCompleted)
	require.NoError(t, s.Close())
	s = opened(t, open)
	require.Equal(t, runIDs(3, 2, 1, 0), listed(t, s, run.Query{Limit: 2, Cursor: page.NextCursor}))
}

func testInvalidCursor(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	for _, cursor := range []string{"x", "1", ".", "-.-", "\x00", "zzzzzzzzzzzzzzzzzzzz.a"} {
		_, err := s.Records(t.Context(), run.Query{Cursor: cursor})
		require.ErrorIs(t, err, store.ErrInvalidCursor, cursor)
	}
}

func testByKey(t *testing.T, open OpenRuns) {
	s := open()
	for n, key := range []string{"a", "b", "a", ""} {
		start := RunStart(n)
		start.StartedAt = time.Now().Add(time.Duration(n-10) * time.Second).UTC().Truncate(time.Microsecond)
		start.IdempotencyKey, start.RequestDigest = key, "digest "+key
		create(t, s, start)
	}
	check := func() {
		t.Helper()
		for key, want := range map[string]int{"a": 2, "b": 1} {
			start, err := s.ByKey(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, RunID(want), start.RunID)
			require.Equal(t, "digest "+key, start.RequestDigest)
			require.Nil(t, start.Definition, "it is not read")
		}
		for _, key := range []string{"c", "A", ""} {
			_, err := s.ByKey(t.Context(), key)
			require.ErrorIs(t, err, store.ErrRunNotFound, "%q", key)
		}
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
}

func unfinished(t *testing.T, s store.RunStore) []string {
	t.Helper()
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	return ids
}

func testUnfinished(t *testing.T, open OpenRuns) {
	s := open()
	for n := range 4 {
		j := create(t, s, RunStart(n))
		if n == 1 {
			appendAll(t, j, LastFrame(n, 1, engine.StatusFailed))
		}
	}
	require.Empty(t, unfinished(t, s), "they have writers")
	require.NoError(t, s.Close())
	s = opened(t, open)
	require.Equal(t, runIDs(0, 2, 3), unfinished(t, s))
	_, err := s.Reopen(t.Context(), RunID(2))
	require.NoError(t, err)
	require.Equal(t, runIDs(0, 3), unfinished(t, s))
}

func testReopen(t *testing.T, open OpenRuns) {
	s := open()
	ended(t, s, 1, engine.StatusFailed)
	_, err := s.Reopen(t.Context(), RunID(1))
	require.Error(t, err, "it has ended")
	appendAll(t, create(t, s, RunStart(2)), Frame(1, "one"))
	_, err = s.Reopen(t.Context(), RunID(2))
	require.Error(t, err, "it is being written")
	require.NoError(t, s.Close())

	s = open()
	j, err := s.Reopen(t.Context(), RunID(2))
	require.NoError(t, err)
	_, err = s.Reopen(t.Context(), RunID(2))
	require.Error(t, err, "it is being written again")
	require.Error(t, j.Append(Frame(1, "one")))
	appendAll(t, j, Frame(2, "two"))
	require.NoError(t, s.Close())

	s = open()
	j, err = s.Reopen(t.Context(), RunID(2))
	require.NoError(t, err)
	last := LastFrame(2, 3, engine.StatusFailed)
	appendAll(t, j, last)
	require.NoError(t, s.Close())

	s = opened(t, open)
	require.Empty(t, unfinished(t, s))
	require.Equal(t, []run.Frame{Frame(1, "one"), Frame(2, "two"), last}, allFrames(t, s, RunID(2)))
	record, err := s.Record(t.Context(), RunID(2))
	require.NoError(t, err)
	require.Equal(t, engine.StatusFailed, record.Status)
}

// testClosed checks that a journal cannot write after its store was closed.
func testClosed(t *testing.T, open OpenRuns) {
	s := open()
	j := create(t, s, RunStart(1))
	appendAll(t, j, Frame(1, "one"))
	require.NoError(t, s.Close())
	require.ErrorIs(t, j.Append(Frame(2, "two")), fs.ErrClosed)

	s = opened(t, open)
	require.ErrorIs(t, j.Append(Frame(2, "two")), fs.ErrClosed)
	next, err := s.Reopen(t.Context(), RunID(1))
	require.NoError(t, err)
	require.ErrorIs(t, j.Append(Frame(2, "two")), fs.ErrClosed)
	appendAll(t, next, Frame(2, "new two"))
	require.Equal(t, []run.Frame{Frame(1, "one"), Frame(2, "new two")}, allFrames(t, s, RunID(1)))
}
