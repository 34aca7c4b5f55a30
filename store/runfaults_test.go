package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

func openOn(t *testing.T, dir string, keep store.Retention, d store.Disk) *store.RunFiles {
	t.Helper()
	s, err := store.OpenRuns(dir, keep, nil, d)
	require.NoError(t, err)
	return s
}

func frames(t *testing.T, s store.RunStore, n int) []run.Frame {
	t.Helper()
	all, err := s.Frames(t.Context(), storetest.RunID(n), 0, 1<<30)
	require.NoError(t, err)
	return all
}

// insist does what may fail until it works, once the disk is healed. What has
// failed must have failed for the disk's reason.
func insist(t *testing.T, d *testDisk, try func() error) {
	t.Helper()
	cause := d.fault.err
	if err := try(); err != nil {
		require.ErrorIs(t, err, cause)
		d.heal()
		require.NoError(t, try())
	}
}

// Whichever call fails, for a moment or until somebody has repaired the disk, what
// was acknowledged is there, the next attempt works, and nothing is left behind.
func TestRunFaults(t *testing.T) {
	for name, f := range map[string]fault{
		"full":           {err: syscall.ENOSPC, writesOnly: true},
		"short write":    {err: syscall.ENOSPC, writesOnly: true, short: true},
		"broken":         {err: syscall.EIO},
		"read-only":      {err: syscall.EROFS, writesOnly: true},
		"no descriptors": {err: syscall.EMFILE},
	} {
		for _, forever := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " forever ", forever), func(t *testing.T) {
				for first, last := 1, 0; ; first++ {
					f.first, f.last = first, first
					if forever {
						f.last = 1 << 30
					}
					if last = runWithFault(t, f); last < first {
						break
					}
				}
			})
		}
	}
}

// runWithFault runs a scenario and returns how many calls it took.
func runWithFault(t *testing.T, f fault) int {
	dir, keep := t.TempDir(), store.Retention{Runs: 3}
	s := openOn(t, dir, keep, &testDisk{room: -1})
	for n := range 2 {
		endRun(t, s, n)
	}
	require.NoError(t, s.Close())

	d := &testDisk{room: -1}
	s = openOn(t, dir, keep, d)
	d.calls, d.fault = 0, f
	var open store.Journal
	for n := 2; n < 4; n++ {
		insist(t, d, func() (err error) {
			open, err = s.Create(t.Context(), storetest.RunStart(n))
			return err
		})
		for _, f := range runFrames(n)[:3-n%2] { // run 3 does not end
			insist(t, d, func() error { return open.Append(f) })
			insist(t, d, func() error {
				_, err := s.Frames(t.Context(), storetest.RunID(n), 0, 100)
				return err
			})
		}
	}
	calls := d.calls
	require.Equal(t, 1, d.open, "of the run that has not ended")
	require.NoError(t, s.Close())
	require.Zero(t, d.open)

	s = openRuns(t, dir, keep)
	for n, want := range map[int]int{1: 3, 2: 3, 3: 2} {
		require.Equal(t, runFrames(n)[:want], frames(t, s, n))
	}
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{storetest.RunID(3)}, ids)
	require.NoError(t, s.Close())
	require.Len(t, visible(t, dir), 3, "the first run had to make room")
	return calls
}

func runFrames(n int) []run.Frame {
	return []run.Frame{
		storetest.Frame(1, "one"), storetest.Frame(2, strings.Repeat("two", 5000)), storetest.LastFrame(n, 3, engine.StatusFailed),
	}
}

func endRun(t *testing.T, s store.RunStore, n int) {
	t.Helper()
	j, err := s.Create(t.Context(), storetest.RunStart(n))
	require.NoError(t, err)
	for _, f := range runFrames(n) {
		require.NoError(t, j.Append(f))
	}
}

// A fault while the runs are opened costs no run, but for a moment.
func TestFaultsWhileOpening(t *testing.T) {
	dir := t.TempDir()
	s := openRuns(t, dir, store.Retention{})
	endRun(t, s, 1)
	endRun(t, s, 2)
	_, err := s.Create(t.Context(), storetest.RunStart(3))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	all := func(s store.RunStore) int {
		page, err := s.Records(t.Context(), run.Query{})
		require.NoError(t, err)
		return len(page.Items)
	}
	for _, cause := range []error{syscall.EIO, syscall.EMFILE} {
		for first, calls := 1, 1; first <= calls; first++ {
			d := &testDisk{room: -1, fault: fault{first: first, last: first, err: cause}}
			s, err := store.OpenRuns(dir, store.Retention{}, nil, d)
			calls = d.calls
			require.Equal(t, first <= calls && errors.Is(cause, syscall.EMFILE), err != nil, "call %d: %v", first, err)
			if err == nil {
				require.GreaterOrEqual(t, all(s), 2)
				require.NoError(t, s.Close())
			} else {
				require.ErrorIs(t, err, cause)
			}
			s = openRuns(t, dir, store.Retention{})
			require.Equal(t, 3, all(s))
			require.NoError(t, s.Close())
		}
	}
}

