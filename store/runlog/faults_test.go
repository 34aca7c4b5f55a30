package runlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// TestRunFaults makes each call to the disk fail, once or until the disk is repaired. Acknowledged
// frames survive, the next attempt works, and no files are left over.
func TestRunFaults(t *testing.T) { vfstest.EachFault(t, runWithFault) }

// runWithFault runs a scenario and returns the number of calls to the disk.
func runWithFault(t *testing.T, f vfstest.Fault) int {
	dir, keep := t.TempDir(), store.Retention{Runs: 3}
	s := openOn(t, dir, keep, &vfstest.Faulty{Room: -1})
	for n := range 2 {
		endRun(t, s, n)
	}
	require.NoError(t, s.Close())

	d := &vfstest.Faulty{Room: -1}
	s = openOn(t, dir, keep, d)
	d.Calls, d.Fault = 0, f
	for n := 2; n < 4; n++ {
		var open store.Journal
		d.Insist(t, func() (err error) {
			open, err = s.Create(t.Context(), storetest.RunStart(n))
			return err
		})
		for _, f := range runFrames(n)[:3-n%2] { // run 3 does not end
			d.Insist(t, func() error { return open.Append(f) })
			d.Insist(t, func() error {
				_, err := s.Frames(t.Context(), storetest.RunID(n), 0, 100)
				return err
			})
		}
	}
	calls := d.Calls
	d.Heal()
	require.NoError(t, s.Close())
	require.Zero(t, d.Opened)

	s = openRuns(t, dir, keep)
	for n, want := range map[int]int{1: 3, 2: 3, 3: 2} {
		require.Equal(t, runFrames(n)[:want], frames(t, s, n))
	}
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{storetest.RunID(3)}, ids)
	page, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Len(t, page.Items, 3, "the first run had to make room")
	require.NoError(t, s.Close())
	return calls
}

// TestFaultsWhileOpening checks that a fault during Open loses no run: Open fails, or all runs are
// there.
func TestFaultsWhileOpening(t *testing.T) {
	dir := t.TempDir()
	s := openRuns(t, dir, store.Retention{})
	endRun(t, s, 1)
	endRun(t, s, 2)
	_, err := s.Create(t.Context(), storetest.RunStart(3))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for _, cause := range []error{syscall.EIO, syscall.EMFILE} {
		for first, calls := 1, 1; first <= calls; first++ {
			d := &vfstest.Faulty{Room: -1, Fault: vfstest.Fault{First: first, Last: first, Err: cause}}
			s, err := runlog.OpenRuns(dir, runlog.Options{}, d)
			calls = d.Calls
			if err == nil {
				require.NoError(t, s.Close())
			} else {
				require.ErrorIs(t, err, cause)
			}
			s = openRuns(t, dir, store.Retention{})
			page, err := s.Records(t.Context(), run.Query{})
			require.NoError(t, err)
			require.Len(t, page.Items, 3)
			require.NoError(t, s.Close())
		}
	}
}

// TestCrashAfterFault checks that a crash right after a fault leaves exactly the acknowledged
// frames.
func TestCrashAfterFault(t *testing.T) {
	for first, hit := 1, true; hit; first++ {
		dir := t.TempDir()
		d := &vfstest.Faulty{Room: -1}
		s := openOn(t, dir, store.Retention{}, d)
		j, err := s.Create(t.Context(), storetest.RunStart(1))
		require.NoError(t, err)
		d.Calls, d.Fault = 0, vfstest.Fault{First: first, Last: first, Err: syscall.ENOSPC, WritesOnly: true, Short: true}
		acknowledged := 0
		for _, f := range runFrames(1) {
			if j.Append(f) != nil {
				break
			}
			acknowledged++
		}
		hit = acknowledged < 3 && d.Calls >= first
		d.Heal()
		s = reopenCrashed(t, s, dir)
		require.Equal(t, runFrames(1)[:acknowledged], append([]run.Frame{}, frames(t, s, 1)...))
	}
}

// TestFailedCreateLeavesNothing checks that a run whose Create failed does not exist, not even
// after a restart.
func TestFailedCreateLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d := &vfstest.Faulty{Room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	for call := 1; call <= 4; call++ { // open, write, sync, sync of the directory
		d.Calls, d.Fault = 0, vfstest.Fault{First: call, Last: call, Err: syscall.EIO}
		j, err := s.Create(t.Context(), storetest.RunStart(call))
		if err != nil {
			require.ErrorIs(t, err, syscall.EIO)
			continue
		}
		require.Greater(t, call, 2)
		require.NoError(t, j.Append(storetest.LastFrame(call, 1, engine.StatusFailed)))
		require.NoError(t, s.Delete(t.Context(), storetest.RunID(call)))
	}
	require.NoError(t, s.Close())
	s = openRuns(t, dir, store.Retention{})
	page, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	require.NoError(t, s.Close())
}

