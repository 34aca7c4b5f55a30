package jsonnode

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestQueryRunsOutOfFuel(t *testing.T) {
	code, err := compile(`range(1000) | empty`)
	require.NoError(t, err)
	_, err = query{code, 1_000, maxCost}.run(t.Context(), nil, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.ErrorIs(t, err, errFuel)
	_, err = query{code, 100_000, maxCost}.run(t.Context(), nil, nil)
	require.NoError(t, err)
	_, err = query{code, 1_000, maxCost}.run(context.Background(), nil, nil)
	require.ErrorIs(t, err, errFuel, "a context that never ends is no way around")
}

func TestQueryResultsAreBounded(t *testing.T) {
	code, err := compile(`reduce range(60) as $i (1; [., .])`)
	require.NoError(t, err)
	_, err = query{code, maxSteps, 1 << 20}.run(t.Context(), nil, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.ErrorContains(t, err, "too big")
}

func BenchmarkQuery(b *testing.B) {
	code, err := compile(`[.[] | select(.a > 10) | {b: .a}]`)
	require.NoError(b, err)
	list := make([]any, 1000)
	for i := range list {
		list[i] = map[string]any{"a": i}
	}
	for b.Loop() {
		if _, err := (query{code, maxSteps, maxCost}).run(b.Context(), list, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzFilter looks for a filter that the compiler does not survive.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{`.a[]?`, `def f(x): x|x; f(.b)`, `reduce .[] as [$a,{b:$c}] (0; . + $a)`, `"\(.a)" | test("x";"g")`, `try error catch .`, `label $x | break $x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, filter string) {
		if _, err := compile(filter); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
