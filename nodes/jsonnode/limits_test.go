package jsonnode

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestQueryRunsOutOfFuel(t *testing.T) {
	p, err := compile(`range(1000) | empty`)
	require.NoError(t, err)
	p.steps = 1_000
	_, err = p.run(t.Context(), nil, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.ErrorIs(t, err, errFuel)
	_, err = p.run(context.Background(), nil, nil)
	require.ErrorIs(t, err, errFuel, "a context that never ends is no way around")
	p.steps = 100_000
	_, err = p.run(t.Context(), nil, nil)
	require.NoError(t, err)
}

func TestQueryResultsAreBounded(t *testing.T) {
	p, err := compile(`reduce range(60) as $i (1; [., .])`)
	require.NoError(t, err)
	p.cost = 1 << 20
	_, err = p.run(t.Context(), nil, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.ErrorContains(t, err, "too big")
}

func TestQueryRunsOutOfMemory(t *testing.T) {
	for _, filter := range []string{
		`[range(1e9)]`, `[range(1e9) | {a: .}]`, `[range(1e9) | tostring]`, `[range(1e9) | [.]]`, `def f: [f]; f`, `def f: 1 + f; f`,
		`[range(10000)] as $a | def f: $a[] | f; f`, `[range(10000)] as $a | [range(1e9) as $i | $a | .[0] = $i]`, `range(1e9) | "x" * 100000`,
		`try [range(1e9)] catch .`, `try ("x" * 1e9) catch .`, `[range(1e9)]?`,
	} {
		p, err := compile(filter)
		require.NoError(t, err)
		p.memory = 1 << 20
		_, err = p.run(t.Context(), nil, nil)
		require.ErrorIs(t, err, errMemory, filter)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	}
}

// Shared values count once; values that were dropped, and inputs, do not count.
func TestQueryMemoryIsWhatIsHeld(t *testing.T) {
	input := make([]any, 20_000)
	for i := range input {
		input[i] = strings.Repeat("x", 100)
	}
	for _, filter := range []string{
		`length`, `[range(1000)] as $a | [range(1000) | $a] | length`, `last(range(100000) | [range(10)])`, `[.[:1000], .[:2000], .[1:]] | length`,
		`reduce range(1000) as $i ([]; . + [$i]) | length`, `[range(1000)] | until(length == 0; .[1:])`,
	} {
		p, err := compile(filter)
		require.NoError(t, err)
		p.memory = 1 << 20
		_, err = p.run(t.Context(), input, nil)
		require.NoError(t, err, filter)
	}
}

func TestQueryForgetsRegularExpressions(t *testing.T) {
	p, err := compile(`[range(1000) as $i | "x" | test("x\($i)")] | length`)
	require.NoError(t, err)
	_, err = p.run(t.Context(), nil, nil)
	require.NoError(t, err)
	require.False(t, p.reusable(), "gojq would keep all of them")
}

func BenchmarkQuery(b *testing.B) {
	p, err := compile(`[.[] | select(.a > 10) | {b: .a}]`)
	require.NoError(b, err)
	list := make([]any, 1000)
	for i := range list {
		list[i] = map[string]any{"a": i}
	}
	for b.Loop() {
		if _, err := p.run(b.Context(), list, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzFilter searches for a filter that crashes the compiler.
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
