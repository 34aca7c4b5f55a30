package cmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/docstest"
)

const readme = "README.md"

// TestReadmeIsShort keeps it one page.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", readme))
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 150)
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
	line, _, _ := strings.Cut(docstest.Find(t, readme, "sh", "go run ./cmd/svc"), "\n")
	command, want, ok := strings.Cut(line, "#")
	require.True(t, ok)
	require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(docstest.Shell(t, "..", "", command)))
}

// TestReadmeTranscript runs the terminal session of the page and compares what it
// prints.
func TestReadmeTranscript(t *testing.T) {
	bin, dir := buildSvc(t), t.TempDir()
	for exchange := range strings.SplitSeq(strings.TrimPrefix(docstest.Find(t, readme, "console", "$ svc"), "$ "), "\n$ ") {
		command, want, _ := strings.Cut(exchange, "\n")
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(docstest.Shell(t, dir, bin, command)), command)
	}
}

// TestReadmeWorkflow runs the workflow of the page.
func TestReadmeWorkflow(t *testing.T) {
	bin, dir := buildSvc(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shout.json"), []byte(docstest.Find(t, readme, "json", `"shout"`)), 0o600))
	require.Equal(t, "HEY", strings.TrimSpace(docstest.Shell(t, dir, bin, "svc run shout.json --input text=hey --quiet")))
}

// TestReadmeProgram compiles the Go program of the page.
func TestReadmeProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(docstest.Find(t, readme, "go", "package main")), 0o600))
	out, err := exec.Command("go", "vet", file).CombinedOutput()
	require.NoError(t, err, string(out))
}
