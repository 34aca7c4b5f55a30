package jsonnode_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestSpecs(t *testing.T) { nodetest.Check(t, jsonnode.Plugin()) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, jsonnode.Plugin(), map[string][]map[string]any{
		"json.query": {
			nil,
			{"filter": "."},
			{"filter": ".[]?"},
			{"filter": "..|numbers"},
			{"filter": "tojson,$vars"},
			{"filter": "[paths]"},
			{"filter": "(.. | numbers) |= . + 1"},
			{"filter": "to_entries"},
			{"filter": "[.,$vars]|add"},
		},
		"json.build": {{"inputs": []any{"k1"}, "fields": map[string]any{"a": "=k1", "b": []any{"=type(k1)"}}}},
		"json.path":  {{"path": "$..*"}, {"path": "$.k1[?@.k2 == 1 || length(@) > 1]"}, {"path": "$[-1:]"}},
		"json.convert": {
			{"to": "string"},
			{"to": "int"},
			{"to": "float?"},
			{"to": "bool"},
			{"to": "enum(a|b)"},
			{"to": "list<string>"},
			{"to": "record"},
			{"to": "record{k1:int,k2:list<any>?}"},
			{"to": "media"},
			{"to": "credential?"},
		},
	})
}

func TestParse(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for text, want := range map[string]any{
		`null`:                    nil,
		` [1, 2.5, "a", true]`:    []any{1, 2.5, "a", true},
		`{"a":1,"a":2}`:           map[string]any{"a": 2},
		`9007199254740993`:        9007199254740993,
		`"\ud800"`:                "\ufffd",
		`{"a":{"b":[]},"c":null}`: map[string]any{"a": map[string]any{"b": []any{}}, "c": nil},
	} {
		out, err := h.Exec("json.parse", nil, map[string]any{"text": text})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"value": want, "ok": true, "error": nil}, out, text)
	}
	for _, text := range []string{``, `{`, `[1,]`, `nul`, `1 2`, `1e999`} {
		out, err := h.Exec("json.parse", nil, map[string]any{"text": text})
		require.NoError(t, err)
		require.Equal(t, false, out["ok"], text)
		require.Nil(t, out["value"])
		require.Contains(t, out["error"], "line 1, column ")
	}
}

func TestStringify(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	v := map[string]any{"b": []any{1, 2.0, 0.5, "é\n"}, "a": nil}
	out, err := h.Exec("json.stringify", nil, map[string]any{"value": v})
	require.NoError(t, err)
	require.Equal(t, `{"a":null,"b":[1,2,0.5,"é\n"]}`, out["text"])
	out, err = h.Exec("json.stringify", map[string]any{"pretty": true}, map[string]any{"value": v})
	require.NoError(t, err)
	require.Equal(t, "{\n  \"a\": null,\n  \"b\": [\n    1,\n    2,\n    0.5,\n    \"é\\n\"\n  ]\n}", out["text"])
	out, err = h.Exec("json.stringify", map[string]any{"value": math.MaxInt}, nil)
	require.NoError(t, err)
	require.Equal(t, `9223372036854775807`, out["text"])
}

func TestStringifyIsBounded(t *testing.T) {
	v := slices.Repeat([]any{strings.Repeat("x", 1<<20)}, 65)
	h := nodetest.New(t, jsonnode.Plugin())
	_, err := h.Exec("json.stringify", nil, map[string]any{"value": v})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))

	deep := any(make([]any, 100_000))
	for range 900 {
		deep = []any{deep}
	}
	_, err = h.Exec("json.stringify", map[string]any{"pretty": true}, map[string]any{"value": deep})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), "short, but not when it is indented")
}
