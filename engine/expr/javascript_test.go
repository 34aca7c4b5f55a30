package expr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What people know from JavaScript is refused before anything runs, and told how it is
// written here.
func TestJavaScriptIsRefused(t *testing.T) {
	for source, instead := range map[string]string{
		`item.list.map(x => x.name)`:      "map(list, #.name)",
		`item.list.map(#.name)`:           "map(list, #.name)",
		`item.name.toUpperCase()`:         "upper(text)",
		`item.name.trim() + "!"`:          "trim(text)",
		`map(item.a, #.b.toLowerCase())`:  "lower(text)",
		`item?.name?.toUpperCase()`:       "upper(text)",
		`item.name.frobnicate()`:          "values have no method frobnicate()",
		`Date.now()`:                      "time.now",
		`new Date()`:                      "time.now",
		`new Date(item.at).getTime()`:     "time.format",
		`now()`:                           "time.now",
		`item.a === 1`:                    "write == and !=",
		`JSON.stringify(item)`:            "toJSON(value)",
		`Object.keys(item)`:               "keys(record)",
		`Math.round(item.x)`:              "round(x)",
		`parseInt(item.x)`:                "int(text)",
		`typeof item`:                     "type(value)",
		`$json.name`:                      "item.name",
		`{{ item.name }}`:                 "without {{",
		`item.list.includes("a") ? 1 : 2`: `contains "x"`,
	} {
		_, problems := Compile(map[string]any{"expression": source}, "expression")
		require.Len(t, problems, 1, source)
		require.Equal(t, "expression", problems[0].Port)
		require.Contains(t, problems[0].Message+" "+problems[0].Hint, instead, source)
	}
}

// Methods of times are none of JavaScript, and a field may have any name.
func TestNotJavaScript(t *testing.T) {
	for _, source := range []string{
		`date("2026-01-02").Year()`, `item.map`, `item.Date`, `upper(item.trim)`, `"new Date()"`, `find([1, 2], # > 1)`, `item | filter(# > 1)`,
	} {
		e, problems := Compile(map[string]any{"expression": source}, "expression")
		require.Empty(t, problems, source)
		require.Empty(t, e.Hints(), source)
	}
}

func TestInterpolationIsDoubtful(t *testing.T) {
	for source, hints := range map[string]int{
		"`Hello, ${item.name}!`":                 1,
		`"a ${item.x} and ${item.y}"`:            1,
		"{text: `${item.a}`, more: `${item.b}`}": 1,
		"`costs 5 $`":                            0,
		`"$" + item.price`:                       0,
		`"{item}"`:                               0,
	} {
		e, problems := Compile(map[string]any{"expression": source}, "expression")
		require.Empty(t, problems, source)
		require.Len(t, e.Hints(), hints, source)
		if hints > 0 {
			require.Equal(t, "expression", e.Hints()[0].Port)
			require.Contains(t, e.Hints()[0].Message, "is not filled in")
		}
	}
}
