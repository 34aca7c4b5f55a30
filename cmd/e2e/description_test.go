//go:build e2e && linux

package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDescription checks /openapi.json with third-party linters, generates a client from it, and
// compiles and uses the client.
func TestDescription(t *testing.T) {
	b := launch(t, start{})
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/openapi")))
	document := b.do(http.StatusOK, "GET", "/openapi.json", "").body
	require.NoError(t, os.WriteFile(filepath.Join(dir, "openapi.json"), document, 0o600))
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SVC_URL="+b.url, "SVC_API_KEY="+binaryKey, "REDOCLY_TELEMETRY=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s %v:\n%s", name, args, out)
		return string(out)
	}
	run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	tool := func(name string, args ...string) string { return run("./node_modules/.bin/"+name, args...) }

	judged := tool("redocly", "lint", "--format", "json", "openapi.json")
	require.Contains(t, judged, `"errors": 0`)
	require.Contains(t, judged, `"warnings": 0`, judged)
	tool("spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "openapi.json")
	tool("openapi-typescript", "openapi.json", "--output", "api.ts")
	tool("tsc")
	require.Equal(t, "Hello, World!\n", run("node", "out/client.js"))
}
