//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/docstest"
)

// TestReadmeSimulators tries nodes of a network as the page says, with both built
// binaries.
func TestReadmeSimulators(t *testing.T) {
	bin, dir := filepath.Dir(program(t)), t.TempDir()
	lines := strings.Replace(docstest.Find(t, "README.md", "sh", "svc-sim >"), "svc-sim >", "svc-sim --addr 127.0.0.1:0 >", 1)
	out := docstest.Shell(t, dir, bin, lines+"kill %1; wait %1")
	require.Contains(t, out, "liked: 3")
}

// TestReadmeServes follows the page's section on serving with the built binary
// and curl: first start, key, saving, running, triggers, drain.
func TestReadmeServes(t *testing.T) {
	binary := program(t)
	bin, dir := filepath.Dir(binary), t.TempDir()
	docstest.Shell(t, dir, bin, "svc templates greeting > greeting.json")
	server := exec.Command(binary, "serve", "--data", "./data", "--addr", "127.0.0.1:8080")
	server.Dir = dir
	server.Env = append(os.Environ(), "SVC_API_KEY=")
	var log bytes.Buffer
	server.Stderr = &log
	require.NoError(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() { _ = server.Process.Kill() })
	require.Eventually(t, func() bool { return healthy("http://127.0.0.1:8080/") }, time.Minute, 5*time.Millisecond)

	lines := strings.ReplaceAll(docstest.Find(t, "README.md", "sh", "curl -H"), "curl ", "curl -sSf ")
	out := docstest.Shell(t, dir, bin, strings.ReplaceAll(lines, "localhost", "127.0.0.1"))
	require.Contains(t, out, `"revision":1`)
	require.Contains(t, out, `"greeting":"Hello, Ada!"`)

	// Triggers.
	t.Setenv("SVC_CONFIG_DIR", t.TempDir())
	lines = strings.ReplaceAll(docstest.Find(t, "README.md", "sh", "/hooks/prices/tea"), "curl ", "curl -sSf ")
	out = docstest.Shell(t, dir, bin, strings.ReplaceAll(lines, "localhost", "127.0.0.1"))
	require.Contains(t, out, `{"product":"tea","quantity":3,"total":28.5}`)
	require.Regexp(t, `(?m)^morning-digest +morning\n +type +trigger\.schedule\n +next +20`, out)
	require.Regexp(t, `(?m)^webhook-answer hook\n +type +trigger\.webhook\n +last .* (running|completed)$`, out)

	key, err := os.ReadFile(filepath.Join(dir, "data", "api-key"))
	require.NoError(t, err)
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-ended, "a drained server ends with 0")
	require.NotContains(t, log.String(), strings.TrimSpace(string(key)), "the key is never printed")
}

func healthy(url string) bool {
	answer, err := http.Get(url) // on this machine
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return err == nil && bytes.Contains(body, []byte(`"status":"ok"`))
}
