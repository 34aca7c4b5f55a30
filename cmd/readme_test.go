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

// TestReadmeWorkflow runs the workflow of the page.
func TestReadmeWorkflow(t *testing.T) {
	bin, dir := buildSvc(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shout.json"), []byte(docstest.Find(t, readme, "json", `"shout"`)), 0o600))
	require.Equal(t, "HEY", strings.TrimSpace(docstest.Shell(t, dir, bin, "svc run shout.json --input text=hey --quiet")))
}

// TestReadmeMedia makes the video of the page.
func TestReadmeMedia(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	dir := t.TempDir()
	docstest.Shell(t, dir, buildSvc(t), docstest.Find(t, readme, "sh", "--save results"))
	require.FileExists(t, filepath.Join(dir, "results", "video.mp4"))
}
