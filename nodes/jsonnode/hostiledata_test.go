package jsonnode_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

// A search takes time in proportion to the size of the text times that of the pattern, and
// cannot be interrupted.
func TestRegularExpressionsAreBounded(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	const slow = `(((a{0,10}){0,10}){0,10})b`
	text := []any{strings.Repeat("a", 1_000_000)}
	for _, tt := range []struct {
		node   string
		config record
	}{
		{"json.path", record{"path": `$[?search(@, "` + slow + `")]`}},
		{"json.path", record{"path": `$[?match(@, "` + slow + `")]`}},
		{"json.path", record{"path": `$[?search(@, "` + strings.Repeat(`(a{1000}){1}`, 100) + `")]`}},
		{"json.validate", record{"schema": record{"items": record{"pattern": slow}}}},
		{"json.query", record{"filter": `.[] | test("` + slow + `")`}},
		{"json.query", record{"filter": `.[] | gsub("a"; "b")`}},
	} {
		_, err := h.Exec(tt.node, tt.config, record{"value": text})
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), tt.config)
		require.True(t, node.IsPermanent(err))
	}
	for _, tt := range []struct {
		node   string
		config record
	}{
		{"json.path", record{"path": `$[?search(@, "^a+$")]`}},
		{"json.validate", record{"schema": record{"items": record{"pattern": "^a+$"}}}},
		{"json.query", record{"filter": `.[] | test("^a+$")`}},
		{"json.query", record{"filter": `.[] | gsub("a+"; "b")`}},
	} {
		_, err := h.Exec(tt.node, tt.config, record{"value": text})
		require.NoError(t, err, tt.config)
	}
	require.NotEmpty(t, h.Problems("json.validate", record{"schema": record{"pattern": strings.Repeat(`(a{1000}){1}`, 100)}}, "value"))
}

// Queries see media and credentials in their JSON form.
func TestMediaAndCredentialsLookLikeJSON(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	v := record{
		"file": value.Media{Kind: "image", MIME: "image/png", Path: "a.png"}, "login": value.Credential("test:main"),
		"link": value.Media{Kind: "image", MIME: "image/png", URL: "https://x.test/a.png"},
	}
	plain, err := value.Decode(value.Encode(v))
	require.NoError(t, err)
	for _, tt := range []struct {
		node   string
		config record
	}{
		{"json.query", record{"filter": "."}},
		{"json.query", record{"filter": `with_entries(.)`}},
		{"json.path", record{"path": "$"}},
	} {
		out, err := h.Exec(tt.node, tt.config, record{"value": v})
		require.NoError(t, err)
		require.Equal(t, plain, out["result"], tt.node)
	}
	out, err := h.Exec("json.query", record{"filter": "$vars"}, record{"value": nil, "vars": v})
	require.NoError(t, err)
	require.Equal(t, plain, out["result"])
	out, err = h.Exec("json.path", record{"path": `$[?@.kind == "image" && @.mime].path`}, record{"value": v})
	require.NoError(t, err)
	require.Equal(t, []any{"a.png"}, out["results"])
	out, err = h.Exec("json.validate", record{"schema": record{"const": plain}}, record{"value": v})
	require.NoError(t, err)
	require.Equal(t, true, out["valid"])
}
