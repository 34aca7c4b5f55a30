package preview_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/preview"
)

func TestSpecs(t *testing.T)  { nodetest.Check(t, preview.Plugin()) }
func TestRandom(t *testing.T) { nodetest.Quick(t, preview.Plugin(), nil) }

func TestView(t *testing.T) {
	h := nodetest.New(t, preview.Plugin())
	for _, v := range []any{nil, "text", 1, []any{1, "a"}, map[string]any{"a": nil}} {
		out, err := h.Exec("preview.view", map[string]any{"as": "json"}, map[string]any{"value": v})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"value": v}, out)
	}
	problems := h.Problems("preview.view", map[string]any{"as": "hologram"}, "value")
	require.Len(t, problems, 1)
	require.Equal(t, "as", problems[0].Port)
}
