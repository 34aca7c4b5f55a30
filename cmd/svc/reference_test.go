package main

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestReference keeps docs/nodes.md in step with the nodes.
func TestReference(t *testing.T) {
	h := &host{env: func(string) (string, bool) { return "", false }}
	a, err := h.open(t.TempDir())
	require.NoError(t, err)
	const file = "../../docs/nodes.md"
	types, err := a.NodeTypes(t.Context())
	require.NoError(t, err)
	got := reference(types)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "docs/nodes.md is stale: make golden")
}
