package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSize builds the program and svc without debug information, and compares their sizes.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("two programs are built")
	}
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", dir, ".", "../svc").CombinedOutput() // uses the build cache of the tests
	require.NoError(t, err, string(out))
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		return info.Size()
	}
	t.Logf("svc %d MB, svc-cluster %d MB", size("svc")>>20, size("svc-cluster")>>20)
	require.LessOrEqual(t, size("svc-cluster")-size("svc"), int64(20<<20))
}