// A crash right after a fault finds what was acknowledged, and only that.
func TestCrashAfterFault(t *testing.T) {
	for first, hit := 1, true; hit; first++ {
		dir := t.TempDir()
		d := &testDisk{room: -1}
		s := openOn(t, dir, store.Retention{}, d)
		j, err := s.Create(t.Context(), storetest.RunStart(1))
		require.NoError(t, err)
		d.calls, d.fault = 0, fault{first: first, last: first, err: syscall.ENOSPC, writesOnly: true, short: true}
		acknowledged := 0
		for _, f := range runFrames(1)[:2] {
			if j.Append(f) != nil {
				break
			}
			acknowledged++
		}
		hit = acknowledged < 2
		s = reopenCrashed(t, s, dir)
		require.Equal(t, runFrames(1)[:acknowledged], append([]run.Frame{}, frames(t, s, 1)...))
	}
}

// A run that could not be created is nowhere, after a restart neither.
func TestFailedCreateLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d := &testDisk{room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	for call := 1; call <= 4; call++ { // open, write, sync, sync of the directory
		d.calls, d.fault = 0, fault{first: call, last: call, err: syscall.EIO}
		_, err := s.Create(t.Context(), storetest.RunStart(call))
		require.ErrorIs(t, err, syscall.EIO)
		require.Empty(t, visible(t, dir))
	}
	require.NoError(t, s.Close())
}

func TestFailedReopen(t *testing.T) {
	dir := t.TempDir()
	s := openRuns(t, dir, store.Retention{})
	_, err := s.Create(t.Context(), storetest.RunStart(1))
	require.NoError(t, err)
	require.NoError(t, s.Close())

	d := &testDisk{room: -1}
	s = openOn(t, dir, store.Retention{}, d)
	d.fault = fault{first: d.calls + 1, last: d.calls + 1, err: syscall.EMFILE}
	_, err = s.Reopen(t.Context(), storetest.RunID(1))
	require.ErrorIs(t, err, syscall.EMFILE)
	j, err := s.Reopen(t.Context(), storetest.RunID(1))
	require.NoError(t, err)
	require.NoError(t, j.Append(storetest.LastFrame(1, 1, engine.StatusFailed)))
	require.NoError(t, s.Close())
}

// A file that cannot be deleted is deleted later.
func TestFailedRetention(t *testing.T) {
	dir := t.TempDir()
	d := &testDisk{room: -1}
	s := openOn(t, dir, store.Retention{Runs: 1}, d)
	endRun(t, s, 1)
	d.fault = fault{first: d.calls + 7, last: d.calls + 7, err: syscall.EIO} // behind four of Create and two of Append
	j, err := s.Create(t.Context(), storetest.RunStart(2))
	require.NoError(t, err)
	require.NoError(t, j.Append(storetest.LastFrame(2, 1, engine.StatusFailed)))
	require.Len(t, visible(t, dir), 2)
	endRun(t, s, 3)
	require.Equal(t, []string{filepath.Join(dir, storetest.RunID(3)+".run")}, visible(t, dir))
	require.NoError(t, s.Close())
}

// What could not be cut off at once is cut off before the next frame.
func TestTruncateFailsToo(t *testing.T) {
	dir := t.TempDir()
	d := &testDisk{room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	j, err := s.Create(t.Context(), storetest.RunStart(1))
	require.NoError(t, err)
	d.fault = fault{first: 1, last: 1 << 30, err: syscall.EIO, writesOnly: true, short: true}
	require.ErrorIs(t, j.Append(storetest.Frame(1, strings.Repeat("long", 10_000))), syscall.EIO)
	d.heal()
	require.NoError(t, j.Append(storetest.LastFrame(1, 1, engine.StatusFailed)))
	require.Len(t, frames(t, s, 1), 1)
	s = reopenCrashed(t, s, dir)
	require.Equal(t, []run.Frame{storetest.LastFrame(1, 1, engine.StatusFailed)}, frames(t, s, 1))
}

// reopenCrashed opens what a store that died had open.
func reopenCrashed(t *testing.T, dead *store.RunFiles, dir string) *store.RunFiles {
	t.Helper()
	require.NoError(t, dead.Close()) // writes nothing
	s := openRuns(t, dir, store.Retention{})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
