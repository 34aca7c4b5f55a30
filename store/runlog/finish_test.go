package runlog_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// countingDisk counts reads, writes, written bytes and syncs.
type countingDisk struct {
	vfs.OS

	writes, reads, bytes, syncs atomic.Int64
}

type countingFile struct {
	vfs.File
	disk *countingDisk
}

func (d *countingDisk) Open(name string, flag int) (vfs.File, error) {
	f, err := d.OS.Open(name, flag)
	return countingFile{File: f, disk: d}, err
}

func (d *countingDisk) SyncDir(dir string) error {
	d.syncs.Add(1)
	return d.OS.SyncDir(dir)
}

func (f countingFile) Sync() error {
	f.disk.syncs.Add(1)
	return f.File.Sync()
}

func (f countingFile) WriteAt(text []byte, at int64) (int, error) {
	f.disk.writes.Add(1)
	return f.File.WriteAt(text, at)
}

func (f countingFile) ReadAt(text []byte, at int64) (int, error) {
	f.disk.reads.Add(1)
	f.disk.bytes.Add(int64(len(text)))
	return f.File.ReadAt(text, at)
}

func (d *countingDisk) reset() {
	for _, n := range []*atomic.Int64{&d.writes, &d.reads, &d.bytes, &d.syncs} {
		n.Store(0)
	}
}

// unended leaves n unfinished runs with one frame each in a directory, and returns their last
// frames.
func unended(t testing.TB, dir string, n int) []store.Last {
	t.Helper()
	s, err := runlog.Open(dir, runlog.Options{Relaxed: true})
	require.NoError(t, err)
	lasts := make([]store.Last, n)
	for i := range lasts {
		j, err := s.Create(t.Context(), storetest.RunStart(i))
		require.NoError(t, err)
		require.NoError(t, j.Append(storetest.Frame(1, "one")))
		lasts[i] = store.Last{RunID: storetest.RunID(i), Frame: storetest.LastFrame(i, 2, engine.StatusFailed)}
	}
	require.NoError(t, s.Close())
	return lasts
}

// TestFinishingWaitsOnce checks that ending many runs needs one sync and few writes, and reads only
// the shared document, once.
func TestFinishingWaitsOnce(t *testing.T) {
	const n = 1000
	dir := t.TempDir()
	lasts := unended(t, dir, n)
	d := &countingDisk{}
	s, err := runlog.OpenRuns(dir, runlog.Options{}, d)
	require.NoError(t, err)
	require.Nil(t, s.Finish(t.Context(), lasts[:1])) // fills the ballast
	d.reset()
	for i := range lasts {
		_, err := s.Outline(t.Context(), lasts[i].RunID)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, d.reads.Load(), int64(1))
	require.Nil(t, s.Finish(t.Context(), lasts[1:]))
	require.EqualValues(t, 1, d.syncs.Load())
	require.LessOrEqual(t, d.writes.Load(), int64(10))
	require.NoError(t, s.Close())
	s, err = runlog.Open(dir, runlog.Options{})
	require.NoError(t, err)
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
	require.Len(t, frames(t, s, n-1), 2)
	require.NoError(t, s.Close())
}

// BenchmarkRunFinish ends 1,000 runs with one call.
func BenchmarkRunFinish(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		lasts := unended(b, dir, 1000)
		s := openRuns(b, dir, store.Retention{})
		b.StartTimer()
		require.Nil(b, s.Finish(b.Context(), lasts))
		b.StopTimer()
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}
