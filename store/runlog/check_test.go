package runlog_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/runlog"
)

func TestCheckOfRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	runs, err := runlog.Open(dir, runlog.Options{})
	require.NoError(t, err)
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	var checks sync.WaitGroup
	for range 20 {
		checks.Go(func() { require.NoError(t, runs.Check(t.Context())) })
	}
	checks.Wait()
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before), "nothing stays behind")

	require.NoError(t, os.Rename(dir, dir+".away"))
	require.ErrorIs(t, runs.Check(t.Context()), fs.ErrNotExist)
	require.NoError(t, os.Rename(dir+".away", dir))
	require.NoError(t, runs.Check(t.Context()))
	require.NoError(t, runs.Close())
	require.ErrorIs(t, runs.Check(t.Context()), fs.ErrClosed)
}
