package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// SharedStore is a store of shared runs for one test.
type SharedStore struct {
	// Open opens the store once more, like another process.
	Open func() store.SharedRuns
	// Cut, if not nil, closes all connections at once.
	Cut func()
	// Damage has functions that damage a stored run, by name.
	Damage map[string]func(runID string)
}

// Shared tests stores of shared runs. newStore returns a store with a size limit for runs; 0 means
// no limit.
func Shared(t *testing.T, newStore func(t *testing.T, runBytes int64) SharedStore) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, SharedStore)
	}{
		{"places", testPlaces},
		{"one run of a key", testOneOfKey},
		{"keys", testSharedKeys},
		{"one resumption", testOneResumption},
		{"cancel against the end", testCancelAgainstEnd},
		{"fencing", testFencing},
		{"leases", testLeases},
		{"disown", testDisown},
		{"takes are counted", testTakes},
		{"parked", testParked},
		{"all frames or none", testAllOrNone},
		{"time goes on", testTimeGoesOn},
		{"changes", testChanges},
		{"runs that wait", testAdmit},
		{"who waits", testFirings},
		{"ends", testEnds},
		{"answers", testAnswers},
		{"calls", testCalls},
		{"calls of no run", testCallsOfNoRun},
		{"one begins first", testOneBeginsFirst},
		{"ids", testSharedIDs},
		{"20 MB", testBigValue},
		{"cut connections", testCut},
		{"damaged", testSharedDamage},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore(t, 0)) })
	}
	t.Run("bytes of values", func(t *testing.T) { testSharedBytes(t, newStore(t, mostBytes)) })
	t.Run("as of one owner", func(t *testing.T) {
		runs(t, true, func(t *testing.T, o RunOptions) OpenRuns {
			s := newStore(t, o.RunBytes)
			return func() store.RunStore { return ownShared(t, s.Open(), o.Keep) }
		})
	})
}

func begin(t *testing.T, s store.SharedRuns, n int) {
	t.Helper()
	require.NoError(t, s.Begin(t.Context(), RunStart(n), store.SharedLimits{}))
}

func take(t *testing.T, s store.SharedRuns, n int, driver string) store.Taken {
	t.Helper()
	taken, err := s.Take(t.Context(), RunID(n), driver)
	require.NoError(t, err)
	return taken
}

func write(t *testing.T, j store.SharedJournal, frames ...run.Frame) {
	t.Helper()
	require.NoError(t, j.Append(t.Context(), frames...))
}

func sharedFrames(t *testing.T, s store.SharedRuns, n int) []run.Frame {
	t.Helper()
	frames, err := s.Frames(t.Context(), RunID(n), 0, 1<<30)
	require.NoError(t, err)
	return frames
}

// together calls do many times from several processes concurrently, and returns the errors.
func together(s SharedStore, processes, times int, do func(s store.SharedRuns, n int) error) (errs []error) {
	errs = make([]error, times)
	var wg sync.WaitGroup
	for p := range processes {
		handle := s.Open()
		for n := p; n < times; n += processes {
			wg.Go(func() { errs[n] = do(handle, n) })
		}
	}
	wg.Wait()
	return errs
}

// count returns the number of nil errors, and requires all other errors to be other.
func count(t *testing.T, errs []error, other error) (succeeded int) {
	t.Helper()
	for _, err := range errs {
		if err == nil {
			succeeded++
			continue
		}
		require.ErrorIs(t, err, other)
	}
	return succeeded
}

func testPlaces(t *testing.T, s SharedStore) {
	limits := store.SharedLimits{Unfinished: 10}
	start := func(h store.SharedRuns, n int) error { return h.Begin(t.Context(), RunStart(n), limits) }
	errs := together(s, 3, 1000, start)
	require.Equal(t, 10, count(t, errs, store.ErrNoPlace))
	h := s.Open()
	ids, err := h.Unfinished(t.Context(), 100)
	require.NoError(t, err)
	require.Len(t, ids, 10)
	freed := 0
	for n, err := range errs {
		if err == nil && freed < 3 {
			write(t, take(t, h, n, "d"), LastFrame(n, 1, engine.StatusCompleted))
			freed++
		}
	}
	more := together(s, 2, 50, func(h store.SharedRuns, n int) error { return start(h, 1000+n) })
	require.Equal(t, freed, count(t, more, store.ErrNoPlace), "places come back")
	require.ErrorIs(t, h.Begin(t.Context(), RunStart(2000), store.SharedLimits{Unfinished: 5}), store.ErrNoPlace)
	require.NoError(t, h.Begin(t.Context(), RunStart(2000), store.SharedLimits{Unfinished: 11}))
	require.ErrorIs(t, h.Begin(t.Context(), RunStart(2000), store.SharedLimits{Unfinished: 100}), fs.ErrExist)
}

func keyed(n int, key string, age time.Duration) run.Start {
	start := RunStart(n)
	start.StartedAt = time.Now().Add(-age).UTC().Truncate(time.Microsecond)
	start.IdempotencyKey, start.RequestDigest = key, "digest of "+strings.Trim(key, "\x00")
	return start
}

