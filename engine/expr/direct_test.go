package expr

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// directSources are expressions that need no machine.
func directSources() []string {
	return []string{
		`item`, `index`, `vars.a.b`, `acc`, `item.a`, `item["a b"]`, `item.a.b`, `item.a + item.b`, `item.a - 1`, `item.a * item.b`, `item.a / 2`, `index + 0.5`,
		`item < 3`, `item.a <= "b"`, `item.a > item.b`, `item.a >= 2`, `item == 1.0`, `item.a != nil`, `item == vars`, `item.a == "x"`,
		`not item.a`, `!(item.a && item.b)`, `item.a and item.b or index > 1`, `item.a || item`, `true && item.a`, `nil`, `"x"`,
		`{a: item.a, b: item.a * index, c: vars}`, `{}`, `{"a b": item}`,
	}
}

func compileFor(tb testing.TB, source string) *Expression {
	tb.Helper()
	e, problems := Compile(map[string]any{"expression": source}, "expression", Acc)
	require.Empty(tb, problems, source)
	return e
}

// compareDirect requires that the direct evaluation, where it has a result, gives
// what the machine gives.
func compareDirect(tb testing.TB, e *Expression, source string, item, other any) {
	tb.Helper()
	run := e.Start(tb.Context(), map[string]any{"a": other})
	run.item, run.index, run.acc = item, 2, other
	got, ok := e.direct(run)
	if !ok {
		return
	}
	want, err := run.run()
	require.NoError(tb, err, "%s for %#v", source, item)
	// What is not finite is an error of both; NaN would differ from itself.
	cost := sizer{left: maxResults}
	want, errWant := cost.value(want)
	if run.sized {
		require.Equal(tb, cost.left, run.results.left, "%s for %#v", source, item)
		require.NoError(tb, errWant, "%s for %#v", source, item)
	}
	got, errGot := (&sizer{left: maxResults}).value(got)
	require.Equal(tb, errWant, errGot, "%s for %#v", source, item)
	require.Equal(tb, want, got, "%s for %#v", source, item)
}

func TestDirectIsWhatTheMachineGives(t *testing.T) {
	scalars := []any{nil, true, false, 0, 3, -7, 1 << 62, 0.0, 2.5, 3.0, -1e308, "", "x", "é", []any{1, "x"}, value.Credential("test:main")}
	taken := 0
	for _, source := range directSources() {
		e := compileFor(t, source)
		require.NotNil(t, e.direct, source)
		for _, a := range scalars {
			compareDirect(t, e, source, a, a)
			for _, b := range scalars {
				item := map[string]any{"a": a, "b": b, "a b": a}
				compareDirect(t, e, source, item, map[string]any{"b": b})
				compareDirect(t, e, source, map[string]any{"a": item}, b)
				run := e.Start(t.Context(), nil)
				run.item = item
				if _, ok := e.direct(run); ok {
					taken++
				}
			}
		}
	}
	require.Greater(t, taken, 2000, "direct evaluation is hardly ever taken")
}

// What records cost is bounded, whoever makes them.
func TestDirectRecordsCost(t *testing.T) {
	for source, fit := range map[string]int{`{}`: 6, `{a: index}`: 3, `{a: item}`: 1} {
		e := compileFor(t, source)
		e.limits.results = 100
		run := e.Start(t.Context(), nil)
		for i := range fit {
			_, err := run.At(i, strings.Repeat("x", 40))
			require.NoError(t, err, source)
		}
		_, err := run.At(fit, strings.Repeat("x", 40))
		require.ErrorIs(t, err, errTooBig, source)
	}
}

func TestNotDirect(t *testing.T) {
	for _, source := range []string{
		`item?.a`, `item[0]`, `item[vars.k]`, `-item`, `item % 2`, `item ** 2`, `len(item)`, `item in [1, 2]`, `item ?? 0`, `[item]`,
		`{a: {b: item}}`, `{a: 1, a: 2}`, `let x = item; x`, `item ? 1 : 2`, `map(item, #)`,
	} {
		require.Nil(t, compileFor(t, source).direct, source)
	}
}

// FuzzDirect looks for a source for which the direct evaluation differs from the
// machine's.
func FuzzDirect(f *testing.F) {
	for _, source := range directSources() {
		f.Add(source, `{"a":1,"b":2.5,"a b":"x"}`, `{"b":[1]}`)
	}
	f.Add(`{a: item.a, a: 2, b: nil}`, `{"a":true}`, `false`)
	f.Fuzz(func(t *testing.T, source, itemText, otherText string) {
		item, errItem := value.Decode([]byte(itemText))
		other, errOther := value.Decode([]byte(otherText))
		if errItem != nil || errOther != nil {
			return
		}
		e, problems := Compile(map[string]any{"expression": source}, "expression", Acc)
		if len(problems) > 0 || e.direct == nil {
			return
		}
		compareDirect(t, e, source, item, other)
	})
}
