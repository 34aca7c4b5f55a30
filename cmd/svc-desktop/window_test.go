//go:build ci

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Wrong settings are reported before a window opens.
func TestRunRefusesAServerThatIsNone(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:") // no keyring of the machine's
	status, _, errs := start(t, map[string]string{"DISPLAY": ":0", "SVC_SERVER": "ftp://example.org"})
	require.Equal(t, exitFailed, status)
	require.Contains(t, errs, "has to begin with http://")
}
