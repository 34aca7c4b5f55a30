package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// flow reads nodes as JSON and wires such as "a.value > b.text", one per line.
func flow(t *testing.T, nodes, wires string) *workflow.Definition {
	t.Helper()
	return parse(t, `{"id":"w",`+level(t, nodes, wires)+`}`)
}

// level is what a document and a body have in common.
func level(t *testing.T, nodes, wires string) string {
	t.Helper()
	var connections []string
	for line := range strings.Lines(wires) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " > ")
		if !ok {
			continue
		}
		source, out, _ := strings.Cut(from, ".")
		target, in, _ := strings.Cut(to, ".")
		connections = append(connections, `{"fromNodeId":"`+source+`","fromPort":"`+out+`","toNodeId":"`+target+`","toPort":"`+in+`"}`)
	}
	return `"nodes":[` + nodes + `],"connections":[` + strings.Join(connections, ",") + `]`
}

// asked is a server that remembers the paths it was asked for; /broken fails.
type asked struct {
	*httptest.Server

	mu    sync.Mutex
	paths []string
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	s := &asked{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(`{"id":"picture"}`))
	}))
	t.Cleanup(s.Close)
	return s
}

// completes runs def, which has to complete.
func completes(t *testing.T, a *App, def *workflow.Definition, inputs map[string]any) Outcome {
	t.Helper()
	ended, err := a.Execute(t.Context(), def, run.Request{Inputs: inputs}, nil)
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended
}

// TestNothingIsSentOnASideNotTaken is what the rule of absence is for: the call had a
// url and headers, so it was sent, empty, where the branch went the other way.
func TestNothingIsSentOnASideNotTaken(t *testing.T) {
	a, server := newTestApp(t, Config{Env: localEnv(t, t.TempDir())}), newAsked(t)
	def := flow(t, `
		{"id":"way","type":"control.branch","config":{"value":"hello"}},
		{"id":"go","type":"io.input","config":{"name":"go","type":"bool"}},
		{"id":"url","type":"control.value","config":{"value":"`+server.URL+`/post"}},
		{"id":"headers","type":"control.value","config":{"value":{"X-A":"1"}}},
		{"id":"call","type":"io.http_request","config":{"method":"POST"}}`, `
		go.value > way.condition
		url.value > call.url
		headers.value > call.headers
		way.truePath > call.body`)

	ended := completes(t, a, def, record{"go": false})
	require.Equal(t, engine.StatusSkipped, statusOf(t, ended, "call"))
	require.Empty(t, server.paths, "nothing is sent")

	completes(t, a, def, record{"go": true})
	require.Equal(t, []string{"/post"}, server.paths)

	hints, err := a.Hints(t.Context(), def)
	require.NoError(t, err)
	require.Len(t, hints, 1)
	require.Equal(t, "call", hints[0].NodeID)
	require.Equal(t, "body", hints[0].Port)
}

// statusOf returns what became of a node.
func statusOf(t *testing.T, ended Outcome, id string) engine.Status {
	t.Helper()
	r, ok := ended.Result().Nodes[id]
	require.True(t, ok, id)
	return r.Status
}