func testOneOfKey(t *testing.T, s SharedStore) {
	errs := together(s, 3, 64, func(h store.SharedRuns, n int) error {
		return h.Begin(t.Context(), keyed(n, "key", 0), store.SharedLimits{Unfinished: 1000})
	})
	var first string
	for n, err := range errs {
		if err == nil {
			require.Empty(t, first)
			first = RunID(n)
		}
	}
	require.NotEmpty(t, first)
	for _, err := range errs {
		if held, ok := errors.AsType[*store.KeyHeldError](err); err != nil {
			require.True(t, ok, "%v", err)
			require.Equal(t, first, held.Start.RunID)
			require.Equal(t, "digest of key", held.Start.RequestDigest)
			require.False(t, held.Gone)
		}
	}
	ids, err := s.Open().Unfinished(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, []string{first}, ids)
}

func testSharedKeys(t *testing.T, s SharedStore) {
	h := s.Open()
	tryBegin := func(n int, key string, age time.Duration) error {
		return h.Begin(t.Context(), keyed(n, key, age), store.SharedLimits{})
	}
	require.NoError(t, tryBegin(1, "old", run.KeyLife+time.Hour))
	require.NoError(t, tryBegin(2, "old", time.Hour), "the key has lapsed")
	require.NoError(t, tryBegin(3, "\x00own", run.KeyLife+time.Hour))
	held, ok := errors.AsType[*store.KeyHeldError](tryBegin(4, "\x00own", 0))
	require.True(t, ok)
	require.Equal(t, RunID(3), held.Start.RunID, "one of the service itself stands for its run as long as that is kept")
	for n := 1; n <= 3; n++ {
		write(t, take(t, h, n, "d"), LastFrame(n, 1, engine.StatusCompleted))
		require.NoError(t, h.Delete(t.Context(), RunID(n)))
	}
	held, ok = errors.AsType[*store.KeyHeldError](tryBegin(4, "old", 0))
	require.True(t, ok)
	require.True(t, held.Gone, "keys outlive runs")
	found, err := h.ByKey(t.Context(), "old")
	require.ErrorIs(t, err, store.ErrRunGone)
	require.Equal(t, RunID(2), found.RunID)
	_, err = h.ByKey(t.Context(), "\x00own")
	require.ErrorIs(t, err, store.ErrRunNotFound)
	require.NoError(t, h.Tidy(t.Context(), store.Retention{}))
	require.NoError(t, tryBegin(4, "\x00own", 0))
	for _, key := range []string{"other", "", "Old"} {
		_, err = h.ByKey(t.Context(), key)
		require.ErrorIs(t, err, store.ErrRunNotFound)
	}
}

func testOneResumption(t *testing.T, s SharedStore) {
	resume := func(h store.SharedRuns, n int) error {
		start := RunStart(n)
		start.ResumedFrom = RunID(1000)
		return h.Begin(t.Context(), start, store.SharedLimits{Unfinished: 100})
	}
	errs := together(s, 3, 16, resume)
	require.Equal(t, 1, count(t, errs, store.ErrRunResumed))
	h := s.Open()
	for n, err := range errs {
		if err == nil {
			write(t, take(t, h, n, "d"), LastFrame(n, 1, engine.StatusFailed))
		}
	}
	require.NoError(t, resume(h, 20), "it has ended")
	require.ErrorIs(t, resume(h, 21), store.ErrRunResumed)
}

// testCancelAgainstEnd cancels a run while two drivers end it. The run ends once, and all processes
// see the same end.
func testCancelAgainstEnd(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	for n := range 200 {
		begin(t, one, n)
		mine := take(t, one, n, "one")
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := other.RequestCancel(t.Context(), RunID(n)); err != nil {
				assert.ErrorIs(t, err, store.ErrRunEnded)
			}
			theirs, err := other.Take(t.Context(), RunID(n), "other")
			if err != nil {
				assert.ErrorIs(t, err, store.ErrRunEnded)
				return
			}
			assert.True(t, theirs.Cancelled)
			assert.NoError(t, theirs.Append(t.Context(), LastFrame(n, theirs.Frames+1, engine.StatusCancelled)))
		})
		wg.Go(func() {
			if err := mine.Append(t.Context(), LastFrame(n, 1, engine.StatusCompleted)); err != nil {
				assert.ErrorIs(t, err, store.ErrRunTaken)
			}
		})
		wg.Wait()
		frames := sharedFrames(t, one, n)
		require.Len(t, frames, 1)
		for _, h := range []store.SharedRuns{one, other} {
			changes, err := h.Changes(t.Context(), []string{RunID(n)})
			require.NoError(t, err)
			require.Equal(t, frames[0].Status, changes[0].Status)
			require.Empty(t, changes[0].Driver)
		}
	}
}

// ownShared returns a [store.RunStore] of one process over shared runs.
func ownShared(t *testing.T, s store.SharedRuns, keep store.Retention) store.RunStore {
	t.Helper()
	return &owner{SharedRuns: s, keep: keep, driver: fmt.Sprint("owner ", time.Now().UnixNano()), journals: map[string]*ownJournal{}}
}
