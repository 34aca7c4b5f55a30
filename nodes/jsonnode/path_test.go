package jsonnode_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/nodetest/suites"
)

// complianceCase is one test of the JSONPath Compliance Test Suite.
type complianceCase struct {
	Name, Selector string
	Document       json.RawMessage
	Result         []json.RawMessage
	Results        [][]json.RawMessage
	ResultPaths    []string   `json:"result_paths"`
	ResultsPaths   [][]string `json:"results_paths"`
	Invalid        bool       `json:"invalid_selector"`
}

func TestConformanceWithJSONPath(t *testing.T) {
	var suite struct{ Tests []complianceCase }
	require.NoError(t, json.Unmarshal(suites.Read(t, "jsonpath-cts/cts.json"), &suite))
	require.Len(t, suite.Tests, 703)
	h := nodetest.New(t, jsonnode.Plugin())
	for _, c := range suite.Tests {
		t.Run(c.Name, func(t *testing.T) {
			if c.Invalid {
				problems := h.Problems("json.path", record{"path": c.Selector}, "value")
				require.Len(t, problems, 1, c.Selector)
				require.Equal(t, "path", problems[0].Port)
				return
			}
			document, err := value.Decode(c.Document)
			require.NoError(t, err)
			out, err := h.Exec("json.path", record{"path": c.Selector}, record{"value": document})
			require.NoError(t, err, c.Selector)
			c.check(t, out)
		})
	}
}

// check accepts any of the results that the suite allows.
func (c complianceCase) check(t *testing.T, out record) {
	t.Helper()
	results, paths := append(c.Results, c.Result), append(c.ResultsPaths, c.ResultPaths)
	if len(c.Results) > 0 {
		results, paths = c.Results, c.ResultsPaths
	}
	var printed []string
	for i, r := range results {
		list := []any{}
		for _, text := range r {
			v, err := value.Decode(text)
			require.NoError(t, err)
			list = append(list, v)
		}
		where := []any{}
		for _, p := range paths[i] {
			where = append(where, p)
		}
		printed = append(printed, string(value.Encode([]any{list, where})))
	}
	got := string(value.Encode([]any{out["results"], out["paths"]}))
	require.Contains(t, printed, got, c.Selector)
}

func selectPath(t *testing.T, path string, v any) (record, error) {
	t.Helper()
	return nodetest.New(t, jsonnode.Plugin()).Exec("json.path", record{"path": path}, record{"value": v})
}

func TestPath(t *testing.T) {
	shop := record{"items": []any{
		record{"id": 9007199254740993, "price": 5, "name": "b"}, record{"id": 2, "price": 20.5, "name": "a", "tags": []any{"x"}},
	}, "limit": 10, "pic": value.Media{Kind: "image", MIME: "image/png", URL: "https://x.test/a.png"}}
	for path, want := range map[string][]any{
		`$.items[?@.price < $.limit].id`: {9007199254740993},
		`$..name`:                        {"b", "a"},
		`$.items[-1]['id','price']`:      {2, 20.5},
		`$.items[::-1].name`:             {"a", "b"},
		`$.items[?@.tags].name`:          {"a"},
		`$.items[?match(@.name,'[a]')]`:  {shop["items"].([]any)[1]},
		`$.pic.url`:                      {"https://x.test/a.png"},
		`$.none`:                         {},
	} {
		out, err := selectPath(t, path, shop)
		require.NoError(t, err, path)
		require.Equal(t, want, out["results"], path)
		require.Equal(t, len(want) > 0, out["found"])
		if len(want) > 0 {
			require.Equal(t, want[0], out["result"])
		}
	}
	out, err := selectPath(t, `$.*`, record{"b": 1, "a": nil, "c'": 2})
	require.NoError(t, err)
	require.Equal(t, []any{`$['a']`, `$['b']`, `$['c\'']`}, out["paths"], "by name")
	require.Nil(t, out["result"])
	require.Equal(t, true, out["found"], "null is something")
}

func TestPathProblems(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for path, want := range map[string]string{
		`$.a[`:                             "position 5",
		`a`:                                "position 1",
		`$[?@.a==]`:                        "position 9",
		`$[?x(@)]`:                         "unknown function x()",
		"$." + strings.Repeat("a", 20_000): "longer than",
	} {
		require.Contains(t, h.Problems("json.path", record{"path": path}, "value")[0].Message, want)
	}
	_ = h.Problems("json.path", record{"path": "$[?" + strings.Repeat("(", 16_000)}, "value") // no stack overflow
	require.NotEmpty(t, h.Problems("json.path", record{"path": "$"}, "value", "path"), "config only")
}

// Without limits, each of these would run for hours or exhaust the memory.
func TestPathIsBounded(t *testing.T) {
	deep := any(1)
	for range 900 {
		deep = []any{deep, 1}
	}
	wide := slices.Repeat([]any{record{"a": 1}}, 3000)
	for _, path := range []string{
		`$..*..*..*..*..*`,
		`$` + strings.Repeat(`[*,*,*,*]`, 20),
		`$[?@..*..*..*..x]`,
		`$..[?$..[?$..[?$..x]]]`,
		`$[?count($..*) > count($..*..x)]`,
		`$[?@` + strings.Repeat(`[0,0,0,0]`, 30) + `]`,
	} {
		for _, v := range []any{deep, wide, slices.Repeat([]any{wide}, 10)} {
			start := time.Now()
			out, err := selectPath(t, path, v)
			if err != nil {
				require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), path)
				require.True(t, node.IsPermanent(err))
			} else {
				require.Empty(t, out["results"], path)
			}
			require.Less(t, time.Since(start), time.Minute, path)
		}
	}
}

func TestPathStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list := slices.Repeat([]any{[]any{1}}, 1000)
	_, err := nodetest.New(t, jsonnode.Plugin()).ExecContext(ctx, "json.path", record{"path": "$..*"}, record{"value": list})
	require.ErrorIs(t, err, context.Canceled)
}

// FuzzPath searches for a path that crashes the parser or the evaluation.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{`$.a[?@.b>1].c`, `$..[::-2]`, `$['a',0,*][?length(@)==2 || !@.x]`, `$[9223372036854775807:-9223372036854775808:-3]`, `$[?search(@,"a|(b*)*")]`} {
		f.Add(seed)
	}
	v := record{"a": []any{1, record{"b": 2, "c": []any{"x", 2.5, nil}}}, "x": "aabb", "": true}
	f.Fuzz(func(t *testing.T, path string) {
		out, err := selectPath(t, path, v)
		if err == nil {
			require.Len(t, out["paths"], len(out["results"].([]any)))
		}
	})
}
