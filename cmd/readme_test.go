package cmd_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// block is one fenced block of README.md.
type block struct{ language, text string }

func readme(t *testing.T) []block {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 150, "README.md is one page")
	var blocks []block
	for _, m := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	return blocks
}

// find returns the first block of a language that contains part.
func find(t *testing.T, language, part string) string {
	t.Helper()
	for _, b := range readme(t) {
		if b.language == language && strings.Contains(b.text, part) {
			return b.text
		}
	}
	require.FailNow(t, "no such block in README.md", "%s: %s", language, part)
	return ""
}

// shell runs a command line as a user would, with svc on the PATH.
func shell(t *testing.T, dir, bin, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "SVC_API_KEY=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", line, stderr.String())
	return string(out)
}

// buildSvc builds the command into a folder and returns that.
func buildSvc(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "svc"), "./svc").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// TestReadmeFirstCommand runs the main job as the page shows it first.
func TestReadmeFirstCommand(t *testing.T) {
	line, _, _ := strings.Cut(find(t, "sh", "go run ./cmd/svc"), "\n")
	command, want, ok := strings.Cut(line, "#")
	require.True(t, ok)
	require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(shell(t, "..", "", command)))
}

// TestReadmeTranscript runs the terminal session of the page and compares what it
// prints.
func TestReadmeTranscript(t *testing.T) {
	bin, dir := buildSvc(t), t.TempDir()
	for exchange := range strings.SplitSeq(strings.TrimPrefix(find(t, "console", "$ svc"), "$ "), "\n$ ") {
		command, want, _ := strings.Cut(exchange, "\n")
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(shell(t, dir, bin, command)), command)
	}
}

// TestReadmeWorkflow runs the workflow of the page.
func TestReadmeWorkflow(t *testing.T) {
	bin, dir := buildSvc(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shout.json"), []byte(find(t, "json", `"shout"`)), 0o600))
	require.Equal(t, "HEY", strings.TrimSpace(shell(t, dir, bin, "svc run shout.json --input text=hey --quiet")))
}

// TestReadmeProgram compiles the Go program of the page.
func TestReadmeProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(find(t, "go", "package main")), 0o600))
	out, err := exec.Command("go", "vet", file).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestBinarySimulators tries nodes of a network as the page says, with both built
// binaries.
func TestBinarySimulators(t *testing.T) {
	bin, dir := filepath.Dir(program(t)), t.TempDir()
	lines := strings.Replace(find(t, "sh", "svc-sim >"), "svc-sim >", "svc-sim --addr 127.0.0.1:0 >", 1)
	out := shell(t, dir, bin, lines+"kill %1; wait %1")
	require.Contains(t, out, "liked: 3")
}

// TestBinaryServes follows the page's section on serving with the built binary
// and curl: first start, key, saving, running, drain. `make e2e` runs it.
func TestBinaryServes(t *testing.T) {
	binary := program(t)
	bin, dir := filepath.Dir(binary), t.TempDir()
	shell(t, dir, bin, "svc templates greeting > greeting.json")
	server := exec.Command(binary, "serve", "--data", "./data", "--addr", "127.0.0.1:8080")
	server.Dir = dir
	server.Env = append(os.Environ(), "SVC_API_KEY=")
	var log bytes.Buffer
	server.Stderr = &log
	require.NoError(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() { _ = server.Process.Kill() })
	require.Eventually(t, func() bool { return healthy("http://127.0.0.1:8080/") }, 5*time.Second, 5*time.Millisecond)

	lines := strings.ReplaceAll(find(t, "sh", "curl -H"), "curl ", "curl -sSf ")
	out := shell(t, dir, bin, strings.ReplaceAll(lines, "localhost", "127.0.0.1"))
	require.Contains(t, out, `"revision":1`)
	require.Contains(t, out, `"greeting":"Hello, Ada!"`)

	key, err := os.ReadFile(filepath.Join(dir, "data", "api-key"))
	require.NoError(t, err)
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-ended, "a drained server ends with 0")
	require.NotContains(t, log.String(), strings.TrimSpace(string(key)), "the key is never printed")
}

func healthy(url string) bool {
	answer, err := http.Get(url) //nolint:gosec,noctx // on this machine
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return err == nil && bytes.Contains(body, []byte(`"status":"ok"`))
}
