package runlog_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

const smallSegment = 64 << 10

func openSmall(t testing.TB, dir string, keep store.Retention) *runlog.Store {
	t.Helper()
	s, err := runlog.OpenRuns(dir, runlog.Segments(runlog.Options{Keep: keep}, smallSegment), unsynced{})
	require.NoError(t, err)
	return s
}

// onDisk returns the size of all log files of a directory.
func onDisk(t testing.TB, dir string) (bytes int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(e.Name(), "log-") {
			return nil // compaction may remove it meanwhile
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	}))
	return bytes
}

// TestDeletingGivesDiskBack checks that deleting most runs frees their disk space, and that the
// remaining runs, of all sizes, stay intact when compaction rewrites the log.
func TestDeletingGivesDiskBack(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir, store.Retention{})
	const runs, every = 300, 30
	events := func(n int) []engine.Event { return valuesOf(n, strings.Repeat("large ", 50*(n%40))) }
	for n := range runs {
		start := storetest.RunStart(n)
		start.StartedAt = time.Now().UTC().Truncate(time.Microsecond)
		start.IdempotencyKey, start.Inputs = storetest.RunID(n), map[string]any{"text": strings.Repeat("x", 10*n)}
		j, err := s.Create(t.Context(), start)
		require.NoError(t, err)
		appendEvents(t, j, events(n))
	}
	full := onDisk(t, dir)
	check := func(s *runlog.Store) {
		t.Helper()
		for n := range runs {
			if n%every != 0 {
				_, err := s.Record(t.Context(), storetest.RunID(n))
				require.ErrorIs(t, err, store.ErrRunNotFound, n)
				_, err = s.ByKey(t.Context(), storetest.RunID(n))
				require.ErrorIs(t, err, store.ErrRunGone, "its key outlives it, and its segment")
				continue
			}
			start, err := s.Start(t.Context(), storetest.RunID(n))
			require.NoError(t, err, n)
			require.Equal(t, strings.Repeat("x", 10*n), start.Inputs["text"])
			requireEvents(t, s, n, events(n))
		}
	}
	for n := range runs {
		if n%every != 0 {
			require.NoError(t, s.Delete(t.Context(), storetest.RunID(n)))
		}
	}
	require.Eventually(t, func() bool { return onDisk(t, dir) < full/2 }, time.Minute, 5*time.Millisecond)
	check(s)
	for range 3 {
		require.NoError(t, s.Close())
		s = openSmall(t, dir, store.Retention{})
		check(s)
	}
	require.NoError(t, s.Close())
	sidecars, err := filepath.Glob(filepath.Join(dir, "*.index"))
	require.NoError(t, err)
	for _, sidecar := range sidecars { // the indexes are derived, so the result must be the same without them
		require.NoError(t, os.Remove(sidecar))
	}
	s = openSmall(t, dir, store.Retention{})
	check(s)
	require.NoError(t, s.Close())
}

// TestRetentionBoundsTheDisk checks that retention bounds the disk space however many runs come,
// and that runs it has removed do not reappear after a restart.
func TestRetentionBoundsTheDisk(t *testing.T) {
	dir := t.TempDir()
	keep := store.Retention{Runs: 20}
	s := openSmall(t, dir, keep)
	open, err := s.Create(t.Context(), storetest.RunStart(0)) // an unfinished run, which pins its segment
	require.NoError(t, err)
	for n := 1; n < 1000; n++ {
		endRun(t, s, n)
		if n%250 == 0 {
			require.NoError(t, open.Append(storetest.Frame(n/250, "still here")))
			require.NoError(t, s.Close())
			s = openSmall(t, dir, keep)
			open, err = s.Reopen(t.Context(), storetest.RunID(0))
			require.NoError(t, err)
			ids, err := s.Unfinished(t.Context())
			require.NoError(t, err)
			require.Empty(t, ids, "what has made room is no run that has not ended")
		}
	}
	require.Eventually(t, func() bool { return onDisk(t, dir) < 2*20*20_000+8*smallSegment }, time.Minute, 5*time.Millisecond)
	require.NoError(t, open.Append(storetest.LastFrame(0, 4, engine.StatusCompleted)))
	require.Len(t, frames(t, s, 0), 4)
	page, err := s.Records(t.Context(), run.Query{Limit: 100})
	require.NoError(t, err)
	require.Len(t, page.Items, 20)
	require.NoError(t, s.Close())
}

// TestStartReadsNoFullSegments checks that a start reads only the last segment, however long the
// log is.
func TestStartReadsNoFullSegments(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir, store.Retention{})
	for n := range 300 {
		endRun(t, s, n)
	}
	n := 300
	require.Eventually(t, func() bool {
		endRun(t, s, n)
		n++
		sidecars, _ := filepath.Glob(filepath.Join(dir, "*.index"))
		segments, _ := filepath.Glob(filepath.Join(dir, "log-????????"))
		return len(sidecars) >= len(segments)-3
	}, time.Minute, time.Millisecond)
	require.NoError(t, s.Close())
	d := &vfstest.Faulty{Room: -1}
	s, err := runlog.OpenRuns(dir, runlog.Options{}, d)
	require.NoError(t, err)
	require.Less(t, d.Read, onDisk(t, dir)/5)
	require.Len(t, frames(t, s, 7), 3)
	require.NoError(t, s.Close())
}
