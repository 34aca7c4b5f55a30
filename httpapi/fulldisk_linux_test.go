package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
)

// TestFullDiskIsEmptiedByDeletingRuns fills the disk of a service. Runs can still be deleted, with
// their files, which makes room for new ones.
func TestFullDiskIsEmptiedByDeletingRuns(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("this needs the right to mount a small file system: %v: %s", err, out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", "--lazy", dir).Run()) })
	s := newService(t, func(c *httpapi.Config) { c.DataDir = dir })
	start := func() (runID string, code int) {
		w := s.do("POST", "/executions", `{"inputs":{},"workflow":`+greet+`}`)
		var answer struct{ RunID string }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		return answer.RunID, w.Code
	}
	var ended []string
	for range 20 {
		runID, code := start()
		require.Equal(t, http.StatusAccepted, code)
		s.do("GET", "/executions/"+runID+"/events", "")
		ended = append(ended, runID)
	}
	// The first run has a large file.
	large := filepath.Join(dir, "files", node.RunsDir, ended[0], "large")
	require.NoError(t, os.MkdirAll(filepath.Dir(large), 0o755))
	require.NoError(t, os.WriteFile(large, make([]byte, 256<<10), 0o600))
	filler, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; _, err = filler.WriteString(strings.Repeat("x", size)) {
		}
	}
	require.NoError(t, filler.Close())
	for code := http.StatusAccepted; code != http.StatusInsufficientStorage; { // the last page of the log has room
		var runID string
		runID, code = start()
		if code == http.StatusAccepted {
			s.do("GET", "/executions/"+runID+"/events", "")
		}
	}

	for _, runID := range ended {
		w := s.do("DELETE", "/executions/"+runID, "")
		require.Equal(t, http.StatusNoContent, w.Code, w.Body)
		requireProblem(t, s.do("GET", "/executions/"+runID, ""), http.StatusNotFound, "not_found")
	}
	_, code := start()
	require.Equal(t, http.StatusAccepted, code)
}
