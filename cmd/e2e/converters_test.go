//go:build e2e && linux

package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/nodes/nodetest"
)

// lengthy makes a video that takes minutes.
const lengthy = `{"workflow":{"id":"lengthy","nodes":[
	{"id":"blank","type":"media.video_blank","config":{"width":1280,"height":720,"duration_ms":1800000}},
	{"id":"light","type":"media.video_adjust","config":{"blur":3}},
	{"id":"encode","type":"media.video_encode","config":{"output_path":"out.mp4","speed":"slow"}}],
	"connections":[
	{"fromNodeId":"blank","fromPort":"video","toNodeId":"light","toPort":"video"},
	{"fromNodeId":"light","fromPort":"video","toNodeId":"encode","toPort":"video"}]}}`

// TestDisconnectEndsConverter disconnects from a server that makes a video, repeatedly and at any
// moment: before ffmpeg starts, right after, and later. `make kills` sets how often.
func TestDisconnectEndsConverter(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	scratch := t.TempDir()
	b := launch(t, start{env: []string{"TMPDIR=" + scratch}})
	require.NoError(t, os.MkdirAll(filepath.Join(b.data, "files"), 0o755))
	random := trials.Random(t)
	var took []time.Duration
	for range trials.Count(t, trials.Kills, 5) {
		ctx, leave := context.WithCancel(t.Context())
		var caller sync.WaitGroup
		caller.Go(func() {
			answer, err := b.client.Do(b.request(ctx, "POST", "/execute", lengthy))
			if err == nil {
				_ = answer.Body.Close()
			}
		})
		if random.IntN(2) == 0 {
			require.Eventually(t, func() bool { return nodetest.ProcessesIn(scratch) > 0 }, time.Minute, 2*time.Millisecond, "%s", b.logged)
		}
		<-time.After(time.Duration(random.IntN(400)) * time.Millisecond)
		began := time.Now()
		leave()
		caller.Wait()
		require.Eventually(t, func() bool {
			left, _ := filepath.Glob(filepath.Join(scratch, "*"))
			return nodetest.ProcessesIn(scratch) == 0 && len(left) == 0 && b.idle()
		}, time.Minute, 2*time.Millisecond, "%s", b.logged)
		took = append(took, time.Since(began))
		b.requireNoFiles()
	}
	t.Logf("%d times: nothing is left after %v at worst", len(took), slices.Max(took))
}

// idle reports whether no run is unfinished and none waits for a converter.
func (b *binary) idle() bool {
	answer, err := b.try("GET", "/metrics", "")
	text := string(answer.body)
	return err == nil && strings.Contains(text, "svc_media_running 0\n") && strings.Contains(text, "svc_media_waiting 0\n")
}

// requireNoFiles requires that no file, and no partly written file, remains.
func (b *binary) requireNoFiles() {
	b.t.Helper()
	require.NoError(b.t, filepath.WalkDir(filepath.Join(b.data, "files"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			require.Fail(b.t, "a file is left", path)
		}
		return err
	}))
}
