package sample_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/nodetest/sample"
)

func TestPlugin(t *testing.T) {
	nodetest.Check(t, sample.Plugin())
	nodetest.Quick(t, sample.Plugin(), nil)

	h := nodetest.New(t, sample.Plugin())
	out, err := h.Exec("sample.echo", map[string]any{"times": 3}, map[string]any{"line": "hey"})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"text": "hey hey hey"}, out)
	_, err = h.Exec("sample.echo", map[string]any{"times": 0}, map[string]any{"line": "hey"})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
}
