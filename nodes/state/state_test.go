package state_test

import (
	"context"
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

// seenState remembers items in memory; its other methods are not called.
type seenState struct {
	node.State

	seen map[string]bool
}

func (s *seenState) News(_ context.Context, _ node.StateKey, items []string, _ int, _ bool) ([]bool, error) {
	isNew := make([]bool, len(items))
	for i, item := range items {
		isNew[i] = !s.seen[item]
		s.seen[item] = true
	}
	return isNew, nil
}

func TestItemsWithoutAKeyNeverVanish(t *testing.T) {
	h := nodetest.New(t, state.Plugin())
	ctx := context.WithValue(t.Context(), node.StateContextKey{}, &seenState{seen: map[string]bool{}})
	list := []any{record{"id": 1}, record{"Id": 2}, record{"id": 3}, record{"id": nil}}
	_, err := h.ExecContext(ctx, "state.new_items", record{"by": "item.id", "mark": "now"}, record{"list": list})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	require.ErrorContains(t, err, "item 1")

	got, err := h.ExecContext(ctx, "state.new_items", record{"by": "item.id", "mark": "now", "missing": "pass"}, record{"list": list})
	require.NoError(t, err)
	require.Equal(t, list, got["new"])
	got, err = h.ExecContext(ctx, "state.new_items", record{"by": "item.id", "mark": "now", "missing": "pass"}, record{"list": list})
	require.NoError(t, err)
	require.Equal(t, []any{list[1], list[3]}, got["new"])
	require.Equal(t, 2, got["seen"])
}
