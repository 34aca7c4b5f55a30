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

// TestReadmeIsShort checks the length of the page.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", readme))
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 150)
}

// TestDocumentation builds svc once and runs the commands of the pages with it.
func TestDocumentation(t *testing.T) {
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", filepath.Join(bin, "svc"), "./svc").CombinedOutput()
	require.NoError(t, err, string(out))
	for name, test := range map[string]func(t *testing.T, bin string){
		"readme workflow": testReadmeWorkflow, "readme media": testReadmeMedia, "pages": testPages,
		"command line": testCommandLine, "flags of the operator": testOperateNamesFlags,
	} {
		t.Run(name, func(t *testing.T) { test(t, bin) })
	}
}

// TestReadmeFirstCommand runs the first command of the page.
func TestReadmeFirstCommand(t *testing.T) {
	line, _, _ := strings.Cut(docstest.Find(t, readme, "sh", "go run ./cmd/svc"), "\n")
	command, want, ok := strings.Cut(line, "#")
	require.True(t, ok)
	require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(docstest.Shell(t, "..", "", command)))
}

// testReadmeWorkflow runs the workflow of the page.
func testReadmeWorkflow(t *testing.T, bin string) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shout.json"), []byte(docstest.Find(t, readme, "json", `"shout"`)), 0o600))
	require.Equal(t, "HEY", strings.TrimSpace(docstest.Shell(t, dir, bin, "svc run shout.json --input text=hey --quiet")))
}

// testReadmeMedia makes the video of the page.
func testReadmeMedia(t *testing.T, bin string) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	dir := t.TempDir()
	docstest.Shell(t, dir, bin, docstest.Find(t, readme, "sh", "--save results"))
	require.FileExists(t, filepath.Join(dir, "results", "video.mp4"))
}
