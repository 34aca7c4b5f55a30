//go:build cgo || ci

package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// start runs the command line with an environment, and returns what came of it.
func start(t *testing.T, env map[string]string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	status = run(t.Context(), args, &out, &errs, lookup)
	return status, out.String(), errs.String()
}

func TestHelpTeaches(t *testing.T) {
	status, out, errs := start(t, nil, "--help")
	require.Zero(t, status)
	require.Empty(t, errs)
	for _, part := range []string{"svc-desktop template:greeting", "--data=DIR", "($SVC_DATA)", "($SVC_SERVER)", "keyring"} {
		require.Contains(t, out, part)
	}
}

func TestVersion(t *testing.T) {
	status, out, _ := start(t, nil, "--version")
	require.Zero(t, status)
	require.Regexp(t, `^svc-desktop \S+\n$`, out)
}

// Mistakes in the arguments are reported before a window opens.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"flag", []string{"--nope"}, "see `svc-desktop --help`"},
		{"two workflows", []string{"a.json", "b.json"}, "see `svc-desktop --help`"},
		{"template", []string{"template:nope"}, `there is no template "nope"; there are alert-on-failure, api-diff, `},
		{"file", []string{"nope.json"}, "there is no file nope.json"},
		{"directory", []string{dir}, "is a directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, out, errs := start(t, map[string]string{"DISPLAY": ":0"}, test.args...)
			require.Equal(t, exitInvalid, status)
			require.Empty(t, out)
			require.Contains(t, errs, test.want)
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
		})
	}
}

func TestNoDisplay(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("there is one")
	}
	status, _, errs := start(t, nil)
	require.Equal(t, exitInvalid, status)
	require.Contains(t, errs, "there is no display to open a window on")
	_, _, errs = start(t, map[string]string{"WAYLAND_DISPLAY": "wayland-0"})
	require.Contains(t, errs, "install Xwayland")
}

// Only panics of the toolkit that mean that no display is usable become a display error; all
// others stay panics.
func TestDisplayError(t *testing.T) {
	err := displayError(errors.New("NotInitialized: the library is not initialized"))
	require.ErrorContains(t, err, "the display cannot be used")
	require.Equal(t, exitInvalid, report(&strings.Builder{}, err))
	require.PanicsWithValue(t, "a mistake", func() { _ = displayError("a mistake") })
	require.Panics(t, func() { _ = displayError(errors.New("index out of range")) })
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("flow.json", nil, 0o600))
	for name, want := range map[string]string{
		"": "", "template:greeting": "template:greeting", "flow.json": filepath.Join(dir, "flow.json"),
	} {
		found, err := find(name)
		require.NoError(t, err)
		require.Equal(t, want, found)
	}
}
