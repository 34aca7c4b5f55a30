package serving

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A server removes partly written files of an earlier crash when it starts.
func TestServerSweeps(t *testing.T) {
	c := Data{t.TempDir()}
	dir := filepath.Join(c.Data, filesDir, "deep")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	left, kept := filepath.Join(dir, ".svc-tmp-LEFT"), filepath.Join(dir, "kept")
	old := time.Now().Add(-48 * time.Hour)
	for _, path := range []string{left, kept} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, old, old))
	}
	stop := c.sweep(t.Context())
	require.Eventually(t, func() bool {
		_, err := os.Lstat(left)
		return err != nil
	}, time.Minute, time.Millisecond)
	stop()
	require.FileExists(t, kept)
}
