package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi"
)

const (
	testKey = "a-key-for-tests-0123456789"
	greet   = `{"id":"greet","nodes":[
		{"id":"who","type":"io.input","config":{"name":"who","type":"string","default":"World"}},
		{"id":"fmt","type":"text.format","config":{"template":"Hello, {name}!"}},
		{"id":"out","type":"io.output","config":{"name":"greeting"}}],
		"connections":[{"fromNodeId":"who","fromPort":"value","toNodeId":"fmt","toPort":"name"},
		{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"}]}`
)

// service is a Service with helpers for tests.
type service struct {
	*httpapi.Service

	t testing.TB
}

// newService makes a Service with a new data directory; change may change its Config.
func newService(t testing.TB, change func(*httpapi.Config)) service {
	t.Helper()
	c := testConfig(t)
	if change != nil {
		change(&c)
	}
	s, err := httpapi.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(ended())) })
	return service{s, t}
}

// ended returns a context that is done, for closing services without waiting for their runs.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func testConfig(t testing.TB) httpapi.Config {
	return httpapi.Config{APIKey: testKey, DataDir: t.TempDir(), Version: "test", Getenv: environment(nil)}
}

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

// do sends a request with the key. Headers are name, value, …; an empty value removes one.
func (s service) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	return do(s, method, target, body, headers...)
}

func do(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, newRequest(method, target, body, headers...))
	return w
}

func newRequest(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+testKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	return r
}

// problem is the body of an error answer.
type problem struct {
	Type, Title, Detail, Code string
	Status                    int
	Offset                    *int64
	Pointer                   *string
	Errors                    []map[string]any
	Truncated                 int
	RunID                     string
	Workflows                 []string
}

// requireProblem requires that w is a complete problem with this status and code.
func requireProblem(t testing.TB, w *httptest.ResponseRecorder, status int, code string) problem {
	t.Helper()
	require.Equal(t, status, w.Code, w.Body)
	require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	var p problem
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&p))
	require.Equal(t, code, p.Code, p.Detail)
	require.Equal(t, status, p.Status)
	require.Equal(t, http.StatusText(status), p.Title)
	require.Equal(t, "about:blank", p.Type)
	require.NotEmpty(t, p.Detail)
	return p
}

// requireJSON requires that w is JSON with this status, and returns it decoded.
func requireJSON(t testing.TB, w *httptest.ResponseRecorder, status int) any {
	t.Helper()
	require.Equal(t, status, w.Code, w.Body)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	v, err := value.Decode(w.Body.Bytes())
	require.NoError(t, err)
	return v
}

// plugin is a node type without inputs.
type plugin struct {
	typ string
	run node.Executor
}

func (p plugin) Install(r *node.Registrar) {
	r.RegisterSpec(node.Spec{Type: p.typ, Outputs: []node.Port{{Name: "done", Type: value.String()}}})
	r.RegisterExecutor(p.typ, p.run)
}

func alone(typ string) string {
	return `{"id":"alone","nodes":[{"id":"n","type":"` + typ + `"}],"connections":[]}`
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	s := newService(t, nil)
	for _, target := range []string{"/", "/workflows", "/nodes", "/nothing", "//"} {
		w := s.do("GET", target, "")
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), target)
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"), target)
		require.NotEmpty(t, w.Header().Get("Content-Length"), target)
	}
}

func TestRequestID(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, "abc-1", s.do("GET", "/", "", "X-Request-Id", "abc-1").Header().Get("X-Request-Id"))
	for _, id := range []string{"", "a b", "ä", strings.Repeat("x", 129)} {
		require.Empty(t, s.do("GET", "/", "", "X-Request-Id", id).Header().Get("X-Request-Id"), id)
	}
	require.NoError(t, s.Close(ended()))
	require.NotEmpty(t, s.do("GET", "/readyz", "").Header().Get("X-Request-Id"), "a failure of the service is in its log")
}

func TestLogs(t *testing.T) {
	var log bytes.Buffer
	s := newService(t, func(c *httpapi.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	require.Equal(t, http.StatusBadRequest, s.do("POST", "/execute?full=true&token=in-the-query", greet).Code)
	w := s.do("POST", "/execute?full=true", greet)
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, log.String(), "msg=request request="+w.Header().Get("X-Request-Id"))
	require.Contains(t, log.String(), "method=POST path=/execute status=200")
	for _, secret := range []string{testKey, "in-the-query", "Hello"} {
		require.NotContains(t, log.String(), secret)
	}
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s := newService(t, func(c *httpapi.Config) {
		c.Store = panickingStore{}
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	w := s.do("GET", "/workflows", "")
	require.NotContains(t, w.Body.String(), "wires crossed")
	requireProblem(t, w, http.StatusInternalServerError, "internal")
	require.Contains(t, log.String(), "wires crossed")
	require.Contains(t, log.String(), "panickingStore", "the stack")
	require.Contains(t, log.String(), w.Header().Get("X-Request-Id"))
}

// abortingWriter is a connection that breaks during the answer.
type abortingWriter struct{ http.ResponseWriter }

func (abortingWriter) Write([]byte) (int, error) { panic("broken") }

func TestPanicInTheMiddleOfAnAnswer(t *testing.T) {
	s := newService(t, nil)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		s.ServeHTTP(abortingWriter{httptest.NewRecorder()}, newRequest("GET", "/", ""))
	})
}

// TestClientLeaves sends a request whose caller disconnects while a node is running.
func TestClientLeaves(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error, 1)
	s := newService(t, func(c *httpapi.Config) {
		c.Plugins(plugin{"test.wait", func(ctx context.Context, _ map[string]any) (map[string]any, error) {
			close(started)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		}})
	})
	web := httptest.NewServer(s)
	defer web.Close()
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-started
		leave()
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/execute", strings.NewReader(alone("test.wait")))
	require.NoError(t, err)
	r.Header = newRequest("POST", "/", "{}").Header
	_, err = web.Client().Do(r) //nolint:bodyclose // there is no response
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}
