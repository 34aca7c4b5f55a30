package main

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/golden"
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
	golden.Equal(t, file, []byte(got), *update)
}
