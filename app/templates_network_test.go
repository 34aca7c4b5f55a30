package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// impatient makes the pauses between attempts short.
func impatient(def *workflow.Definition) {
	for i := range def.Nodes {
		if retry := def.Nodes[i].Retry; retry != nil {
			retry.InitialMs = 1
		}
	}
}

const repository = `{"full_name":"svcflow/svc","stargazers_count":42,"license":{"spdx_id":"MIT"}}`

// told is how messages repeat it.
const told = "application/json: " + repository

// stub is a server with one status after the other; the last one stays, and 0
// breaks off. It counts the requests.
type stub struct {
	*httptest.Server

	requests atomic.Int64
	answer   atomic.Value // of string
}

func newStub(t *testing.T, statuses ...int) *stub {
	t.Helper()
	s := &stub{}
	s.answer.Store(repository)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := int(s.requests.Add(1))
		status := statuses[min(n, len(statuses))-1]
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(s.answer.Load().(string)))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAPIIngestTemplate(t *testing.T) {
	works := record{"data": record{"name": "svcflow/svc", "stars": 42, "licence": "MIT"}, "status": 200}
	fails := func(reason string) record {
		return record{"report": "Could not read URL: GET HOST: " + reason + "."}
	}
	for name, c := range map[string]struct {
		statuses []int
		requests int64
		outputs  record
	}{
		"works":                 {[]int{200}, 1, works},
		"recovers":              {[]int{500, 503, 200}, 3, works},
		"has too much to do":    {[]int{429, 200}, 2, works},
		"breaks off once":       {[]int{0, 200}, 2, works},
		"does not recover":      {[]int{500}, 4, fails("the server answered 500 Internal Server Error: " + told)},
		"breaks off every time": {[]int{0}, 4, fails("the server closed the connection before its answer was complete")},
		"has nothing there":     {[]int{404}, 1, fails("the server answered 404 Not Found: " + told)},
	} {
		t.Run(name, func(t *testing.T) {
			server := newStub(t, c.statuses...)
			a := newTestApp(t, Config{Env: localEnv(t, t.TempDir())})
			outputs := runTemplate(t, a, "api-ingest", record{"url": server.URL}, impatient)
			if report, ok := outputs["report"].(string); ok {
				report = strings.ReplaceAll(report, server.URL, "URL")
				outputs["report"] = strings.ReplaceAll(report, server.Listener.Addr().String(), "HOST")
			}
			require.Equal(t, c.outputs, outputs)
			require.Equal(t, c.requests, server.requests.Load())
		})
	}
}

// A server that nobody can reach is reported, too.
func TestAPIIngestTemplateWithoutAServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	a := newTestApp(t, Config{Env: localEnv(t, t.TempDir())})
	outputs := runTemplate(t, a, "api-ingest", record{"url": server.URL}, impatient)
	require.Len(t, outputs, 1)
	require.Contains(t, outputs["report"], "the connection was refused")
}

func TestAPIDiffTemplate(t *testing.T) {
	dir := t.TempDir()
	a := newTestApp(t, Config{Env: localEnv(t, dir)})
	server := newStub(t, 200)
	change := func(place, what string, before, after any) record {
		return record{"path": place, "change": what, "before": before, "after": after}
	}
	nothing := record{"summary": "Nothing has changed.", "changes": []any{}}
	for _, step := range []struct {
		name, answer string
		want         record
	}{
		{"first run", `{"a":{"b":1},"l":[1,2],"gone":null,"updated_at":"1"}`, nothing},
		{"only what means nothing", `{"a":{"b":1},"l":[1,2],"gone":null,"updated_at":"2"}`, nothing},
		{"changes", `{"a":{"b":2},"l":[1],"new":{"c":"x"},"no":{}}`, record{
			"summary": "changed /a/b: 1 → 2\nremoved /gone: null\nremoved /l/1: 2\nadded /new/c: \"x\"\nadded /no: {}",
			"changes": []any{
				change("/a/b", "changed", 1, 2), change("/gone", "removed", nil, nil), change("/l/1", "removed", 2, nil),
				change("/new/c", "added", nil, "x"), change("/no", "added", nil, record{}),
			},
		}},
		{"as before", `{"a":{"b":2},"l":[1],"new":{"c":"x"},"no":{}}`, nothing},
		{"a list", `[{"id":1}]`, record{
			"summary": "added /0/id: 1\nremoved /a/b: 2\nremoved /l/0: 1\nremoved /new/c: \"x\"\nremoved /no: {}",
			"changes": []any{
				change("/0/id", "added", nil, 1), change("/a/b", "removed", 2, nil), change("/l/0", "removed", 1, nil),
				change("/new/c", "removed", "x", nil), change("/no", "removed", record{}, nil),
			},
		}},
	} {
		server.answer.Store(step.answer)
		require.Equal(t, step.want, runTemplate(t, a, "api-diff", record{"url": server.URL}, impatient), step.name)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "api-last.json"))
	require.NoError(t, err)
	require.Equal(t, "[\n  {\n    \"id\": 1\n  }\n]", string(kept))
}

func TestRetryWithFallbackTemplate(t *testing.T) {
	const busy = "GET HOST: the server answered 503 Service Unavailable: " + told
	good := record{"full_name": "svcflow/svc", "stargazers_count": 42, "license": record{"spdx_id": "MIT"}}
	for name, c := range map[string]struct {
		first, second []int
		requests      [2]int64
		outputs       record
	}{
		"the first works":   {[]int{200}, []int{200}, [2]int64{1, 0}, record{"answer": good}},
		"the first gets up": {[]int{503, 0, 200}, []int{200}, [2]int64{3, 0}, record{"answer": good}},
		"the second works": {[]int{503}, []int{200}, [2]int64{3, 1}, record{
			"answer": good, "trouble": []any{busy},
		}},
		"neither works": {[]int{503}, []int{503}, [2]int64{3, 1}, record{
			"answer": record{"full_name": "golang/go", "stargazers_count": 0}, "trouble": []any{busy, busy},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := newStub(t, c.first...), newStub(t, c.second...)
			a := newTestApp(t, Config{Env: localEnv(t, t.TempDir())})
			outputs := runTemplate(t, a, "retry-with-fallback", record{"url": first.URL}, func(def *workflow.Definition) {
				impatient(def)
				for i := range def.Nodes {
					if def.Nodes[i].ID == "second" {
						def.Nodes[i].Config["url"] = second.URL
					}
				}
			})
			trouble, _ := outputs["trouble"].([]any)
			for i, s := range []*stub{first, second}[:len(trouble)] {
				trouble[i] = strings.ReplaceAll(trouble[i].(string), s.Listener.Addr().String(), "HOST")
			}
			require.Equal(t, c.outputs, outputs)
			require.Equal(t, c.requests, [2]int64{first.requests.Load(), second.requests.Load()})
		})
	}
}
