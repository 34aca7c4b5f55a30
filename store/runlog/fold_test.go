package runlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// leaveValues leaves unfinished runs that take turns in writing large values.
func leaveValues(t *testing.T, dir string, runs, values int) {
	t.Helper()
	options := runlog.Segments(runlog.Options{}, 1<<20)
	s, err := runlog.OpenRuns(dir, options, unsynced{})
	require.NoError(t, err)
	journals, encoders := createRuns(t, s, runs), make([]run.Encoder, runs)
	text := strings.Repeat("large", 1000)
	for seq := 1; seq <= values; seq++ {
		for n, j := range journals {
			f, _ := encoders[n].Frame(&engine.Event{
				Name: engine.EventNode, Seq: seq, RunID: storetest.RunID(n), Time: storetest.Epoch(), NodeID: "one",
				Status: engine.StatusSucceeded, Outputs: map[string]any{"text": fmt.Sprint(n, seq, text)}, Attempts: 1,
			})
			require.NoError(t, j.Append(f))
		}
	}
	awaitSidecars(t, dir)
	require.NoError(t, s.Close())
}

// alive returns how much memory an open store of these runs takes.
func alive(t *testing.T, dir string) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := openWith(t, dir, runlog.Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.NoError(t, s.Close())
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestValuesOfUnfinishedRunsTakeNoMemory checks that the memory after a start does not depend on
// how many values unfinished runs have.
func TestValuesOfUnfinishedRunsTakeNoMemory(t *testing.T) {
	const runs, few, many = 4, 300, 3000
	var took [2]int64
	for i, values := range []int{few, many} {
		dir := t.TempDir()
		leaveValues(t, dir, runs, values)
		took[i] = alive(t, dir)
	}
	require.Less(t, took[1]-took[0], int64(16*runs*(many-few)), "bytes; a table has 44 for each value, and 24 for each frame")
}

// TestFoldedRunsAreMoved checks that compaction can move runs whose positions are only in segment
// indexes.
func TestFoldedRunsAreMoved(t *testing.T) {
	const runs, count = 3, 400
	dir := t.TempDir()
	longRuns(t, dir, runs, count)
	s := openSmall(t, dir, store.Retention{})
	for n := range runs {
		last := storetest.LastFrame(n, count+1, engine.StatusFailed)
		require.Nil(t, s.Finish(t.Context(), []store.Last{{RunID: storetest.RunID(n), Frame: last}}))
	}
	before := len(segments(t, dir))
	for n := 1; n <= runs; n++ {
		require.NoError(t, s.Delete(t.Context(), storetest.RunID(n)))
	}
	require.Eventually(t, func() bool { return len(segments(t, dir)) < before/2 }, time.Minute, time.Millisecond)
	requireFirst(t, s, 0, longEvents(0, count))
	require.NoError(t, s.Close())
	s = openSmall(t, dir, store.Retention{})
	requireFirst(t, s, 0, longEvents(0, count))
	require.NoError(t, s.Close())
}

// TestAMovedRunIsKeptBesideOldSegments restores some old segments of a run that was moved, as after
// a crash during compaction. Their indexes still list the run as unfinished; the moved run must
// win.
func TestAMovedRunIsKeptBesideOldSegments(t *testing.T) {
	const runs, count = 3, 400
	dir, old := t.TempDir(), t.TempDir()
	longRuns(t, dir, runs, count)
	require.NoError(t, os.CopyFS(old, os.DirFS(dir)))
	s := openSmall(t, dir, store.Retention{})
	for n := range runs {
		last := storetest.LastFrame(n, count+1, engine.StatusFailed)
		require.Nil(t, s.Finish(t.Context(), []store.Last{{RunID: storetest.RunID(n), Frame: last}}))
	}
	for n := 1; n <= runs; n++ {
		require.NoError(t, s.Delete(t.Context(), storetest.RunID(n)))
	}
	before := segments(t, old)
	require.Eventually(t, func() bool {
		return !slices.Contains(segments(t, dir), filepath.Join(dir, filepath.Base(before[len(before)-2])))
	}, time.Minute, time.Millisecond)
	require.NoError(t, s.Close())
	for _, name := range before[len(before)/2 : len(before)-4] { // these have segment indexes
		for _, name := range []string{name, name + ".index"} {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600))
		}
	}
	unknown := t.TempDir()
	require.NoError(t, os.CopyFS(unknown, os.DirFS(dir)))
	s = openSmall(t, dir, store.Retention{})
	requireFirst(t, s, 0, longEvents(0, count))
	require.NoError(t, s.Close())

	for _, name := range sidecars(t, unknown) {
		require.NoError(t, os.Remove(name))
	}
	d := &stillDisk{}
	s, err := runlog.OpenRuns(unknown, runlog.Segments(runlog.Options{}, smallSegment), d)
	require.NoError(t, err)
	d.still.Store(true) // later changes to the log must not become visible
	requireFirst(t, s, 0, longEvents(0, count))
	_ = s.Close() // fails, since the log cannot be written to
	for left := range sidecars(t, unknown) {
		killed := t.TempDir()
		require.NoError(t, os.CopyFS(killed, os.DirFS(unknown)))
		for _, name := range sidecars(t, killed)[left:] {
			require.NoError(t, os.Remove(name))
		}
		s = openSmall(t, killed, store.Retention{})
		requireFirst(t, s, 0, longEvents(0, count))
		require.NoError(t, s.Close())
	}
}

// stillDisk refuses changes to the log once still is set, but allows segment indexes.
type stillDisk struct {
	unsynced

	still atomic.Bool
}

type stillFile struct {
	vfs.File

	disk *stillDisk
}

func (d *stillDisk) Open(name string, flag int) (vfs.File, error) {
	f, err := d.unsynced.Open(name, flag)
	if err != nil || strings.HasSuffix(name, ".index") {
		return f, err
	}
	return stillFile{File: f, disk: d}, nil
}

func (d *stillDisk) Remove(name string) error {
	if d.still.Load() {
		return syscall.ENOSPC
	}
	return d.unsynced.Remove(name)
}

func (f stillFile) WriteAt(text []byte, at int64) (int, error) {
	if f.disk.still.Load() {
		return 0, syscall.ENOSPC
	}
	return f.File.WriteAt(text, at)
}
