package ionode_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	ionode "github.com/svcflow/svc/nodes/io"
)

func TestAHintSaysThatOKIsNeverFalse(t *testing.T) {
	for _, tt := range []struct {
		config record
		port   string
		hints  int
	}{
		{record{"url": "http://a.example"}, "ok", 1},
		{record{"url": "http://a.example", "failOnStatus": false}, "ok", 0},
		{record{"url": "http://a.example"}, "statusCode", 0},
	} {
		nodes := append(one("io.http_request", tt.config), workflow.Node{ID: "out", Type: "io.output", Config: record{"name": "out"}})
		registry, err := node.NewRegistry(ionode.Plugin(ionode.Env{}))
		require.NoError(t, err)
		def := &workflow.Definition{ID: "w", Nodes: nodes, Connections: []workflow.Connection{into(tt.port)}}
		plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
		require.NoError(t, err)
		require.Len(t, engine.Hints(plan), tt.hints)
	}
}

func TestFailOnStatus(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.WriteHeader(status)
		_, _ = w.Write([]byte("what\nwent wrong"))
	})
	at, err := url.Parse(base)
	require.NoError(t, err)
	h, _ := host(t, newClient(t))
	for _, status := range []int{200, 201, 302, 399} {
		for _, typ := range []string{"io.http_request", "io.webhook_post"} {
			got, err := h.Exec(typ, record{"failOnStatus": true}, ask(typ, base+"/"+strconv.Itoa(status)))
			require.NoError(t, err)
			require.Equal(t, status, got["statusCode"])
		}
	}
	for _, tt := range []struct {
		status  int
		code    string
		final   bool
		message string
	}{
		{429, node.CodeRateLimited, false, "the server answered 429 Too Many Requests"},
		{408, node.CodeUnavailable, false, "the server answered 408 Request Timeout"},
		{425, node.CodeUnavailable, false, "the server answered 425 Too Early"},
		{500, node.CodeUnavailable, false, "the server answered 500 Internal Server Error"},
		{599, node.CodeUnavailable, false, "the server answered 599"},
		{400, "http_status", true, "the server answered 400 Bad Request"},
		{401, "http_status", true, "the server answered 401 Unauthorized"},
		{404, "http_status", true, "the server answered 404 Not Found"},
	} {
		for typ, method := range map[string]string{"io.http_request": "GET", "io.webhook_post": "POST"} {
			_, err := h.Exec(typ, record{"failOnStatus": true}, ask(typ, base+"/"+strconv.Itoa(tt.status)+"?s3cret"))
			require.Equal(t, tt.code, node.CodeOf(err), tt.status)
			require.Equal(t, tt.final, node.IsPermanent(err), tt.status)
			require.EqualError(t, err, method+" "+at.Host+"/"+strconv.Itoa(tt.status)+"?…: "+tt.message+": text/plain: what went wrong")
		}
	}
}

// ask returns the wired inputs of a node that sends a request to address.
func ask(typ, address string) record {
	wired := record{"url": address}
	if typ == "io.webhook_post" {
		wired["payload"] = 1
	}
	return wired
}

// With failOnStatus, retry settings and $error see the status.
func TestRetryOnStatus(t *testing.T) {
	for name, tt := range map[string]struct {
		statuses []int // of the answers; the last one repeats
		calls    int64
		code     string
	}{
		"recovers":         {[]int{503, 429, 200}, 3, ""},
		"does not recover": {[]int{503}, 4, node.CodeUnavailable},
		"is final":         {[]int{503, 404}, 2, "http_status"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				n := int(calls.Add(1))
				w.WriteHeader(tt.statuses[min(n, len(tt.statuses))-1])
			})
			registry, err := node.NewRegistry(ionode.Plugin(ionode.Env{HTTP: newClient(t)}))
			require.NoError(t, err)
			def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{{
				ID: "get", Type: "io.http_request", Config: record{"url": base, "failOnStatus": true},
				Retry: &workflow.Retry{MaxAttempts: 4, InitialMs: 1, MaxMs: 1},
			}}}
			plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
			require.NoError(t, err)
			run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{})
			require.NoError(t, err)
			require.Equal(t, tt.calls, calls.Load())
			if tt.code == "" {
				require.Equal(t, engine.StatusCompleted, run.Status())
				return
			}
			require.Equal(t, tt.code, run.Err().Code)
		})
	}
}
