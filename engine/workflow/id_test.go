package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

func TestCheckID(t *testing.T) {
	for _, good := range []string{"a", " ", "...", "a.b", ".a", "%2e", "a%2Fb", "über 😀", "-", "CON", `a\b`, strings.Repeat("é", 200)} {
		require.NoError(t, workflow.CheckID(good), good)
		require.NoError(t, workflow.CheckNodeID(good), good)
	}
	for _, bad := range []string{"", ".", "..", "a\x00", "a\n", "\x7f", "\u0085", "\xff", strings.Repeat("é", 201)} {
		require.Error(t, workflow.CheckID(bad), "%q", bad)
		require.Error(t, workflow.CheckNodeID(bad), "%q", bad)
	}
	for _, path := range []string{"a/b", "/", "../x", "/etc/passwd"} {
		require.NoError(t, workflow.CheckID(path), path)
		require.ErrorContains(t, workflow.CheckNodeID(path), `must not contain "/"`)
	}
}
