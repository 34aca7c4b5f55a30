package runlog_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

func TestFileRuns(t *testing.T) {
	storetest.Runs(t, func(t *testing.T, o storetest.RunOptions) storetest.OpenRuns {
		dir := filepath.Join(t.TempDir(), "made", "by the store")
		return func() store.RunStore { return openWith(t, dir, runlog.Options{Keep: o.Keep, RunBytes: o.RunBytes}) }
	})
}

func openRuns(t testing.TB, dir string, keep store.Retention) *runlog.Store {
	t.Helper()
	return openWith(t, dir, runlog.Options{Keep: keep})
}

func openWith(t testing.TB, dir string, o runlog.Options) *runlog.Store {
	t.Helper()
	s, err := runlog.Open(dir, o)
	require.NoError(t, err)
	return s
}

// TestRunsAreSynced checks that only the start and the end of a run wait for the disk, and that
// every other frame takes one call.
func TestRunsAreSynced(t *testing.T) {
	d := &vfstest.Faulty{Room: -1}
	s := openOn(t, t.TempDir(), store.Retention{}, d)
	endRun(t, s, 1) // creates the ballast
	d.Syncs = 0
	j, err := s.Create(t.Context(), storetest.RunStart(2))
	require.NoError(t, err)
	require.Equal(t, 1, d.Syncs)
	d.Calls = 0
	require.NoError(t, j.Append(storetest.Frame(1, "one")))
	require.Equal(t, 1, d.Calls)
	require.NoError(t, j.Append(storetest.LastFrame(2, 2, engine.StatusFailed)))
	require.Equal(t, 2, d.Syncs)
	require.NoError(t, s.Close())
}

func TestRunFileModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	s := openRuns(t, dir, store.Retention{})
	endRun(t, s, 1)
	require.NoError(t, s.Close())
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	})
	require.NoError(t, err)
}

func TestRunsNotOpened(t *testing.T) {
	dir := t.TempDir()
	s := openRuns(t, dir, store.Retention{})
	_, err := runlog.Open(dir, runlog.Options{})
	require.ErrorIs(t, err, store.ErrRunsInUse)
	require.ErrorContains(t, err, dir)
	if runtime.GOOS != "windows" {
		require.ErrorContains(t, err, fmt.Sprintf("process %d has", os.Getpid()))
		lock := filepath.Join(dir, ".lock")
		for text, who := range map[string]string{
			"17 elsewhere\n": `process 17 on "elsewhere" has`, "": "did not say", "x\x1b[2J\n": "did not say", "17 a\x1bb": `"a\x1bb"`,
		} {
			require.NoError(t, os.WriteFile(lock, []byte(text), 0o600))
			_, err = runlog.Open(dir, runlog.Options{})
			require.ErrorContains(t, err, who)
		}
	}
	require.NoError(t, s.Close())
	require.NoError(t, openRuns(t, dir, store.Retention{}).Close())

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = runlog.Open(file, runlog.Options{})
	require.ErrorIs(t, err, syscall.ENOTDIR)
}

// TestRunReplayIsNotQuadratic checks that reading a long journal in small steps costs little more
// than reading it at once, whether this store or an earlier one wrote the frames.
func TestRunReplayIsNotQuadratic(t *testing.T) {
	dir := t.TempDir()
	s := openRuns(t, dir, store.Retention{})
	j, err := s.Create(t.Context(), storetest.RunStart(1))
	require.NoError(t, err)
	const last, each = 2000, 2000
	for seq := 1; seq < last; seq++ {
		require.NoError(t, j.Append(storetest.Frame(seq, strings.Repeat("x", each))))
	}
	require.NoError(t, s.Close())
	replay := func(s *runlog.Store, d *vfstest.Faulty) {
		d.Read = 0
		for seq := 0; seq < last; {
			got, err := s.Frames(t.Context(), storetest.RunID(1), seq, 30_000)
			require.NoError(t, err)
			seq += len(got)
		}
		require.Less(t, d.Read, int64(5*last*each))
		d.Read = 0
		_, err = s.Frames(t.Context(), storetest.RunID(1), last-1, 1)
		require.NoError(t, err)
		require.Less(t, d.Read, int64(100_000))
	}

	d := &vfstest.Faulty{Room: -1}
	s = openOn(t, dir, store.Retention{}, d)
	j, err = s.Reopen(t.Context(), storetest.RunID(1))
	require.NoError(t, err)
	require.NoError(t, j.Append(storetest.LastFrame(1, last, engine.StatusCompleted)))
	replay(s, d)
	require.NoError(t, s.Close())

	d = &vfstest.Faulty{Room: -1}
	s = openOn(t, dir, store.Retention{}, d)
	replay(s, d)
	require.NoError(t, s.Close())
}

// TestRawRun checks that RawRun prints the lines of a run, also while a store has the directory
// open.
func TestRawRun(t *testing.T) {
	dir := t.TempDir()
	s := openRuns(t, dir, store.Retention{})
	endRun(t, s, 1)
	endRun(t, s, 2)
	var text strings.Builder
	require.NoError(t, runlog.RawRun(&text, dir, storetest.RunID(1)))
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	require.Len(t, lines, 5, "its start, three frames and its end")
	for i, name := range []string{"start", "progress", "progress", "failed", "end"} {
		require.Contains(t, lines[i], " "+storetest.RunID(1)+" "+name+" ")
	}
	require.ErrorIs(t, runlog.RawRun(&text, dir, storetest.RunID(3)), store.ErrRunNotFound)
	require.NoError(t, s.Close())
}
