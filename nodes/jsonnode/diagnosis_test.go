package jsonnode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestAByteOrderMarkIsNoError(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	out, err := h.Exec("json.parse", nil, map[string]any{"text": "\ufeff{\"a\":1}"})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"value": map[string]any{"a": 1}, "ok": true, "error": nil}, out)
}

func TestErrorsSayWhereAndWhatIsNoJSON(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for text, wants := range map[string][]string{
		"{\n  // name\n  \"a\": 1}":    {"line 2, column 3", "JSON has no comments"},
		"{\"a\": 1, /* x */ \"b\": 2}": {"line 1, column ", "JSON has no comments"},
		"# x\n{}":                      {"line 1, column 1", "JSON has no comments"},
		"[1,\n2,\n]":                   {"line ", "no comma may follow the last value"},
		"{\"a\":1,}":                   {"line 1, column ", "no comma may follow the last value"},
		"{\"é\": NaN}":                 {"line 1, column 7", "use null"},
		"[-Infinity]":                  {"line 1", "use null"},
		"{'a': 1}":                     {"line 1, column 2", "double quotes"},
		"[True]":                       {"line 1, column 2", "small letters"},
		"{\"a\":1}\n{\"a\":2}\n":       {"line 2, column 1", "JSON Lines"},
		"<html>":                       {"line 1, column 1", "XML or HTML"},
		"{\u201ca\u201d: 1}":           {"line 1, column 2", "quotes have to be straight"},
	} {
		out, err := h.Exec("json.parse", nil, map[string]any{"text": text})
		require.NoError(t, err)
		require.Equal(t, false, out["ok"], text)
		for _, want := range wants {
			require.Contains(t, out["error"], want, text)
		}
	}
}
