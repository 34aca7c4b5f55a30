package main

import (
	"os/exec"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"
)

// A server that has settled has fewer pages of its program than its start went through.
func TestServerSettles(t *testing.T) {
	cmd := exec.Command("svc", "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended if that fails
		_ = cmd.Wait()         // killed
	})
	proc, err := procfs.NewProc(cmd.Process.Pid)
	require.NoError(t, err)
	most, now := uint64(0), uint64(0)
	require.Eventually(t, func() bool {
		status, err := proc.NewStatus()
		require.NoError(t, err)
		now = status.RssFile
		most = max(most, now)
		return most > 10<<20 && now < most*3/4
	}, time.Minute, 10*time.Millisecond)
	t.Logf("%d MB of its program, and then %d", most>>20, now>>20)
}
