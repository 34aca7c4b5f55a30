package jsonnode_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

func query(t *testing.T, filter string, v any, vars record) ([]any, error) {
	t.Helper()
	wired := record{"value": v}
	if vars != nil {
		wired["vars"] = vars
	}
	out, err := nodetest.New(t, jsonnode.Plugin()).Exec("json.query", record{"filter": filter}, wired)
	if err != nil {
		return nil, err
	}
	results := out["results"].([]any)
	if len(results) == 0 {
		require.Nil(t, out["result"])
	} else {
		require.Equal(t, results[0], out["result"])
	}
	return results, nil
}

func TestQuery(t *testing.T) {
	input := record{
		"items": []any{record{"name": "a", "price": 5}, record{"name": "b", "price": 20.5}}, "id": math.MaxInt, "big": 1e300,
		"login": value.Credential("test:main"), "pic": value.Media{Kind: "image", MIME: "image/png", URL: "https://x.test/a.png"},
	}
	for filter, want := range map[string][]any{
		`.items[].name`:     {"a", "b"},
		`empty`:             {},
		`.missing`:          {nil},
		`.items | length`:   {2},
		`6 / 2`:             {3},
		`7 / 2`:             {3.5},
		`.id`:               {math.MaxInt},
		`.id + 1`:           {float64(1 << 63)},
		`.big`:              {1e300},
		`[1.0, {"a": 2.0}]`: {[]any{1, record{"a": 2}}},
		`.items[] | select(.price > $vars.limit) | .name`: {"b"},
		`$vars`:                  {record{"limit": 10}},
		`.login, .pic.url`:       {"test:main", "https://x.test/a.png"},
		`$ENV, env`:              {record{}, record{}},
		`1, halt, 2`:             {1},
		`try error("x") catch .`: {"x"},
		`limit(3; repeat(1))`:    {1, 1, 1},
		`"é" | @base64`:          {"w6k="},
		`def now: 1; now`:        {1},
		`[splits(", ")?]`:        {[]any{}},
	} {
		t.Run(filter, func(t *testing.T) {
			got, err := query(t, filter, input, record{"limit": 10})
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestQueryFailures(t *testing.T) {
	for _, tt := range []struct{ filter, code, message string }{
		{`.a.b`, node.CodeFailed, "the filter fails: expected an object"},
		{`error("no luck")`, node.CodeFailed, "no luck"},
		{`"bye" | halt_error`, node.CodeFailed, "the filter stopped: bye"},
		{`{"a":1} | halt_error`, node.CodeFailed, `the filter stopped: {"a":1}`},
		{`nan`, node.CodeNotFinite, "not finite"},
		{`[infinite]`, node.CodeNotFinite, "not finite"},
		{`now`, node.CodeInvalidConfig, "the node time.now tells the time"},
		{`def f: .a | now; 1`, node.CodeInvalidConfig, "now is not available"},
		{`range(200000)`, node.CodeLimitExceeded, "100000 results"},
		{`reduce range(2000) as $i (1; [.])`, node.CodeTypeError, "deeper than"},
		{`input`, node.CodeInvalidConfig, "input(s)/0 is not allowed"},
		{`import "a" as a; .`, node.CodeInvalidConfig, "cannot load module"},
		{`$name`, node.CodeInvalidConfig, "$name"},
		{`nope(1)`, node.CodeInvalidConfig, "nope/1"},
		{".a |\n  %", node.CodeInvalidConfig, "(line 2, character 3)"},
		{`.a[`, node.CodeInvalidConfig, "(line 1, character 4)"},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			_, err := query(t, tt.filter, record{"a": 1}, nil)
			require.Error(t, err)
			require.ErrorContains(t, err, tt.message)
			require.Equal(t, tt.code, node.CodeOf(err))
			require.True(t, node.IsPermanent(err))
		})
	}
}

// gojq shares values with its input where it can; it may write only to copies. The host
// reports a changed input.
func TestQueryNeverChangesItsInput(t *testing.T) {
	input := record{"a": []any{3, 1.0, 2}, "b": record{"c": record{"d": 1.0}}, "s": "x"}
	for _, filter := range []string{
		`.a[0] = 9`, `.a[0] |= . + 1`, `.a |= sort`, `.a |= reverse`, `.b.c.d += 1`, `.b.c.e = 1`, `del(.a[0])`, `del(.b.c)`, `delpaths([["b","c","d"]])`,
		`setpath(["b","c","d"]; 5)`, `.a[1:] = []`, `.a += [4]`, `.b * {"c":{"d":2}}`, `with_entries(.value = 1)`, `to_entries`, `walk(if type == "number" then . + 1 else . end)`,
		`reduce range(3) as $i (.; .a[$i] = $i)`, `reduce range(3) as $i (.a; . + [$i])`, `foreach range(3) as $i (.; .b.c.d = $i)`, `.. |= .`,
		`.a | sort_by(.) | .[0] = 1`, `[.a[] = 1, .a]`, `.a as $x | ($x | .[0] = 7), $x`, `limit(2; .a[] |= empty)`,
		`.a | map(.)`, `getpath(["b"]) | .c = 1`, `[.a, .a] | .[0][0] = 5`, `.b | [., .] | .[0].c.d = 5`, `.a | add, min, max, unique, flatten`,
	} {
		_, err := query(t, filter, input, input)
		require.NoError(t, err, filter)
	}
}

func TestQueryStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := nodetest.New(t, jsonnode.Plugin()).ExecContext(ctx, "json.query", record{"filter": "last(range(1e12))"}, record{"value": nil})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestQueryTakesNoWireAsFilter(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	require.NotEmpty(t, h.Problems("json.query", record{"filter": "."}, "value", "filter"))
	require.Equal(t, "missing_required_input", h.Problems("json.query", nil, "value")[0].Code)
	long := make([]byte, 20_000)
	for i := range long {
		long[i] = '['
	}
	require.Contains(t, h.Problems("json.query", record{"filter": string(long)}, "value")[0].Message, "longer than")
	require.Contains(t, h.Problems("json.query", record{"filter": string(long[:16<<10])}, "value")[0].Message, "unexpected EOF")
}

// TestQueriesShareNothing runs filters that delete from the same value concurrently, for
// the race detector.
func TestQueriesShareNothing(t *testing.T) {
	shared := map[string]any{"a": []any{map[string]any{"b": 1, "c": 2}, 3}}
	var group sync.WaitGroup
	for _, filter := range []string{"del(.a[0].b)", "delpaths([[\"a\",0,\"b\"]])", "(.a[] | select(. == 3)) |= empty", ".a[0].c"} {
		h := nodetest.New(t, jsonnode.Plugin())
		group.Go(func() {
			for range 50 {
				if _, err := h.Exec("json.query", map[string]any{"filter": filter}, map[string]any{"value": shared}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, map[string]any{"a": []any{map[string]any{"b": 1, "c": 2}, 3}}, shared)
}
