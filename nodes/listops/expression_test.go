package listops_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/listops"
	"github.com/svcflow/svc/nodes/nodetest"
)

func record(pairs ...any) map[string]any {
	r := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		r[pairs[i].(string)] = pairs[i+1]
	}
	return r
}

// mapOne evaluates an expression for one item.
func mapOne(t *testing.T, expression string, item any, vars map[string]any) (any, error) {
	t.Helper()
	out, err := nodetest.New(t, listops.Plugin()).Exec("listops.map",
		map[string]any{"expression": expression}, map[string]any{"list": []any{item}, "vars": vars})
	if err != nil {
		return nil, err
	}
	return out["result"].([]any)[0], nil
}

func TestExpressionResults(t *testing.T) {
	item := record("name", "Ada", "price", 2.5, "qty", 4, "tags", []any{"b", "a"}, "sub", record("x", 1), "when", "2024-02-03")
	for expression, want := range map[string]any{
		`item.name`:                    "Ada",
		`item.missing`:                 nil,
		`item.missing?.deeper`:         nil,
		`item.price * item.qty`:        10.0,
		`item.qty + index`:             4,
		`7 / 2`:                        3.5,
		`item["name"] + "!"`:           "Ada!",
		`vars.limit`:                   3,
		`vars.none`:                    nil,
		`{n: item.name, s: item.sub}`:  record("n", "Ada", "s", record("x", 1)),
		`1..3`:                         []any{1, 2, 3},
		`map(item.tags, upper(#))`:     []any{"B", "A"},
		`sort(item.tags)`:              []any{"a", "b"},
		`groupBy([1, 2, 3], # > 1)`:    record("true", []any{2, 3}, "false", []any{1}),
		`sum([1, 2, 3], # * item.qty)`: 24,
		`split("a,b", ",")`:            []any{"a", "b"},
		`keys({"g": 1, "e": 1, "f": 1, "d": 1, "b": 1, "c": 1, "a": 2})`: []any{"a", "b", "c", "d", "e", "f", "g"},
		`values({"b": 1, "a": 2})`:                                       []any{2, 1},
		`toPairs({"b": 1, "a": 2})`:                                      []any{[]any{"a", 2}, []any{"b", 1}},
		`fromPairs([["a", 1]])`:                                          record("a", 1),
		`string(item.sub) + string(1.50) + "x"`:                          `{"x":1}1.5x`,
		`toJSON(item.tags)`:                                              `["b","a"]`,
		`repeat("ab", 2)`:                                                "abab",
		`replace("aXbX", "X", "--")`:                                     "a--b--",
		`join(item.tags, "+")`:                                           "b+a",
		`uniq([1, 1, 2])`:                                                []any{1, 2},
		`date(item.when)`:                                                "2024-02-03T00:00:00Z",
		`duration("90m")`:                                                "1h30m0s",
		`date(item.when).Year()`:                                         2024,
		`"é"[0:1]`:                                                       "é",
		`let x = item.qty; x * x`:                                        16,
		`item.qty > 3 ? "many" : "few"`:                                  "many",
		`any(item.tags, # == "a") and true`:                              true,
		`len(filter(item.tags, # != "a"))`:                               1,
		`reduce([1, 2, 3], #acc + #, 0)`:                                 6,
	} {
		t.Run(expression, func(t *testing.T) {
			got, err := mapOne(t, expression, item, record("limit", 3))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestExpressionFailures(t *testing.T) {
	for _, tt := range []struct{ expression, code, message string }{
		{`1 / 0`, node.CodeNotFinite, "item 0"},
		{`[item.qty / 0]`, node.CodeNotFinite, "item 0"},
		{`item.missing.deeper`, node.CodeFailed, "(line 1, character 14)"},
		{`item.name - 1`, node.CodeFailed, "string"},
		{`timezone("UTC")`, node.CodeTypeError, "cannot leave an expression"},
		{`groupBy([1, "1"], #)`, node.CodeTypeError, `two keys of a record read "1"`},
		{`join([1])`, node.CodeFailed, "map(list, string(#))"},
		{`[1][3]`, node.CodeFailed, "out of range"},
		{`5 % (index * 1)`, node.CodeFailed, "divide by zero"},
	} {
		t.Run(tt.expression, func(t *testing.T) {
			_, err := mapOne(t, tt.expression, record("name", "Ada", "qty", 1), nil)
			require.Error(t, err)
			require.Equal(t, tt.code, node.CodeOf(err), "%v", err)
			require.True(t, node.IsPermanent(err))
			require.Contains(t, err.Error(), tt.message)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestExpressionProblems(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	for expression, message := range map[string]string{
		``:                                     "",
		`item.`:                                "line 1, character 5",
		"item.a +\n  nope":                     "unknown name nope (line 2, character 3)",
		`now()`:                                "unknown name now",
		`$env`:                                 "$env is not available",
		`map(1..3, $env)`:                      "$env is not available",
		`"a" * 2`:                              "invalid operation",
		`upper(1)`:                             "upper",
		strings.Repeat("(", 20_000):            "longer than",
		strings.Repeat("1+", 5_000) + "1":      "exceeds",
		strings.Repeat("[", 8_000):             "",
		strings.Repeat("-", 15_000) + "1":      "",
		`~meter`:                               "",
		`__import__("os")`:                     "unknown name",
		`readFile("/etc/passwd")`:              "unknown name",
		strings.Repeat("map([1], ", 500) + ")": "",
	} {
		problems := h.Problems("listops.map", map[string]any{"expression": expression}, "list")
		require.Len(t, problems, 1, "%.40s", expression)
		require.Equal(t, "expression", problems[0].Port)
		require.Contains(t, problems[0].Message, message)
		require.NotContains(t, problems[0].Message, "\n")
	}
	problems := h.Problems("listops.filter", map[string]any{"expression": `1 + 1`}, "list")
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "gives int; it has to give true or false")
	require.Empty(t, h.Problems("listops.filter", map[string]any{"expression": `item.x`}, "list"))
	require.Equal(t, "missing_required_input", h.Problems("listops.map", nil, "list")[0].Code)
	require.Len(t, h.Problems("listops.map", map[string]any{"expression": "item"}, "list", "expression"), 1, "the expression is literal")
}

func TestExpressionStopsWithItsContext(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	list := slices.Repeat([]any{1}, 10_000)
	for _, expression := range []string{
		`all(vars.list, all(vars.list, all(vars.list, # > 0)))`, // one item takes very long
		`count(vars.list, # > 0) > 1`,                           // many items
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := h.ExecContext(ctx, "listops.filter", map[string]any{"expression": expression},
			map[string]any{"list": list, "vars": record("list", list)})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(start), time.Minute)
	}
}

func TestExpressionsShareNothing(t *testing.T) {
	item := record("tags", []any{"b", "a"}, "sub", record("x", 1))
	vars := record("m", maps.Clone(item))
	for _, expression := range []string{
		`sort(item.tags)`, `reverse(item.tags)`, `concat(item.tags, ["c"])`, `map(item.tags, # + "!")`, `flatten([item.tags, vars.m.tags])`,
		`sortBy(item.tags, #)`, `take(item.tags, 1)`, `filter(item.tags, # == "a")`, `{a: item, b: date("2024-01-01")}`, `[item, vars]`,
	} {
		_, err := mapOne(t, expression, item, vars) // the host detects changes of the item
		require.NoError(t, err)
	}
}

// Expressions see credentials and media as the text and the record that they are in JSON.
func TestSpecialValuesLookPlain(t *testing.T) {
	media := value.Media{Kind: "image", MIME: "image/png", URL: "https://example.com/a.png"}
	wire := record("kind", "image", "mime", "image/png", "url", "https://example.com/a.png")
	item := record("photo", media, "ref", value.Credential("test:main"), "all", []any{media, nil}, "none", nil)
	for expression, want := range map[string]any{
		`item.photo`:                                         wire,
		`item.photo.url`:                                     wire["url"],
		`item.photo.path`:                                    nil,
		`item.photo?.url`:                                    wire["url"],
		`item?.photo.url`:                                    wire["url"],
		`item?.photo?.path?.x`:                               nil,
		`item.none?.photo.url`:                               nil,
		`item["photo"]["mime"]`:                              "image/png",
		`item[vars.key].kind`:                                "image",
		`item.all[0].kind`:                                   "image",
		`item.all[1]?.kind`:                                  nil,
		`map(item.all, #?.mime)`:                             []any{"image/png", nil},
		`find(item.all, #.kind == "image").url`:              wire["url"],
		`first(item.all) == item.photo`:                      true,
		`reduce([1], #acc.kind, item.photo)`:                 "image",
		`keys(item.photo)`:                                   []any{"kind", "mime", "url"},
		`type(item.photo) + type(item.ref)`:                  "mapstring",
		`item.ref == "test:main"`:                            true,
		`item.ref + "!"`:                                     "test:main!",
		`upper(item.ref)`:                                    "TEST:MAIN",
		`item.ref in ["test:main"]`:                          true,
		`item.ref matches "^test:"`:                          true,
		`[item.ref, item.photo.kind]`:                        []any{"test:main", "image"},
		`toJSON(item.all)`:                                   `[{"kind":"image","mime":"image/png","url":"https://example.com/a.png"},null]`,
		`item.photo == vars.photo and vars.photo.url != nil`: true,
	} {
		got, err := mapOne(t, expression, item, record("key", "photo", "photo", media))
		require.NoError(t, err, expression)
		require.Equal(t, want, got, expression)
	}
	for expression, want := range map[string]any{`item`: wire, `item.mime`: "image/png", `item?.mime`: "image/png"} {
		got, err := mapOne(t, expression, media, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := mapOne(t, `item.Network()`, value.Credential("test:main"), nil)
	require.Error(t, err, "no Go methods")
}

func TestChains(t *testing.T) {
	item := record("a", record("b", record("c", 1), "list", []any{record("x", 2)}), "none", nil)
	for expression, want := range map[string]any{
		`item?.a?.b?.c`: 1, `item?.a.b.c`: 1, `item.none?.b.c.d`: nil, `item.none?.b ?? 3`: 3, `item?.a.list[0].x`: 2, `item?.a.list[0]?.x`: 2,
		`item?.["a"]?.b.c`: 1, `(item?.none)?.x`: nil,
	} {
		got, err := mapOne(t, expression, item, nil)
		require.NoError(t, err, expression)
		require.Equal(t, want, got, expression)
	}
	for _, expression := range []string{`item?.none.x`, `item.none.x`, `item.a?.none.x`} {
		_, err := mapOne(t, expression, item, nil)
		require.Error(t, err, expression)
	}
}

func TestMatches(t *testing.T) {
	for expression, want := range map[string]any{
		`item matches "^a+$"`: true, `item matches vars.p`: false, `not (item matches "b")`: true, `vars.none matches "a"`: false, `item matches vars.none`: false,
		`count(["ab", "c"], # matches vars.p)`: 1,
	} {
		got, err := mapOne(t, expression, "aaa", record("p", "b$"))
		require.NoError(t, err, expression)
		require.Equal(t, want, got, expression)
	}
	for _, expression := range []string{`item matches vars.bad`, `vars.n matches "a"`, `vars.list matches "a"`, `item matches vars.long`} {
		_, err := mapOne(t, expression, "aaa", record("bad", "(", "n", 1, "list", []any{}, "long", strings.Repeat("a", 17<<10)))
		require.Equal(t, node.CodeFailed, node.CodeOf(err), expression)
	}
	for _, pattern := range []string{"(", strings.Repeat("a", 16300)} {
		require.Len(t, nodetest.New(t, listops.Plugin()).Problems("listops.map", map[string]any{"expression": `item matches "` + pattern + `" and item matches "["`}, "list"), 1)
	}
}

// FuzzExpression searches for an expression that panics, outlives its context or returns
// something that is not a value.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		`item.k1 + 1`, `{a: item, b: [index]}`, `map(1..3, # * 2)`, `reduce(1..9, #acc + #, 0)`, `let x = item; x?.y ?? vars.z`, `groupBy(vars.l, # % 2)`,
		`sort(keys(vars))`, `item matches "a+"`, `filter(vars.l, {let y = #; y > 1})`, `date("2024-01-01").Unix()`, `vars.l[1:] | sum()`, `upper(string(item))[0:2]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		h := nodetest.New(t, listops.Plugin())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = h.ExecContext(ctx, "listops.map", map[string]any{"expression": strings.ToValidUTF8(source, "?")},
			map[string]any{"list": []any{nil, 1, "a", record("k1", 2)}, "vars": record("l", []any{1, 2, 3})})
	})
}
