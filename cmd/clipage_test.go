package cmd_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/docstest"
)

const cliPage = "docs/cli.md"

// testCommandLine runs the commands of the page about the command line, with a test server in
// place of the one that the page names.
func testCommandLine(t *testing.T, bin string) {
	dir := t.TempDir()
	t.Setenv("SVC_CONFIG_DIR", t.TempDir())
	key := "a key for the page about the command line"
	address := serveForPage(t, bin, key)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key.txt"), []byte(key+"\n"), 0o600))
	took := regexp.MustCompile(`(?m)  [0-9.]+(µ|m)?s$`)
	told := func(text string) string {
		return took.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(text, address, "https://svc.example.org")), "")
	}
	for _, b := range docstest.Blocks(t, cliPage) {
		switch b.Language {
		case "json":
			name := "hello.test.json"
			if workflow := workflowOf(t, b); workflow != "" {
				name = workflow
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(b.Text), 0o600))
		case "console":
			for exchange := range strings.SplitSeq(strings.TrimPrefix(b.Text, "$ "), "\n$ ") {
				command, want, _ := strings.Cut(exchange, "\n")
				got := docstest.Shell(t, dir, bin, strings.ReplaceAll(command, "https://svc.example.org", address))
				require.Equal(t, told(want), told(got), "line %d: %s", b.Line, command)
			}
		}
	}
}

// serveForPage starts a server and returns its address.
func serveForPage(t *testing.T, bin, key string) string {
	t.Helper()
	server := exec.CommandContext(t.Context(), filepath.Join(bin, "svc"), "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	server.Env = append(os.Environ(), "SVC_API_KEY="+key)
	stderr, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_, _ = io.Copy(io.Discard, stderr)
		_ = server.Wait() // it was killed
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := regexp.MustCompile(`listening on (http://\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			return m[1]
		}
	}
	require.FailNow(t, "the server did not start")
	return ""
}

// TestSchemaOfTheCommandLine checks what the page says about the schema file.
func TestSchemaOfTheCommandLine(t *testing.T) {
	text, err := os.ReadFile("../docs/cli.schema.json")
	require.NoError(t, err)
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	page, err := os.ReadFile(filepath.Join("..", cliPage))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("`#/\\$defs/([^`]+)`").FindAllSubmatch(page, -1) {
		require.Contains(t, doc.Defs, string(m[1]))
	}
}
