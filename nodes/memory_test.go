package nodes_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
)

// TestMakersAskFirst makes nodes create large values in runs with little memory. The nodes
// must reserve the memory before they allocate it.
func TestMakersAskFirst(t *testing.T) {
	const mib = 1 << 20
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large.txt"), []byte(strings.Repeat("x", 4*mib)), 0o600))
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir})
	require.NoError(t, err)
	registry, err := node.NewRegistry(nodes.Builtin(env)...)
	require.NoError(t, err)

	numbers := "[" + strings.TrimSuffix(strings.Repeat("1,", mib/2), ",") + "]"
	text := strings.Repeat("x ", mib/2)
	for _, tt := range []struct {
		typ    string
		config config
	}{
		{"json.query", config{"filter": "[range(200000)]|map({a:.})", "value": nil}},
		{"text.format", config{"template": "{a}{a}{a}{a}{a}{a}{a}{a}", "a": text}},
		{"text.join", config{"parts": []any{text, text, text, text, text, text}}},
		{"text.replace", config{"text": text, "find": "x", "replacement": "xxxxxxxxxxxx"}},
		{"text.encode", config{"text": strings.Repeat(text, 4), "format": "hex"}},
		{"text.split", config{"text": text, "delimiter": " "}},
		{"json.parse", config{"text": numbers}},
		{"json.parse", config{"text": "[" + strings.TrimSuffix(strings.Repeat("{},", 50_000), ",") + "]"}},
		{"json.stringify", config{"value": []any{text, text, text, text}}},
		{"listops.zip", config{"listA": make([]any, 100_000), "listB": make([]any, 100_000)}},
		{"listops.range", config{"end": 500_000}},
		{"listops.map", config{"list": make([]any, 50_000), "expression": "{a: index}"}},
		{"listops.sort", config{"list": make([]any, 500_000)}},
		{"listops.group_by", config{"list": make([]any, 50_000), "by": "index"}},
		{"listops.concat", config{"lists": []any{make([]any, 300_000), make([]any, 300_000)}}},
		{"listops.flatten", config{"list": []any{make([]any, 300_000)}}},
		{"io.file_read", config{"path": "large.txt"}},
	} {
		t.Run(tt.typ, func(t *testing.T) {
			def := &workflow.Definition{ID: "side"}
			for i := range 3 {
				def.Nodes = append(def.Nodes, workflow.Node{ID: fmt.Sprint("n", i), Type: tt.typ, Config: tt.config})
			}
			plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
			require.NoError(t, err)
			run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{Memory: -1})
			require.NoError(t, err)
			require.Nil(t, run.Err())

			local := &engine.Local{}
			run, err = local.Run(t.Context(), plan, engine.Options{Memory: 6 * mib})
			require.NoError(t, err)
			require.NotNil(t, run.Err())
			require.Equal(t, node.CodeLimitExceeded, run.Err().Code, run.Err().Message)
			require.Contains(t, run.Err().Message, "6144 KiB")
			require.NotEmpty(t, run.Err().NodeID)
			for id, n := range run.Result().Nodes {
				require.Nil(t, n.Outputs, id+" made more than the run may hold before it asked")
			}
			require.Zero(t, local.Memory.Held())
		})
	}
}

// Many short answers at once reserve only the memory that they need.
func TestShortAnswersTakeLittle(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	defer server.Close()
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: t.TempDir(), AllowHTTP: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	require.NoError(t, err)
	registry, err := node.NewRegistry(nodes.Builtin(env)...)
	require.NoError(t, err)
	def := &workflow.Definition{ID: "asks"}
	for i := range 20 {
		def.Nodes = append(def.Nodes, workflow.Node{ID: fmt.Sprint("n", i), Type: "io.http_request", Config: config{"url": server.URL}})
	}
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	require.NoError(t, err)
	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{Memory: 256 << 10})
	require.NoError(t, err)
	require.Nil(t, run.Err())
}
