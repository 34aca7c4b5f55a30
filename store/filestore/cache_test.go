package filestore

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

func TestCacheIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	info, err := os.Stat(path)
	require.NoError(t, err)
	c := cache[int]{limit: 100}
	for n := range 50 {
		c.put(fmt.Sprint(n), info, 10, n)
	}
	require.Len(t, c.entries, 10)
	require.EqualValues(t, 100, c.used)
	v, ok := c.get("49", info)
	require.True(t, ok)
	require.Equal(t, 49, v)
	c.put("49", info, 101, 1)
	_, ok = c.get("49", info)
	require.False(t, ok, "too big to keep")
	c.put("large", info, 100, 1)
	require.Len(t, c.entries, 1)
	c.drop("large")
	require.Zero(t, c.used)
}

// TestCacheForgetsDeletedFiles checks that the cache drops files that other processes have deleted.
func TestCacheForgetsDeletedFiles(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	saveVersion(t, s, 1)
	require.Len(t, s.metas.entries, 1)
	require.NoError(t, Open(dir).Delete(t.Context(), "w"))
	_, err := s.Revisions(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	require.Empty(t, s.metas.entries)
	_, err = s.Load(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	require.Empty(t, s.defs.entries)
}
