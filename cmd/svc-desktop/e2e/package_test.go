//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPackage unpacks and installs what `make package` has made, and requires that a
// desktop can make something of it.
func TestPackage(t *testing.T) {
	archive := os.Getenv("SVC_E2E_PACKAGE")
	require.NotEmpty(t, archive, "SVC_E2E_PACKAGE names no package; run `make e2e`")
	dir, home := t.TempDir(), t.TempDir()
	output(t, dir, home, "tar", "--strip-components=1", "-xf", archive)
	output(t, dir, home, "make", "user-install")

	installed := filepath.Join(home, ".local")
	require.Regexp(t, `^svc-desktop \S+\n$`, output(t, dir, home, filepath.Join(installed, "bin", "svc-desktop"), "--version"))
	entry := filepath.Join(installed, "share", "applications", "Svc.desktop")
	output(t, dir, home, "desktop-file-validate", entry)
	text, err := os.ReadFile(entry)
	require.NoError(t, err)
	require.Contains(t, string(text), "Exec="+filepath.Join(installed, "bin", "svc-desktop")+" %f\n")
	require.Contains(t, string(text), "Icon=Svc\n")
	require.Contains(t, string(text), "Categories=Development;Utility;\n")

	icon, err := os.ReadFile(filepath.Join(installed, "share", "icons", "Svc.png"))
	require.NoError(t, err)
	size, err := png.DecodeConfig(bytes.NewReader(icon))
	require.NoError(t, err)
	require.Equal(t, []int{512, 512}, []int{size.Width, size.Height})

	output(t, dir, home, "make", "user-uninstall")
	require.NoFileExists(t, entry)
}

// output runs a program of a user and returns what it prints.
func output(t *testing.T, dir, home, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "DESTDIR=", "LANG=C.UTF-8")
	var errs bytes.Buffer // where the toolkit warns of locales that it does not know
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s %q: %s%s", name, args, out, &errs)
	return string(out)
}
