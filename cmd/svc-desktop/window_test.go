//go:build ci

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The whole program, drawn by software into no window at all.
func TestRun(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:") // no keyring of the machine's
	data := filepath.Join(home, "data")
	status, out, errs := start(t, map[string]string{"DISPLAY": ":0", "SVC_DATA": data}, "template:greeting")
	require.Zero(t, status, errs)
	require.Empty(t, out)
	require.DirExists(t, filepath.Join(data, "runs"))
	require.DirExists(t, filepath.Join(home, ".config", "svc", "accounts"))

	status, _, errs = start(t, map[string]string{"DISPLAY": ":0", "SVC_SERVER": "ftp://example.org"})
	require.Equal(t, exitFailed, status)
	require.Contains(t, errs, "has to begin with http://")
}
