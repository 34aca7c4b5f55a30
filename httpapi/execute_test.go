package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi"
)

// echo is a minimal plugin: one spec, one executor.
type echo struct{}

func (echo) Install(r *node.Registrar) {
	r.RegisterSpec(node.Spec{
		Type: "my.echo", Label: "Echo",
		Inputs:  []node.Port{{Name: "text", Type: value.String()}},
		Outputs: []node.Port{{Name: "result", Type: value.String()}},
	})
	r.RegisterExecutor("my.echo", func(_ context.Context, in map[string]any) (map[string]any, error) {
		return map[string]any{"result": in["text"].(string) + in["text"].(string)}, nil
	})
}

func TestExtraPlugin(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.Plugins(echo{}) })
	body := `{"id":"x","nodes":[{"id":"e","type":"my.echo","config":{"text":"ha"}},{"id":"o","type":"io.output","config":{"name":"said"}}],
		"connections":[{"fromNodeId":"e","fromPort":"result","toNodeId":"o","toPort":"value"}]}`
	require.JSONEq(t, `[]`, s.do("POST", "/validate", body).Body.String())
	run := requireJSON(t, s.do("POST", "/execute", body), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"said": "haha"}, run["outputs"])
	spec := requireJSON(t, s.do("GET", "/nodes/my.echo", ""), http.StatusOK).(map[string]any)
	require.Equal(t, "Echo", spec["label"])
	require.Equal(t, 30000, spec["timeoutMs"])

	list := requireJSON(t, s.do("GET", "/nodes", ""), http.StatusOK).([]any)
	require.Contains(t, list, any(spec))
	plugins := map[any]bool{}
	for _, e := range list {
		plugins[e.(map[string]any)["plugin"]] = true
	}
	for _, name := range []string{"io", "text", "control", "json", "preview", "my"} {
		require.True(t, plugins[name], name)
	}
}

func TestValidateRunsNothing(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) {
		c.Plugins(plugin{"test.never", func(context.Context, map[string]any) (map[string]any, error) {
			t.Error("an executor was called")
			return nil, nil
		}})
	})
	require.JSONEq(t, `[]`, s.do("POST", "/validate", alone("test.never")).Body.String())
}

func TestFailuresOfNodes(t *testing.T) {
	tests := []struct {
		name string
		run  node.Executor
		code string
	}{
		{"error", func(context.Context, map[string]any) (map[string]any, error) { return nil, errors.New("no") }, "failed"},
		{"panic", func(context.Context, map[string]any) (map[string]any, error) { panic("boom") }, "panic"},
		{"own code", func(context.Context, map[string]any) (map[string]any, error) { return nil, node.Errorf("mine", "no") }, "mine"},
		{"wrong type", func(context.Context, map[string]any) (map[string]any, error) {
			return map[string]any{"done": 1}, nil
		}, "type_error"},
		{"unknown port", func(context.Context, map[string]any) (map[string]any, error) {
			return map[string]any{"other": "x"}, nil
		}, "type_error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newService(t, func(c *httpapi.Config) { c.Plugins(plugin{"test.fails", test.run}) })
			run := requireJSON(t, s.do("POST", "/execute", alone("test.fails")), http.StatusOK).(map[string]any)
			require.Equal(t, "failed", run["status"])
			require.Equal(t, test.code, run["error"].(map[string]any)["code"])
			require.Equal(t, "n", run["error"].(map[string]any)["nodeId"])
		})
	}
}

func TestElision(t *testing.T) {
	s := newService(t, nil)
	long := strings.Repeat("x", 64<<10-1) // one byte too long, with its quotes
	body := strings.Replace(greet, `"World"`, `"`+long+`"`, 1)
	elided := map[string]any{"$elided": map[string]any{"bytes": len(long) + 2}}
	for _, target := range []string{"/execute", "/workflows/greet/run"} {
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", body).Code)
		post := ""
		if target == "/execute" {
			post = body
		}
		for query, want := range map[string]any{"": elided, "?full=false": elided, "?full=true": long} {
			run := requireJSON(t, s.do("POST", target+query, post), http.StatusOK).(map[string]any)
			who := run["nodes"].(map[string]any)["who"].(map[string]any)["outputs"].(map[string]any)
			require.Equal(t, want, who["value"])
			require.Equal(t, "Hello, "+long+"!", run["outputs"].(map[string]any)["greeting"], "the run's own outputs are whole")
		}
	}
}

