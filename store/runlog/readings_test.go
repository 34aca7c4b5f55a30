package runlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// readDisk counts reads.
type readDisk struct {
	vfs.OS
	calls, bytes atomic.Int64
}

type readFile struct {
	vfs.File
	disk *readDisk
}

func (d *readDisk) Open(name string, flag int) (vfs.File, error) {
	f, err := d.OS.Open(name, flag)
	return readFile{File: f, disk: d}, err
}

func (f readFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	f.disk.calls.Add(1)
	f.disk.bytes.Add(int64(n))
	return n, err
}

// leaveUnfinished leaves unfinished runs that take turns in writing small frames. Every fourth
// frame has a large value.
func leaveUnfinished(t testing.TB, dir string, options runlog.Options, runs, frames int) {
	t.Helper()
	s, err := runlog.OpenRuns(dir, options, unsynced{})
	require.NoError(t, err)
	journals := createRuns(t, s, runs)
	encoders := make([]run.Encoder, runs)
	for seq := 1; seq <= frames; seq++ {
		for n, j := range journals {
			text := string(rune('a'+n%26)) + strings.Repeat("x", 100)
			if seq%4 == 0 {
				text += strings.Repeat(string(rune('a'+seq%26)), 10_000+seq)
			}
			e := engine.Event{
				Name: engine.EventNode, Seq: seq, RunID: storetest.RunID(n), Time: storetest.RunStart(n).StartedAt, NodeID: "one",
				Status: engine.StatusSucceeded, Outputs: map[string]any{"text": text},
			}
			kept, _ := encoders[n].Frame(&e)
			require.NoError(t, j.Append(kept))
		}
	}
	require.NoError(t, s.Close())
}

// fileBytes returns the total size of the files in dir that match pattern.
func fileBytes(t testing.TB, dir, pattern string) (size int64) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	for _, name := range names {
		info, err := os.Stat(name)
		require.NoError(t, err)
		size += info.Size()
	}
	return size
}

// TestEndingReadsOneFrameOfEach checks that ending unfinished runs reads only the segment indexes,
// the last segment, and one frame of each run, however long the runs are.
func TestEndingReadsOneFrameOfEach(t *testing.T) {
	const runs, frames, segment = 20, 200, 256 << 10
	dir := t.TempDir()
	options := runlog.Segments(runlog.Options{}, segment)
	leaveUnfinished(t, dir, options, runs, frames)
	written := fileBytes(t, dir, "log-????????")
	require.Greater(t, written, int64(40*segment))

	d := &readDisk{}
	s, err := runlog.OpenRuns(dir, options, d)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Less(t, d.bytes.Load(), fileBytes(t, dir, "*.index")+4*segment)

	d.calls.Store(0)
	d.bytes.Store(0)
	lasts := make([]store.Last, runs)
	for n := range lasts {
		last, err := s.Frames(t.Context(), storetest.RunID(n), frames-1, 1)
		require.NoError(t, err)
		require.Len(t, last, 1)
		require.Equal(t, frames, last[0].Seq)
		require.Equal(t, "one", last[0].Node)
		lasts[n] = store.Last{RunID: storetest.RunID(n), Frame: storetest.LastFrame(n, frames+1, engine.StatusFailed)}
	}
	require.EqualValues(t, runs, d.calls.Load())
	require.Less(t, d.bytes.Load(), int64(runs*1000))
	require.Nil(t, s.Finish(t.Context(), lasts))
	for n := range lasts {
		all, err := s.Frames(t.Context(), storetest.RunID(n), 0, 1<<30)
		require.NoError(t, err)
		require.Len(t, all, frames+1)
	}
}

// BenchmarkRunsEnd opens a directory with 1,000 unfinished runs and ends them.
func BenchmarkRunsEnd(b *testing.B) {
	const runs, frames = 1000, 40
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		leaveUnfinished(b, dir, runlog.Options{}, runs, frames)
		b.StartTimer()
		d := &readDisk{}
		s, err := runlog.OpenRuns(dir, runlog.Options{}, d)
		require.NoError(b, err)
		lasts := make([]store.Last, runs)
		for n := range lasts {
			_, err := s.Frames(b.Context(), storetest.RunID(n), frames-1, 1)
			require.NoError(b, err)
			lasts[n] = store.Last{RunID: storetest.RunID(n), Frame: storetest.LastFrame(n, frames+1, engine.StatusFailed)}
		}
		require.Nil(b, s.Finish(b.Context(), lasts))
		b.ReportMetric(float64(d.bytes.Load())/runs, "read-B/run")
		b.StopTimer()
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}