// TestEndThatIsNotOnTheDisk checks that a terminal frame whose sync failed does not count, and that
// the run can be ended again.
func TestEndThatIsNotOnTheDisk(t *testing.T) {
	dir := t.TempDir()
	d := &vfstest.Faulty{Room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	j, err := s.Create(t.Context(), storetest.RunStart(1))
	require.NoError(t, err)
	require.NoError(t, j.Append(storetest.Frame(1, "one")))
	d.Calls, d.Fault = 0, vfstest.Fault{First: 2, Last: 2, Err: syscall.EIO}
	require.ErrorIs(t, j.Append(storetest.LastFrame(1, 2, engine.StatusCompleted)), syscall.EIO)
	check := func(n int) {
		t.Helper()
		record, err := s.Record(t.Context(), storetest.RunID(1))
		require.NoError(t, err)
		require.Equal(t, n == 1, record.Status == engine.StatusRunning)
		require.Equal(t, n, len(frames(t, s, 1)))
	}
	check(1)
	require.NoError(t, j.Append(storetest.Frame(2, "two")))
	last := storetest.LastFrame(1, 3, engine.StatusFailed)
	require.NoError(t, j.Append(last))
	check(3)
	s = reopenCrashed(t, s, dir)
	check(3)
	require.Equal(t, []run.Frame{storetest.Frame(1, "one"), storetest.Frame(2, "two"), last}, frames(t, s, 1))
}

// TestTruncateFailsToo checks that a partial write whose truncation failed is cut off before the
// next frame.
func TestTruncateFailsToo(t *testing.T) {
	dir := t.TempDir()
	d := &vfstest.Faulty{Room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	j, err := s.Create(t.Context(), storetest.RunStart(1))
	require.NoError(t, err)
	d.Fault = vfstest.Fault{First: 1, Last: 1 << 30, Err: syscall.EIO, WritesOnly: true, Short: true}
	require.ErrorIs(t, j.Append(storetest.Frame(1, strings.Repeat("long", 10_000))), syscall.EIO)
	d.Heal()
	require.NoError(t, j.Append(storetest.LastFrame(1, 1, engine.StatusFailed)))
	require.Len(t, frames(t, s, 1), 1)
	s = reopenCrashed(t, s, dir)
	require.Equal(t, []run.Frame{storetest.LastFrame(1, 1, engine.StatusFailed)}, frames(t, s, 1))
}

// reopenCrashed opens the directory of a store whose disk has failed.
func reopenCrashed(t *testing.T, dead *runlog.Store, dir string) *runlog.Store {
	t.Helper()
	require.NoError(t, dead.Close()) // cannot write any more
	s := openRuns(t, dir, store.Retention{})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestRunsEndOnFullDisk checks that the ballast lets all runs end on a full disk, and that they are
// still there after a restart.
func TestRunsEndOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	d := &vfstest.Faulty{Room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	const runs = 10
	var open []store.Journal
	for n := range runs {
		j, err := s.Create(t.Context(), storetest.RunStart(n))
		require.NoError(t, err)
		open = append(open, j)
	}
	d.Room = 100 << 10
	kept := make([]int, runs)
	fill := func(n int) {
		for {
			err := open[n].Append(storetest.Frame(kept[n]+1, strings.Repeat("x", 10_000)))
			if err != nil {
				require.ErrorIs(t, err, syscall.ENOSPC)
				return
			}
			kept[n]++
		}
	}
	for n := range runs {
		fill(n)
	}
	d.Room = 0
	_, err := s.Create(t.Context(), storetest.RunStart(runs))
	require.ErrorIs(t, err, syscall.ENOSPC)
	for n := range runs {
		require.NoError(t, open[n].Append(storetest.LastFrame(n, kept[n]+1, engine.StatusFailed)))
		if n < runs-1 {
			fill(n + 1) // the ballast must not refill the space that others need
		}
	}
	s = reopenCrashed(t, s, dir)
	for n := range runs {
		got := frames(t, s, n)
		require.Len(t, got, kept[n]+1)
		require.Equal(t, storetest.LastFrame(n, kept[n]+1, engine.StatusFailed), got[kept[n]])
	}
}

// TestFullDiskRecovers checks that everything works once there is space again, and that the ballast
// is refilled a minute later.
func TestFullDiskRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		d := &vfstest.Faulty{Room: -1}
		s := openOn(t, dir, store.Retention{}, d)
		endRun(t, s, 1)
		j, err := s.Create(t.Context(), storetest.RunStart(2))
		require.NoError(t, err)
		ballast := filepath.Join(dir, ".ballast")
		size := func() int64 {
			info, err := os.Stat(ballast)
			require.NoError(t, err)
			return info.Size()
		}
		whole := size()
		d.Room = 0
		require.ErrorIs(t, j.Append(storetest.Frame(1, "one")), syscall.ENOSPC)
		require.NoError(t, j.Append(storetest.LastFrame(2, 1, engine.StatusFailed)))
		require.Less(t, size(), whole)
		_, err = s.Create(t.Context(), storetest.RunStart(3))
		require.NoError(t, err, "out of what is left of the ballast")
		d.Heal()
		endRun(t, s, 4)
		require.Less(t, size(), whole, "each attempt takes all the room for a moment")
		<-time.After(time.Minute)
		endRun(t, s, 5)
		require.Equal(t, whole, size())
		require.Len(t, frames(t, s, 1), 3)
		require.NoError(t, s.Close())
	})
}

// TestRunsAreDeletedOnFullDisk checks that the ballast lets runs be deleted on a full disk, and that
// they stay deleted.
func TestRunsAreDeletedOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	d := &vfstest.Faulty{Room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	const runs = 20
	for n := range runs {
		endRun(t, s, n)
	}
	d.Room = 0
	_, err := s.Create(t.Context(), storetest.RunStart(runs))
	require.ErrorIs(t, err, syscall.ENOSPC)
	for n := range runs - 1 {
		require.NoError(t, s.Delete(t.Context(), storetest.RunID(n)))
	}
	s = reopenCrashed(t, s, dir)
	for n := range runs - 1 {
		_, err := s.Record(t.Context(), storetest.RunID(n))
		require.ErrorIs(t, err, store.ErrRunNotFound)
	}
	require.Len(t, frames(t, s, runs-1), 3)
}
