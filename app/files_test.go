package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes"
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
