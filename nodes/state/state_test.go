package state_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/state"
)

type record = map[string]any

func TestSpecs(t *testing.T) { nodetest.Check(t, state.Plugin()) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, state.Plugin(), map[string][]map[string]any{
		"state.new_items": {{"by": "item", "scope": "workflow", "keep": 10}}, "state.set": {{"ttl": "1h"}}, "state.incr": {{"ttl": ""}},
	})
}

func TestWithoutState(t *testing.T) {
	_, err := nodetest.New(t, state.Plugin()).Exec("state.get", record{"key": "k"}, nil)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(err))
}

func TestProblems(t *testing.T) {
	h := nodetest.New(t, state.Plugin())
	for _, tt := range []struct {
		typ    string
		config record
		port   string
	}{
		{"state.set", record{"key": "k", "value": 1, "ttl": "soon"}, "ttl"},
		{"state.incr", record{"key": "k", "ttl": "10ms"}, "ttl"},
		{"state.new_items", record{"by": "item.", "list": []any{}}, "by"},
		{"state.new_items", record{"by": "item", "list": []any{}, "scope": "shared"}, "key"},
		{"state.new_items", record{"by": "item", "list": []any{}, "keep": 0}, "keep"},
		{"state.new_items", record{"by": "item", "list": []any{}, "keep": 100_001}, "keep"},
	} {
		problems := h.Problems(tt.typ, tt.config)
		require.Len(t, problems, 1, tt.config)
		require.Equal(t, tt.port, problems[0].Port)
	}
	require.Empty(t, h.Problems("state.new_items", record{"by": "item", "list": []any{}, "scope": "shared"}, "key"))
}
