//go:build e2e && linux

package e2e_test

import (
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// The tests of this file drive the built program in a real window; see package xtest.

func TestOpensATemplate(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	p := d.Open("template:greeting")
	window := p.AwaitTitle("")
	require.Equal(t, image.Rect(0, 0, 1280, 800), window.Intersect(image.Rect(0, 0, 1280, 800)), "it fills the screen")
	require.Greater(t, d.Settled().Colors(window), 16)
	require.Zero(t, p.Stop(), p.Log())
	// While it ends, the toolkit writes its preferences, and reads them whenever their file
	// changes: at times it is still empty, which the toolkit logs. The settings are not lost.
	own := regexp.MustCompile(`.*Preferences load error:\n(.*Cause: EOF\n)?(.*At: .*\n)?`)
	require.NotContains(t, own.ReplaceAllString(p.Log(), ""), "error")
}

func TestRunsAWorkflow(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	d.Setenv("FYNE_THEME", "dark")
	p := d.Open("template:greeting")
	d.Move(d.Size().Div(2))
	require.Zero(t, d.Settled().Count(image.Rectangle{Max: d.Size()}, colorOK))
	d.Key("F5")
	d.Await("nodes that went well", func(s *xtest.Screen) bool { return s.Count(s.Bounds(), colorOK) > 100 })
	require.Zero(t, p.Stop(), p.Log())
	require.Contains(t, kept(t, d.Home(".local", "share", "svc", "runs")), "Hello, World!", "the run is kept")
	require.DirExists(t, d.Home(".config", "svc", "accounts"))
}

// kept returns what is in the files of a folder.
func kept(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var all strings.Builder
	for _, entry := range entries {
		if entry.Type().IsRegular() && filepath.Ext(entry.Name()) != ".tmp" { // one that is being written
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			require.NoError(t, err)
			all.Write(text)
		}
	}
	return all.String()
}

func TestEndsBySignal(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	require.Zero(t, d.Open().Stop())
}

// A crash leaves nothing that hinders the next start: no lock, no damaged file.
func TestOpensAfterACrash(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	d.Open("template:greeting").Kill()
	p := d.Open("template:greeting")
	require.NotContains(t, p.Log(), "Another Svc", "the runs are free again")
	require.Zero(t, p.Stop(), p.Log())
}

// Two windows of one user share everything but the journal of runs.
func TestBesideAnother(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	d.Open()
	second := d.Launch()
	second.AwaitLog("Another Svc keeps its runs")
	require.Zero(t, second.Stop(), second.Log())
}

func TestWithAKeyring(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	d.Keyring()
	p := d.Open()
	require.Zero(t, p.Stop(), p.Log())
	entries, err := os.ReadDir(d.Home(".config", "svc", "accounts"))
	require.NoError(t, err)
	for _, entry := range entries {
		require.NotContains(t, entry.Name(), "probe")
	}
}

func TestWithoutADisplay(t *testing.T) {
	d := xtest.Start(t, 1280, 800)
	d.Setenv("DISPLAY", "")
	p := d.Launch()
	require.Equal(t, 2, p.Wait())
	require.Contains(t, p.Log(), "there is no display to open a window on")

	d.Setenv("WAYLAND_DISPLAY", "wayland-0")
	p = d.Launch()
	require.Equal(t, 2, p.Wait())
	require.Contains(t, p.Log(), "install Xwayland")

	d.Setenv("DISPLAY", ":4711")
	p = d.Launch()
	require.Equal(t, 2, p.Wait())
	require.Contains(t, p.Log(), "the display cannot be used")
	require.NotContains(t, p.Log(), "goroutine")
}