// TestWhatAbsenceChanges has one case for each shape of sensible documents that ran
// before and does not any more, or the other way round. The CHANGELOG lists them.
func TestWhatAbsenceChanges(t *testing.T) {
	t.Run("nothing is posted when the upload of its picture has failed", func(t *testing.T) {
		a, server := newTestApp(t, Config{Env: localEnv(t, t.TempDir())}), newAsked(t)
		ended := completes(t, a, flow(t, `
			{"id":"upload","type":"io.http_request","config":{"url":"`+server.URL+`/broken","method":"POST"}},
			{"id":"post","type":"io.http_request","config":{"url":"`+server.URL+`/post","method":"POST"}},
			{"id":"text","type":"control.value","config":{"value":{"text":"hello"}}},
			{"id":"why","type":"io.output","config":{"name":"why"}}`, `
			text.value > post.query
			upload.json > post.body
			upload.$error > why.value`), nil)
		require.Equal(t, engine.StatusSkipped, statusOf(t, ended, "post"))
		require.Equal(t, []string{"/broken"}, server.paths)
		require.Contains(t, ended.Outputs(), "why")
	})

	t.Run("a placeholder takes its wire and not a value instead", func(t *testing.T) {
		ended := completes(t, newTestApp(t, Config{}), flow(t, `
			{"id":"way","type":"control.branch","config":{"condition":false,"value":"Ada"}},
			{"id":"hello","type":"text.format","config":{"template":"Hello, {name}!","values":{"name":"you"}}}`, `
			way.truePath > hello.name`), nil)
		require.Equal(t, engine.StatusSkipped, statusOf(t, ended, "hello"))
	})

	t.Run("an optional input of a container on a branch", func(t *testing.T) {
		ended := completes(t, newTestApp(t, Config{}), flow(t, `
			{"id":"way","type":"control.branch","config":{"condition":false,"value":"€"}},
			{"id":"each","type":"control.foreach","config":{"list":[1,2]},"body":{`+level(t, `
				{"id":"item","type":"io.input","config":{"name":"item","type":"int"}},
				{"id":"unit","type":"io.input","config":{"name":"unit","type":"string","default":"$"}},
				{"id":"text","type":"text.format","config":{"template":"{item} {unit}"}},
				{"id":"out","type":"io.output","config":{"name":"texts"}}`, `
				item.value > text.item
				unit.value > text.unit
				text.result > out.value`)+`}}`, `
			way.truePath > each.unit`), nil)
		require.Equal(t, engine.StatusSkipped, statusOf(t, ended, "each"))
	})

	t.Run("a disabled builder of headers", func(t *testing.T) {
		a, server := newTestApp(t, Config{Env: localEnv(t, t.TempDir())}), newAsked(t)
		ended := completes(t, a, flow(t, `
			{"id":"headers","type":"control.value","config":{"value":{"X-A":"1"}},"disabled":true},
			{"id":"url","type":"control.value","config":{"value":"`+server.URL+`/get"}},
			{"id":"call","type":"io.http_request"}`, `
			headers.value > call.headers
			url.value > call.url`), nil)
		require.Equal(t, engine.StatusSkipped, statusOf(t, ended, "call"))
		require.Equal(t, "disabled", ended.Result().Nodes["call"].SkippedBecause.Reason)
		require.Empty(t, server.paths)
	})

	t.Run("an executor that leaves an output out", func(t *testing.T) {
		a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{reader{}}})
		ended := completes(t, a, flow(t, `
			{"id":"read","type":"foreign.read"},
			{"id":"both","type":"text.format","config":{"template":"{value}, {note}"}},
			{"id":"one","type":"text.format","config":{"template":"{value}"}}`, `
			read.value > both.value
			read.note > both.note
			read.value > one.value`), nil)
		require.Equal(t, engine.StatusSkipped, statusOf(t, ended, "both"))
		require.Equal(t, engine.StatusSucceeded, statusOf(t, ended, "one"))
	})

	t.Run("a branch inside the body of a foreach", func(t *testing.T) {
		ended := completes(t, newTestApp(t, Config{}), flow(t, `
			{"id":"each","type":"control.foreach","config":{"list":[true,false]},"body":{`+level(t, `
				{"id":"item","type":"io.input","config":{"name":"item","type":"bool"}},
				{"id":"way","type":"control.branch","config":{"value":{"b":2}}},
				{"id":"text","type":"text.format","config":{"template":"{a}{b}","a":1}},
				{"id":"out","type":"io.output","config":{"name":"texts"}}`, `
				item.value > way.condition
				way.truePath > text.values
				text.result > out.value`)+`}},
			{"id":"out","type":"io.output","config":{"name":"texts"}}`, `
			each.texts > out.value`), nil)
		require.Equal(t, []any{"12", nil}, ended.Outputs()["texts"])
	})

	t.Run("a branch inside the body of a while", func(t *testing.T) {
		a, server := newTestApp(t, Config{Env: localEnv(t, t.TempDir())}), newAsked(t)
		ended := completes(t, a, flow(t, `
			{"id":"loop","type":"control.while","config":{"n":0},"body":{`+level(t, `
				{"id":"n","type":"io.input","config":{"name":"n","type":"int"}},
				{"id":"next","type":"json.query","config":{"filter":". + 1"}},
				{"id":"more","type":"json.query","config":{"filter":". < 3"}},
				{"id":"way","type":"control.branch"},
				{"id":"url","type":"control.value","config":{"value":"`+server.URL+`/post"}},
				{"id":"call","type":"io.http_request","config":{"method":"POST"}},
				{"id":"to","type":"io.output","config":{"name":"n"}},
				{"id":"continue","type":"io.output","config":{"name":"continue"}}`, `
				n.value > next.value
				next.result > to.value
				next.result > more.value
				more.result > continue.value
				more.result > way.condition
				n.value > way.value
				url.value > call.url
				way.falsePath > call.body`)+`}}`, ``), nil)
		require.Equal(t, 3, ended.Result().Nodes["loop"].Outputs["iterations"])
		require.Equal(t, []string{"/post"}, server.paths, "in the last round only")
	})

	t.Run("a list takes what comes", func(t *testing.T) {
		good, bad := newStub(t, 200), newStub(t, 404)
		def, err := FindTemplate("retry-with-fallback")
		require.NoError(t, err)
		for i := range def.Nodes {
			if def.Nodes[i].ID == "second" {
				def.Nodes[i].Config["url"] = good.URL
			}
		}
		ended := completes(t, newTestApp(t, Config{Env: localEnv(t, t.TempDir())}), def, record{"url": bad.URL})
		require.Equal(t, engine.StatusSucceeded, statusOf(t, ended, "messages"))
		require.Len(t, ended.Outputs()["trouble"], 1, "of two $error wires one came")
	})
}

// reader is a plugin in the form of maps, whose executor leaves an output out.
type reader struct{}

func (reader) Install(r *node.Registrar) {
	r.RegisterSpec(node.Spec{Type: "foreign.read", Label: "Read", Outputs: []node.Port{
		{Name: "value", Type: value.String()}, {Name: "note", Type: value.String(), Optional: true},
	}})
	r.RegisterExecutor("foreign.read", func(context.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"value": "here"}, nil
	})
}
