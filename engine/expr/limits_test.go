package expr

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// Each of these would fill the memory, or blow the stack, of a library without
// bounds. The limits are lowered, for the test's sake.
func TestExpressionsCannotFillMemory(t *testing.T) {
	doubled := strings.Builder{}
	doubled.WriteString("let v0 = [1]; ")
	for i := range 40 {
		fmt.Fprintf(&doubled, "let v%d = [v%d, v%d]; ", i+1, i, i)
	}
	for _, expression := range []string{
		`reduce(1..60, #acc + #acc, "x")`,
		`reduce(1..60, [#acc, #acc], 1)`,
		`reduce(1..60, ({a: #acc, b: #acc}), {})`,
		`reduce(1..60, toJSON(#acc), "\"")`,
		`reduce(1..20, replace(#acc, "", #acc), "xx")`,
		`reduce(1..20, join(split(#acc, ""), #acc), "xx")`,
		`reduce(1..20, repeat(#acc, 1000), "xx")`,
		`reduce(1..20, {let acc = #acc; map(1..1000, acc)}, [])`,
		`reduce(1..200000, [#acc], 0)`,
		`len(reduce(1..3000, [#acc], 0))`,
		`map(1..500000, upper("` + strings.Repeat("x", 1000) + `"))`,
		`sum(map(1..100, len(map(1..100000, #))))`,
		`1..100000000`,
		`repeat("x", 1000000000)`,
		`median(reduce(1..60, [#acc, #acc], 1))`,
		`len(flatten(reduce(1..60, [#acc, #acc], 1)))`,
		doubled.String() + "v40",
		doubled.String() + "v40 == v39",
	} {
		t.Run(expression[:min(50, len(expression))], func(t *testing.T) {
			e, problems := Compile(map[string]any{"expression": expression}, "expression")
			require.Empty(t, problems)
			e.limits = limits{built: 4 << 20, results: 16 << 20}
			_, err := e.Start(t.Context(), nil).At(0, nil)
			require.Error(t, err)
			require.Contains(t, []string{node.CodeLimitExceeded, node.CodeFailed, node.CodeTypeError}, node.CodeOf(err))
		})
	}
}

// Each of these makes a lot at once, of lists and text that are large but legal.
// It has to be refused before it is made.
func TestExpressionsAreMeasuredBeforeTheyBuild(t *testing.T) {
	long := slices.Repeat([]any{1}, 1<<20)
	var shared any = []any{1, 2}
	for range 22 {
		shared = []any{shared, shared}
	}
	vars := map[string]any{"long": long, "shared": shared, "text": strings.Repeat("ab", 20<<20), "empties": "[" + strings.Repeat("[],", 10<<20) + "[]]"}
	for _, expression := range []string{
		`concat(vars.long` + strings.Repeat(`, vars.long`, 200) + `)`,
		`len(concat(vars.long` + strings.Repeat(`, vars.long`, 200) + `))`,
		`len(flatten(vars.shared))`,
		`len(flatten([vars.shared, 1]))`,
		`len(split(vars.text, ""))`,
		`len(splitAfter(vars.text, "a"))`,
		`len(split(vars.text, "b", -1))`,
		`len(fromJSON(vars.empties))`,
		`vars.text matches "(x{500}){2}"`,
		`vars.text matches vars.text`,
		`len(1..900000) + len(1..900000) + len(map(1..900000, [#]))`,
		`len(map(1..1000000, map(1..1000000, #)))`,
		`let a = repeat("x", 30000000); let b = a + a; let c = b + b; len(c)`,
		`len(join(map(1..900000, "xxxxxxxxxx"), vars.text))`,
		`len(replace(vars.text, "a", vars.text))`,
		`len(toJSON([vars.text, vars.text, vars.text]))`,
		`len(fromPairs(map(1..900000, [string(#), [#]])))`,
	} {
		t.Run(expression[:min(50, len(expression))], func(t *testing.T) {
			e, problems := Compile(map[string]any{"expression": expression}, "expression")
			require.Empty(t, problems)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := e.Start(t.Context(), vars).At(0, nil)
			runtime.ReadMemStats(&after)
			require.Error(t, err)
			require.Contains(t, []string{node.CodeLimitExceeded, node.CodeFailed}, node.CodeOf(err), "%v", err)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(6*maxBuilt))
		})
	}
}

// Ids of 64 bits survive, as everywhere else.
func TestFromJSON(t *testing.T) {
	e, _ := Compile(map[string]any{"expression": "fromJSON(item)"}, "expression")
	got, err := e.Start(t.Context(), nil).At(0, `{"id":9007199254740993,"x":[1.5]}`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"id": 9007199254740993, "x": []any{1.5}}, got)
	_, err = e.Start(t.Context(), nil).At(0, `{"id":`)
	require.Equal(t, node.CodeFailed, node.CodeOf(err))
}

func TestResultsTogetherAreBounded(t *testing.T) {
	e, problems := Compile(map[string]any{"expression": "vars.big"}, "expression")
	require.Empty(t, problems)
	e.limits.results = 10 << 20
	run := e.Start(t.Context(), map[string]any{"big": strings.Repeat("x", 1<<20)})
	for i := range 9 {
		_, err := run.At(i, nil)
		require.NoError(t, err)
	}
	_, err := run.At(9, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
}

// An acc that grows with each item ends with an error, and long before the memory.
func TestReduceCannotFillMemory(t *testing.T) {
	list := slices.Repeat([]any{1}, 1_000_000)
	for _, expression := range []string{
		`acc + acc`, `[acc, acc]`, `{a: acc, b: acc}`, `concat(acc, acc)`, `[acc]`, `{a: acc}`, `toJSON(acc)`, `repeat(string(acc), 1000)`,
		`map(1..1000, acc)`, `[acc, vars.big]`, `{a: acc, b: item, c: vars.big}`,
	} {
		t.Run(expression, func(t *testing.T) {
			e, problems := Compile(map[string]any{"expression": expression}, "expression", Acc)
			require.Empty(t, problems)
			e.limits = limits{built: 1 << 20, results: 1 << 20}
			var initial any = "text"
			if strings.HasPrefix(expression, "concat") {
				initial = []any{1}
			}
			_, err := e.Start(t.Context(), map[string]any{"big": strings.Repeat("x", 1000)}).Reduce(list, initial)
			require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), "%v", err)
			require.True(t, node.IsPermanent(err))
		})
	}
}

func TestReduceStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, _ := Compile(map[string]any{"expression": "acc + item"}, "expression", Acc)
	_, err := e.Start(ctx, nil).Reduce([]any{1, 2}, 0)
	require.ErrorIs(t, err, context.Canceled)
}

// Only the last acc is kept, so a list may be as long as it likes.
func TestReduceBoundsEachAcc(t *testing.T) {
	e, _ := Compile(map[string]any{"expression": "acc"}, "expression", Acc)
	e.limits = limits{built: 2 << 20, results: 2 << 20}
	text := strings.Repeat("x", 1<<20)
	result, err := e.Start(t.Context(), nil).Reduce(slices.Repeat([]any{1}, 100), text)
	require.NoError(t, err)
	require.Equal(t, text, result)
}
