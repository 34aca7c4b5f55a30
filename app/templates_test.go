package app

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
)

func TestTemplates(t *testing.T) {
	all, err := Templates()
	require.NoError(t, err)
	var names []string
	a := newTestApp(t, Config{})
	for _, tmpl := range all {
		names = append(names, tmpl.Name)
		t.Run(tmpl.Name, func(t *testing.T) {
			require.Equal(t, tmpl.Name, tmpl.Definition.ID)
			require.NotEmpty(t, tmpl.Definition.Name)
			require.NotEmpty(t, tmpl.Definition.Description)
			text, err := templateFiles.ReadFile(path.Join("templates", tmpl.Name+".json"))
			require.NoError(t, err)
			require.Equal(t, string(tmpl.Definition.Format()), string(text), "run svc fmt")
			problems, err := a.Validate(t.Context(), tmpl.Definition)
			require.NoError(t, err)
			require.Empty(t, problems)
			checkLayout(t, tmpl.Definition)
			found, err := FindTemplate(tmpl.Name)
			require.NoError(t, err)
			require.Equal(t, tmpl.Definition.Digest(), found.Digest())
		})
	}
	require.Equal(t, []string{"api-ingest", "branch-merge", "foreach-concurrent", "greeting"}, names)

	_, err = FindTemplate("nothing")
	require.ErrorIs(t, err, ErrNoTemplate)
}

// rect is the place of something on the canvas.
type rect struct {
	what       string
	x, y, w, h float64
}

func (r rect) overlaps(o rect) bool {
	return r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h
}

// checkLayout wants nodes from left to right and nothing upon anything else, at
// every level.
func checkLayout(t *testing.T, def *workflow.Definition) {
	t.Helper()
	var rects []rect
	at := map[string]workflow.Position{}
	for _, n := range def.Nodes {
		require.NotNil(t, n.Position, n.ID)
		at[n.ID] = *n.Position
		rects = append(rects, rect{n.ID, n.Position.X, n.Position.Y, 240, 140})
		if n.Body != nil {
			checkLayout(t, n.Body)
		}
	}
	for _, n := range def.Notes {
		rects = append(rects, rect{n.ID, n.Position.X, n.Position.Y, n.Size.W, n.Size.H})
	}
	for i, r := range rects {
		for _, o := range rects[:i] {
			require.False(t, r.overlaps(o), "%s and %s overlap", r.what, o.what)
		}
	}
	for _, c := range def.Connections {
		require.GreaterOrEqual(t, at[c.ToNodeID].X-at[c.FromNodeID].X, 240.0, "%s → %s", c.FromNodeID, c.ToNodeID)
	}
}

// runTemplate runs a template, changed by change, and returns its outputs.
func runTemplate(t *testing.T, a *App, name string, inputs map[string]any, change func(*workflow.Definition)) map[string]any {
	t.Helper()
	def, err := FindTemplate(name)
	require.NoError(t, err)
	if change != nil {
		change(def)
	}
	ended, err := a.Execute(t.Context(), def, RunOptions{Inputs: inputs})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended.Outputs()
}

func TestGreetingTemplate(t *testing.T) {
	a := newTestApp(t, Config{})
	require.Equal(t, map[string]any{"greeting": "Hello, World!"}, runTemplate(t, a, "greeting", nil, nil))
	require.Equal(t, map[string]any{"greeting": "Hello, Ada!"}, runTemplate(t, a, "greeting", map[string]any{"who": "Ada"}, nil))
}

func TestBranchMergeTemplate(t *testing.T) {
	a := newTestApp(t, Config{})
	for celsius, want := range map[float64]string{
		21.5: "21.5 °C is warm: open a window.",
		20:   "20 °C is warm: open a window.",
		-3:   "-3 °C is cold: put the heating on.",
	} {
		outputs := runTemplate(t, a, "branch-merge", map[string]any{"celsius": celsius}, nil)
		require.Equal(t, map[string]any{"advice": want}, outputs)
	}
}

func TestForeachConcurrentTemplate(t *testing.T) {
	a := newTestApp(t, Config{})
	outputs := runTemplate(t, a, "foreach-concurrent", nil, nil)
	require.Equal(t, []any{1, 4, 16}, outputs["squares"])
	require.Equal(t, []any{1, 4, nil, 16}, outputs["all"])
	errs := outputs["errors"].([]any)
	require.Len(t, errs, 1)
	require.Equal(t, 2, errs[0].(map[string]any)["index"])
	require.Contains(t, errs[0].(map[string]any)["message"], "three")

	outputs = runTemplate(t, a, "foreach-concurrent", map[string]any{"texts": []any{}}, nil)
	require.Equal(t, map[string]any{"squares": []any{}, "all": []any{}, "errors": []any{}}, outputs)
}

// impatient makes the pauses of api-ingest short.
func impatient(def *workflow.Definition) {
	for _, n := range def.Nodes {
		if n.Body == nil {
			continue
		}
		for i := range n.Body.Nodes {
			inner := &n.Body.Nodes[i]
			if inner.Retry != nil {
				inner.Retry.InitialMs = 1
			}
			if inner.ID == "pause" {
				inner.Config["vars"] = map[string]any{"pauseMs": 1}
			}
		}
	}
}

const repository = `{"full_name":"svcflow/svc","stargazers_count":42,"license":{"spdx_id":"MIT"}}`

func TestAPIIngestTemplate(t *testing.T) {
	picked := map[string]any{"name": "svcflow/svc", "stars": 42, "licence": "MIT"}
	works := map[string]any{"data": picked, "status": 200}
	fails := func(reason string) map[string]any {
		return map[string]any{"report": "Could not read URL: " + reason + "."}
	}
	for name, c := range map[string]struct {
		statuses []int // of the answers, the last one for all that follow; 0 breaks off
		requests int64
		outputs  map[string]any
	}{
		"works":                 {[]int{200}, 1, works},
		"recovers":              {[]int{500, 503, 200}, 3, works},
		"has too much to do":    {[]int{429, 200}, 2, works},
		"breaks off once":       {[]int{0, 200}, 2, works},
		"does not recover":      {[]int{500}, 4, fails("the server is in trouble and did not recover")},
		"breaks off every time": {[]int{0}, 3, fails(`round 0: node "request": GET 127.0.0.1: the server closed the connection before its answer was complete`)},
		"has nothing there": {[]int{404}, 1, map[string]any{
			"status": 404, "report": `Could not read URL: the server answered 404: {"full_name":"svcflow/svc","license":{"spdx_id":"MIT"},"stargazers_count":42}.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				n := int(requests.Add(1))
				status := c.statuses[min(n, len(c.statuses))-1]
				if status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(repository))
			}))
			defer server.Close()
			a := newTestApp(t, Config{Env: localEnv(t, t.TempDir())})
			outputs := runTemplate(t, a, "api-ingest", map[string]any{"url": server.URL}, impatient)
			if report, ok := outputs["report"].(string); ok {
				outputs["report"] = strings.ReplaceAll(report, server.URL, "URL")
			}
			require.Equal(t, c.outputs, outputs)
			require.Equal(t, c.requests, requests.Load())
		})
	}
}

// A server that nobody can reach is reported, too.
func TestAPIIngestTemplateWithoutAServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	a := newTestApp(t, Config{Env: localEnv(t, t.TempDir())})
	outputs := runTemplate(t, a, "api-ingest", map[string]any{"url": server.URL}, impatient)
	require.Len(t, outputs, 1)
	require.Contains(t, outputs["report"], "the connection was refused")
}
