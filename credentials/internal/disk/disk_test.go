package disk_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/internal/disk"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path+".tmp", []byte("half of it"), 0o644))
	for _, text := range []string{"one", "two"} {
		require.NoError(t, disk.Replace(path, []byte(text)))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left over")
}

func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	require.Error(t, disk.Replace(filepath.Join(dir, "absent", "file"), nil))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "file"), 0o700))
	require.Error(t, disk.Replace(filepath.Join(dir, "file"), nil))
	require.NoFileExists(t, filepath.Join(dir, "file.tmp"))
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file.lock")
	unlock, err := disk.Lock(t.Context(), path)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = disk.Lock(ctx, path)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = disk.Lock(ctx, path+"2")
	require.ErrorIs(t, err, context.DeadlineExceeded, "a context that has ended gets nothing")
	unlock()
	unlock, err = disk.Lock(t.Context(), path)
	require.NoError(t, err)
	unlock()
}
