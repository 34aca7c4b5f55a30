package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

type retentionTest struct {
	name string
	keep store.Retention
	run  func(*testing.T, OpenRuns)
}

func retentionTests() []retentionTest {
	return []retentionTest{
		{"keep by count", store.Retention{Runs: 3}, testKeepByCount},
		{"keep by age", store.Retention{Age: time.Since(Epoch()) - time.Minute - 3500*time.Millisecond}, testKeepByAge},
		{"keep by bytes", store.Retention{Bytes: 25_000}, testKeepByBytes},
		{"keep what ended last", store.Retention{Runs: 1, Bytes: 1}, testKeepLast},
		{"keep what has not ended", store.Retention{Runs: 1, Age: 1, Bytes: 1}, testKeepUnended},
	}
}

func testKeepByCount(t *testing.T, open OpenRuns) {
	s := open()
	create(t, s, RunStart(0)) // unfinished: counts, but is kept
	for n := 1; n < 6; n++ {
		ended(t, s, n, engine.StatusCompleted)
		require.LessOrEqual(t, len(listed(t, s, run.Query{Limit: 10})), 3)
	}
	require.Equal(t, runIDs(5, 4, 0), listed(t, s, run.Query{Limit: 10}))
	requireNoRun(t, s, RunID(3))
	require.NoError(t, s.Close())
	s = opened(t, open)
	require.Equal(t, runIDs(5, 4, 0), listed(t, s, run.Query{Limit: 10}))
	requireNoRun(t, s, RunID(3))
}

// testKeepByAge checks retention by age. Runs end a minute after they start, so those that started
// within the first three seconds are too old.
func testKeepByAge(t *testing.T, open OpenRuns) {
	s := open()
	for n := range 4 {
		ended(t, s, n, engine.StatusCompleted)
	}
	for _, n := range []int{1000, 1001} {
		ended(t, s, n, engine.StatusCompleted)
	}
	require.Equal(t, runIDs(1001, 1000), listed(t, s, run.Query{Limit: 10}))
	require.NoError(t, s.Close())
	s = opened(t, open)
	require.Equal(t, runIDs(1001, 1000), listed(t, s, run.Query{Limit: 10}))
}

func testKeepByBytes(t *testing.T, open OpenRuns) {
	s := open()
	big := string(make([]byte, 1000)) // 6,000 bytes of JSON
	for n := range 10 {
		j := create(t, s, RunStart(n))
		appendAll(t, j, Frame(1, big), LastFrame(n, 2, engine.StatusCompleted))
	}
	require.Equal(t, runIDs(9, 8, 7), listed(t, s, run.Query{Limit: 10}))
	require.NoError(t, s.Close())
	s = opened(t, open)
	require.Equal(t, runIDs(9, 8, 7), listed(t, s, run.Query{Limit: 10}))
}

func testKeepLast(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	create(t, s, RunStart(0))
	for n := 1; n < 4; n++ {
		ended(t, s, n, engine.StatusCompleted)
		require.Equal(t, runIDs(n, 0), listed(t, s, run.Query{Limit: 10}))
		require.Len(t, allFrames(t, s, RunID(n)), 2)
	}
}

func testKeepUnended(t *testing.T, open OpenRuns) {
	s := open()
	for n := range 3 {
		appendAll(t, create(t, s, RunStart(n)), Frame(1, "one"))
	}
	require.Len(t, listed(t, s, run.Query{Limit: 10}), 3)
	require.NoError(t, s.Close())
	s = opened(t, open)
	require.Equal(t, runIDs(0, 1, 2), unfinished(t, s))
	for n := range 3 {
		require.Equal(t, []run.Frame{Frame(1, "one")}, allFrames(t, s, RunID(n)))
	}
}
