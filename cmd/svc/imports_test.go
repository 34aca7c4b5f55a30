package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinksNoDesktop proves that svc needs neither a display nor a C library.
func TestLinksNoDesktop(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for pkg := range strings.Lines(string(out)) {
		for _, forbidden := range []string{"fyne.io/", "github.com/go-gl/", "keyring", "github.com/svcflow/svc/ui", "github.com/svcflow/svc/credentials/client"} {
			require.NotContains(t, pkg, forbidden, "cmd/svc is headless and must not link %s", strings.TrimSpace(pkg))
		}
	}
}

// TestTagsLeavePartsOut builds svc without the parts that the tags exclude.
func TestTagsLeavePartsOut(t *testing.T) {
	for tag, library := range map[string]string{"nocode": "modernc.org/quickjs", "nosql": "modernc.org/sqlite"} {
		out, err := exec.Command("go", "list", "-deps", ".").Output()
		require.NoError(t, err)
		require.Contains(t, string(out), library)
		out, err = exec.Command("go", "list", "-deps", "-tags", tag, ".").Output()
		require.NoError(t, err)
		require.NotContains(t, string(out), library, tag)
		text, err := exec.Command("go", "build", "-tags", tag, "../internal/program").CombinedOutput()
		require.NoError(t, err, "%s: %s", tag, text)
	}
}