// TestTooManyRuns fills the service with waiting runs.
func TestTooManyRuns(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	s := newService(t, func(c *httpapi.Config) {
		c.Plugins(plugin{"test.wait", func(context.Context, map[string]any) (map[string]any, error) {
			started <- struct{}{}
			<-release
			return nil, nil
		}})
	})
	var runs sync.WaitGroup
	codes := make(chan int, app.MaxRunning)
	for range app.MaxRunning {
		runs.Go(func() { codes <- s.do("POST", "/execute", alone("test.wait")).Code })
	}
	for range app.MaxRunning {
		<-started
	}
	w := s.do("POST", "/execute", greet)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	requireProblem(t, w, http.StatusServiceUnavailable, "busy")
	require.Equal(t, http.StatusOK, s.do("GET", "/healthz", "").Code)
	close(release)
	runs.Wait()
	close(codes)
	for code := range codes {
		require.Equal(t, http.StatusOK, code)
	}
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet).Code)
}

// TestCancelledRun sends a request whose caller has left before the run starts.
func TestCancelledRun(t *testing.T) {
	s := newService(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, newRequest("POST", "/workflows/greet/run", "").WithContext(ctx))
	requireProblem(t, w, http.StatusServiceUnavailable, "cancelled")
}

// TestSecretsStayInside puts secrets into all places where a server may have some, and searches
// every answer for them.
func TestSecretsStayInside(t *testing.T) {
	const canary = "canary-5f2e9a71c3"
	vars := map[string]string{"SVC_API_KEY": canary + "-key-0123456789", "HOME": canary, "TEST_MAIN": canary, "SVC_MAIN": canary}
	s := newService(t, func(c *httpapi.Config) {
		c.APIKey, c.Getenv = "", environment(vars)
	})
	env := func(name string) string {
		return `{"id":"x","nodes":[{"id":"n","type":"io.env_read","config":{"name":"` + name + `"}}],"connections":[]}`
	}
	requests := [][3]string{
		{"GET", "/"},
		{"GET", "/nodes"},
		{"GET", "/nothing"},
		{"POST", "/execute", env("SVC_API_KEY")},
		{"POST", "/execute", env("HOME")},
		{"POST", "/execute", env("TEST_MAIN")},
		{"POST", "/execute", `{"id":"x","nodes":[{"id":"n","type":"io.file_read","config":{"path":"../../etc/passwd"}}],"connections":[]}`},
		{"POST", "/execute", `{"id":"x","nodes":[{"id":"n","type":"io.webhook_post","config":{"url":"http://127.0.0.1/","payload":1,"secret":"svc:api-key"}}],"connections":[]}`},
		{"POST", "/workflows", env("HOME")},
		{"POST", "/workflows/x/run", `{"overrides":{"n":{"name":"SVC_API_KEY"}}}`},
	}
	for _, request := range requests {
		for _, authorization := range []string{"Bearer " + vars["SVC_API_KEY"], "Bearer nothing"} {
			w := s.do(request[0], request[1], request[2], "Authorization", authorization)
			headers, err := json.Marshal(w.Header())
			require.NoError(t, err)
			require.NotContains(t, w.Body.String()+string(headers), canary, "%s %s", request[0], request[1])
		}
	}
	w := s.do("POST", "/execute", env("HOME"), "Authorization", "Bearer "+vars["SVC_API_KEY"])
	require.Contains(t, w.Body.String(), `"forbidden"`)
}

// TestCredentialsFromTheEnvironment checks the default source of secrets with a built-in node that
// uses one.
func TestCredentialsFromTheEnvironment(t *testing.T) {
	var signature string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		signature = r.Header.Get("X-Svc-Signature")
	}))
	defer hook.Close()
	s := newService(t, func(c *httpapi.Config) {
		c.Getenv = environment(map[string]string{"WEBHOOK_MAIN": "a-secret-for-signing"})
		c.HTTPAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	body := `{"id":"x","nodes":[{"id":"n","type":"io.webhook_post","config":{"url":"` + hook.URL + `","payload":1,"secret":"webhook:main"}}],"connections":[]}`
	run := requireJSON(t, s.do("POST", "/execute", body), http.StatusOK).(map[string]any)
	require.Equal(t, "completed", run["status"], run)
	require.True(t, strings.HasPrefix(signature, "sha256="), signature)

	s = newService(t, func(c *httpapi.Config) { c.HTTPAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	run = requireJSON(t, s.do("POST", "/execute", body), http.StatusOK).(map[string]any)
	require.Equal(t, "failed", run["status"], "no such credential")
}
