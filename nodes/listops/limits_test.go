package listops

import (
	"fmt"
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
			e, problems := compileExpression(map[string]any{"expression": expression}, "expression")
			require.Empty(t, problems)
			e.limits = limits{built: 4 << 20, results: 16 << 20}
			_, err := e.start(t.Context(), nil).at(0, nil)
			require.Error(t, err)
			require.Contains(t, []string{node.CodeLimitExceeded, node.CodeFailed, node.CodeTypeError}, node.CodeOf(err))
		})
	}
}

func TestResultsTogetherAreBounded(t *testing.T) {
	e, problems := compileExpression(map[string]any{"expression": "vars.big"}, "expression")
	require.Empty(t, problems)
	e.limits.results = 10 << 20
	run := e.start(t.Context(), map[string]any{"big": strings.Repeat("x", 1<<20)})
	for i := range 9 {
		_, err := run.at(i, nil)
		require.NoError(t, err)
	}
	_, err := run.at(9, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
}
