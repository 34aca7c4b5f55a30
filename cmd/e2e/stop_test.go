//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDrains stops a server during a run: it answers what it is
// asked about that, takes no other, and ends when the run has.
func TestDrains(t *testing.T) {
	gate := newGate(t)
	b := launch(t, start{args: []string{"--http-allow", "127.0.0.0/8"}})
	const events = 10
	runID := b.start(gated(gate.URL, events))
	frames := make(chan []string, 1)
	go func() {
		f, _ := b.frames(runID)
		frames <- f
	}()
	b.waitFor(runID, "running")
	require.NoError(t, b.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		r, err := b.try("GET", "/readyz", "")
		return err == nil && r.status == http.StatusServiceUnavailable
	}, time.Minute, time.Millisecond)
	require.Equal(t, "stopping", b.refuses(http.StatusServiceUnavailable, "/executions", quick))
	require.Equal(t, "stopping", b.refuses(http.StatusServiceUnavailable, "/execute", quick))
	require.Equal(t, "running", b.status(runID))
	gate.open()
	got := <-frames
	require.Len(t, got, events)
	require.Contains(t, got[events-1], "event: completed\n")
	require.NoError(t, <-b.ended)
	b.ended <- nil
}

// TestInterrupts stops a server whose runs outlast the grace, with a
// thousand clients who follow them: each hears how its run ended, and the next
// server continues the runs.
func TestInterrupts(t *testing.T) {
	const runs, followers = 10, 100
	b := launch(t, start{args: []string{"--grace", "100ms", "--max-per-address", "2000"}})
	frames := make(chan []string, runs*followers)
	last := map[string]bool{}
	for range runs {
		runID := b.start(waiting)
		last[runID] = true
		for range followers {
			go func() {
				f, _ := b.frames(runID)
				frames <- f
			}()
		}
	}
	require.Eventually(t, func() bool { return b.descriptors() > runs*followers }, time.Minute, 10*time.Millisecond)
	began := time.Now()
	b.stop()
	t.Logf("%d runs and %d streams ended in %v", runs, runs*followers, time.Since(began))
	for range runs * followers {
		f := <-frames
		require.NotEmpty(t, f)
		require.Contains(t, f[len(f)-1], `"code":"interrupted"`)
	}

	b = launch(t, start{data: b.data})
	var page struct {
		Items []struct{ RunID, Status string }
	}
	require.NoError(t, json.Unmarshal(b.do(http.StatusOK, "GET", "/executions", "").body, &page))
	require.Len(t, page.Items, runs)
	for _, run := range page.Items {
		require.Equal(t, "failed", run.Status)
		require.True(t, last[run.RunID])
		next := field(t, b.do(http.StatusAccepted, "POST", "/executions/"+run.RunID+"/resume", ""), "runId")
		require.True(t, strings.HasPrefix(b.status(next), "running"))
		b.do(http.StatusAccepted, "POST", "/executions/"+next+"/cancel", "")
	}
	b.stop()
}
