package listops

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
)

// Shared parts of a list count each time.
func TestSharedPartsAreBounded(t *testing.T) {
	var shared any = strings.Repeat("x", 1000)
	for range 20 {
		shared = []any{shared, shared}
	}
	list := []any{shared}
	for name, call := range map[string]node.Call{"zip": zip, "flatten": flatten, "concat": concat} {
		out := make([]any, 1)
		err := call(t.Context(), []any{list, list}, out)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), name)
	}
	e, _ := expr.Compile(map[string]any{"by": "1"}, "by")
	err := groupBy(e.Start(t.Context(), nil), list, nil, make([]any, 1))
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	many := slices.Repeat([]any{1}, maxItems+1)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(zip(t.Context(), []any{many, many}, make([]any, 1))))
}

// Comparing the same large lists repeatedly ends with the context.
func TestSortStopsWithItsContext(t *testing.T) {
	item := slices.Repeat([]any{1}, 10_000)
	list := slices.Repeat([]any{any(item)}, 10_000) // a billion comparisons
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	e, _ := expr.Compile(map[string]any{"by": "item"}, "by")
	start := time.Now()
	err := sortList(e.Start(ctx, nil), list, []any{list, "", false}, make([]any, 1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), time.Minute)
}
