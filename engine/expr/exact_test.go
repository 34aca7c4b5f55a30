package expr_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/expr"
)

// evaluate evaluates a source for one item.
func evaluate(t *testing.T, source string, item any) (any, error) {
	t.Helper()
	e, problems := expr.Compile(map[string]any{"expression": source}, "expression")
	require.Empty(t, problems, source)
	return e.Start(t.Context(), nil).At(0, item)
}

func TestTextsAreCutByCharacters(t *testing.T) {
	for source, want := range map[string]any{
		`item[0:2]`: "Mü", `item[:3]`: "Mül", `item[-2:]`: "er", `item[1:-1]`: "ülle", `item[4:2]`: "", `item[9:]`: "", `item[:-9]`: "", `item[:99]`: "Müller",
		`item[1]`: "ü", `item[-1]`: "r", `len(item)`: 6, `indexOf(item, "l")`: 2, `lastIndexOf(item, "l")`: 3, `indexOf(item, "x")`: -1,
		`item[indexOf(item, "l"):]`: "ller", `{a: item}?.a[0:2]`: "Mü", `{a: item}.a[1]`: "ü", `[item][0][1:2]`: "ü", `map(["äb"], #[0:1])[0]`: "ä",
		`"日本語"[1:2]`: "本", `[1,2,3][1:]`: []any{2, 3}, `[1,2,3][-1]`: 3, `[1,2,3][:-1]`: []any{1, 2},
	} {
		got, err := evaluate(t, source, "Müller")
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
	got, err := evaluate(t, `item?.a[0:2]`, map[string]any{"a": "Müller"})
	require.NoError(t, err)
	require.Equal(t, "Mü", got)
	_, err = evaluate(t, `item[0:2]`, nil)
	require.ErrorContains(t, err, "null has no parts")
	_, err = evaluate(t, `item[6]`, "Müller")
	require.ErrorContains(t, err, "6 characters")
}

func TestIntegersThatDoNotFitAreErrors(t *testing.T) {
	for _, source := range []string{
		`item * 1000`, `1000 * item`, `item + 1`, `-item - 2`, `(item + 1) * 2`, `sum([item, 1])`, `sum([item, 1], #)`, `-(-item - 1)`, `abs(-item - 1)`, `9223372036854775807 * 2`,
		`{a: item * 3}`, `map([item], # + 1)`, `reduce([item, item], #acc + #)`, `int(1e30)`, `int(float(item))`, `int("9223372036854775808")`, `item * -2`, `item - -1`,
	} {
		_, err := evaluate(t, source, math.MaxInt)
		require.Error(t, err, source)
		require.NotContains(t, err.Error(), "~", source)
	}
	for source, want := range map[string]any{
		`item + 0`: math.MaxInt, `item - 1 + 1`: math.MaxInt, `-item - 1`: math.MinInt, `item * -1`: -math.MaxInt, `float(item) * 1000`: float64(math.MaxInt) * 1000,
		`item * 1.5`: float64(math.MaxInt) * 1.5, `sum([1, 2.5])`: 3.5, `sum([])`: 0, `sum(1..3)`: 6, `sum([{"a": 2}, {"a": 3}], .a)`: 5, `int(-1.9)`: -1, `int("7")`: 7, `abs(-3)`: 3,
		`"a" + "b"`: "ab", `4611686018427387904 * -2`: math.MinInt, `0 * item`: 0, `3 - 5`: -2, `-(3)`: -3, `-1.5`: -1.5,
	} {
		got, err := evaluate(t, source, math.MaxInt)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}
