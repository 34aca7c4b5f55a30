package app

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
)

func TestFilesGoWithTheirRuns(t *testing.T) {
	dir := t.TempDir()
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir})
	require.NoError(t, err)
	a := newTestApp(t, Config{Env: env})
	defer func() { require.NoError(t, a.Close(soon(t, 0))) }()
	kept, err := a.StartJSON(t.Context(), asleep(0), run.Request{})
	require.NoError(t, err)
	ended(t, a, kept)
	was := time.Now().Add(-2 * strayAge)
	for _, id := range []string{kept, "gone", "fresh"} {
		var at value.Media
		require.NoError(t, a.takeFiles(id, []node.Upload{{Name: "../näme.txt", MIME: "text/plain", Data: []byte("x"), Put: func(m value.Media) { at = m }}}))
		require.Equal(t, value.Media{Kind: "file", MIME: "text/plain", Path: ".runs/" + id + "/1-n_me.txt"}, at)
		if id != "fresh" {
			require.NoError(t, os.Chtimes(filepath.Join(dir, node.RunsDir, id), was, was))
		}
	}
	require.NoError(t, a.sweepOnce())
	require.DirExists(t, filepath.Join(dir, node.RunsDir, kept))
	require.DirExists(t, filepath.Join(dir, node.RunsDir, "fresh"), "nobody records it, for now")
	require.NoDirExists(t, filepath.Join(dir, node.RunsDir, "gone"))
	require.NoError(t, a.DeleteRun(t.Context(), kept))
	require.NoDirExists(t, filepath.Join(dir, node.RunsDir, kept))
}

// writesFiles returns an App whose runs have files in a sandbox with a limit in bytes.
func writesFiles(t *testing.T, dir string, bytes int64, c Config) *App {
	t.Helper()
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir, Quota: nodes.NewQuota(bytes, 0)})
	require.NoError(t, err)
	c.Env = env
	a := newTestApp(t, c)
	t.Cleanup(func() { require.NoError(t, a.Close(soon(t, 0))) })
	return a
}

// endsWith starts a run, gives it a file of the given size, and waits for its end.
func endsWith(t *testing.T, a *App, bytes int) (runID string) {
	t.Helper()
	runID, err := a.StartJSON(t.Context(), asleep(0), run.Request{})
	require.NoError(t, err)
	ended(t, a, runID)
	require.NoError(t, a.takeFiles(runID, []node.Upload{upload(bytes)}))
	return runID
}

func upload(bytes int) node.Upload {
	return node.Upload{Name: "a.bin", Data: make([]byte, bytes), Put: func(value.Media) {}}
}

func TestOldRunsMakeRoomForFiles(t *testing.T) {
	dir := t.TempDir()
	a := writesFiles(t, dir, 1000, Config{})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "named.txt"), []byte("x"), 0o600)) // counts for nothing: it was not there before
	_, err := a.files.Save("report.txt", func(w io.Writer) error { _, err := w.Write(make([]byte, 100)); return err })
	require.NoError(t, err)
	without := endsWith(t, a, 0)
	require.NoError(t, a.removeFiles(without))
	first, second, third := endsWith(t, a, 300), endsWith(t, a, 300), endsWith(t, a, 300)

	require.NoError(t, a.takeFiles("new-1", []node.Upload{upload(200)}))
	_, err = a.Record(t.Context(), first)
	require.ErrorIs(t, err, store.ErrRunNotFound, "it had ended first of those with files")
	require.NoDirExists(t, filepath.Join(dir, node.RunsDir, first))
	for _, id := range []string{without, second, third} {
		_, err = a.Record(t.Context(), id)
		require.NoError(t, err)
	}

	_, leave := a.working(t.Context(), "goes-on", second)
	require.NoError(t, a.takeFiles("new-2", []node.Upload{upload(300)}))
	require.DirExists(t, filepath.Join(dir, node.RunsDir, second), "a run goes on with it")
	require.NoDirExists(t, filepath.Join(dir, node.RunsDir, third))
	leave()

	require.Equal(t, node.CodeStorageFull, node.CodeOf(a.takeFiles("new-3", []node.Upload{upload(500)})))
	require.NoDirExists(t, filepath.Join(dir, node.RunsDir, "new-3"))
	require.FileExists(t, filepath.Join(dir, "report.txt"), "a workflow has named it")
	require.DirExists(t, filepath.Join(dir, node.RunsDir, "new-1"), "its run may be running elsewhere")
	was := time.Now().Add(-2 * idleAge)
	require.NoError(t, os.Chtimes(filepath.Join(dir, node.RunsDir, "new-1"), was, was))
	require.NoError(t, a.takeFiles("new-3", []node.Upload{upload(500)}))
	require.NoDirExists(t, filepath.Join(dir, node.RunsDir, "new-1"))
}

func TestRunsThatGoOnMakeNoRoom(t *testing.T) {
	dir := t.TempDir()
	a := writesFiles(t, dir, 1000, Config{})
	id, err := a.StartJSON(t.Context(), asleep(3600), run.Request{})
	require.NoError(t, err)
	require.NoError(t, a.takeFiles(id, []node.Upload{upload(900)}))
	require.Equal(t, node.CodeStorageFull, node.CodeOf(a.takeFiles("new", []node.Upload{upload(200)})))
	require.DirExists(t, filepath.Join(dir, node.RunsDir, id))
	require.NoError(t, a.Cancel(t.Context(), id))
	ended(t, a, id)
	require.NoError(t, a.takeFiles("new", []node.Upload{upload(200)}))
}

func TestScratchGoesWithTheEndOfARun(t *testing.T) {
	dir := t.TempDir()
	a := writesFiles(t, dir, 0, Config{})
	id := endsWith(t, a, 1)
	ctx, leave := a.working(t.Context(), id)
	fill := func() (name string) {
		scratch := node.WorkspaceOf(ctx).Scratch(ctx)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, scratch, "deep"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, scratch, "deep", "part"), []byte("x"), 0o600))
		return filepath.Join(dir, node.RunsDir, id, node.ScratchName)
	}
	scratch := fill()
	files, err := a.RunFiles(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, files, 1, "what is there for a while is none of the run's files")
	require.NoError(t, a.sweepScratch())
	require.DirExists(t, scratch, "somebody works")
	leave()
	require.NoDirExists(t, scratch)
	require.DirExists(t, filepath.Dir(scratch), "other files stay")

	require.NoError(t, a.removeFiles(id))
	fill()
	require.NoError(t, a.sweepScratch(), "a crash has left it")
	require.NoDirExists(t, filepath.Dir(scratch), "with nothing else in it")
}
