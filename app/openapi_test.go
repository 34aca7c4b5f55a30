package app

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/nodetest/suites"
)

// survey reads the description of an HTTP API and reports figures about it.
const survey = `{"id":"survey","name":"Survey of an API","nodes":[
	{"id":"file","type":"io.input","config":{"name":"file","type":"string","required":true}},
	{"id":"read","type":"io.file_read"},
	{"id":"parse","type":"json.parse"},
	{"id":"title","type":"json.query","config":{"filter":".info.title"}},
	{"id":"paths","type":"json.query","config":{"filter":".paths | keys"}},
	{"id":"count","type":"listops.length"},
	{"id":"operations","type":"json.query","config":{"filter":"[.paths[] | to_entries[] | {method: .key, tags: (.value.tags // []), id: .value.operationId}]"}},
	{"id":"methods","type":"json.query","config":{"filter":"group_by(.method) | map({key: .[0].method, value: length}) | from_entries"}},
	{"id":"tags","type":"json.query","config":{"filter":"[.[].tags[]] | unique"}},
	{"id":"gets","type":"listops.filter","config":{"expression":"item.method == \"get\""}},
	{"id":"getIDs","type":"listops.map","config":{"expression":"item.id"}},
	{"id":"report","type":"text.format","config":{"template":"{title}: {paths} paths, {operations} by method"}},
	{"id":"out-report","type":"io.output","config":{"name":"report"}},
	{"id":"out-paths","type":"io.output","config":{"name":"paths"}},
	{"id":"out-methods","type":"io.output","config":{"name":"methods"}},
	{"id":"out-tags","type":"io.output","config":{"name":"tags"}},
	{"id":"out-gets","type":"io.output","config":{"name":"gets"}}],
"connections":[
	{"fromNodeId":"file","fromPort":"value","toNodeId":"read","toPort":"path"},
	{"fromNodeId":"read","fromPort":"content","toNodeId":"parse","toPort":"text"},
	{"fromNodeId":"parse","fromPort":"value","toNodeId":"title","toPort":"value"},
	{"fromNodeId":"parse","fromPort":"value","toNodeId":"paths","toPort":"value"},
	{"fromNodeId":"parse","fromPort":"value","toNodeId":"operations","toPort":"value"},
	{"fromNodeId":"paths","fromPort":"result","toNodeId":"count","toPort":"list"},
	{"fromNodeId":"operations","fromPort":"result","toNodeId":"methods","toPort":"value"},
	{"fromNodeId":"operations","fromPort":"result","toNodeId":"tags","toPort":"value"},
	{"fromNodeId":"operations","fromPort":"result","toNodeId":"gets","toPort":"list"},
	{"fromNodeId":"gets","fromPort":"result","toNodeId":"getIDs","toPort":"list"},
	{"fromNodeId":"title","fromPort":"result","toNodeId":"report","toPort":"title"},
	{"fromNodeId":"count","fromPort":"length","toNodeId":"report","toPort":"paths"},
	{"fromNodeId":"methods","fromPort":"result","toNodeId":"report","toPort":"operations"},
	{"fromNodeId":"report","fromPort":"result","toNodeId":"out-report","toPort":"value"},
	{"fromNodeId":"count","fromPort":"length","toNodeId":"out-paths","toPort":"value"},
	{"fromNodeId":"methods","fromPort":"result","toNodeId":"out-methods","toPort":"value"},
	{"fromNodeId":"tags","fromPort":"result","toNodeId":"out-tags","toPort":"value"},
	{"fromNodeId":"getIDs","fromPort":"result","toNodeId":"out-gets","toPort":"value"}]}`

// apiFigures is what survey reports, counted in another way.
type apiFigures struct {
	title   string
	paths   int
	methods map[string]int
	tags    map[string]bool
	gets    map[string]bool // ids of the operations
}

func countAPI(t *testing.T, text []byte) apiFigures {
	t.Helper()
	var api struct {
		Info  struct{ Title string }
		Paths map[string]map[string]struct {
			OperationID string
			Tags        []string
		}
	}
	require.NoError(t, json.Unmarshal(text, &api))
	f := apiFigures{title: api.Info.Title, paths: len(api.Paths), methods: map[string]int{}, tags: map[string]bool{}, gets: map[string]bool{}}
	for _, path := range api.Paths {
		for method, operation := range path {
			f.methods[method]++
			for _, tag := range operation.Tags {
				f.tags[tag] = true
			}
			if method == "get" {
				f.gets[operation.OperationID] = true
			}
		}
	}
	return f
}

func TestConformanceOfAnAPIDescription(t *testing.T) {
	const name = "x-openapi.json"
	want := countAPI(t, suites.Read(t, name))
	require.Greater(t, want.paths, 50, "this is a real API")

	env, err := nodes.Sandbox(nodes.Policy{FilesDir: filepath.Dir(suites.Path(t, name))})
	require.NoError(t, err)
	a := newTestApp(t, Config{Env: env})
	ended, err := a.ExecuteJSON(t.Context(), []byte(survey), run.Request{Inputs: map[string]any{"file": name}})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	got := ended.Outputs()

	require.Equal(t, want.paths, got["paths"])
	methods := map[string]int{}
	for method, n := range got["methods"].(map[string]any) {
		methods[method] = n.(int)
	}
	require.Equal(t, want.methods, methods)
	require.ElementsMatch(t, keysOf(want.tags), got["tags"])
	require.ElementsMatch(t, keysOf(want.gets), got["gets"])
	require.Contains(t, got["report"], want.title+": ")
	require.Less(t, len(ended.AppendJSON(nil, 64<<10)), 1<<20, "big outputs of nodes are elided on the wire")
}

func keysOf(set map[string]bool) []any {
	list := make([]any, 0, len(set))
	for key := range set {
		list = append(list, key)
	}
	return list
}
