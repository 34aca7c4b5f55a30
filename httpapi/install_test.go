package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// says is a handler that always answers with its text.
type says string

func (s says) ServeHTTP(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, string(s)) }

func install(t *testing.T, mux *http.ServeMux, change func(*httpapi.Config)) {
	t.Helper()
	c := testConfig(t)
	change(&c)
	_, err := httpapi.Install(mux, c)
	require.NoError(t, err)
}

func TestPrefixes(t *testing.T) {
	for _, prefix := range []string{"flow", "/flow", "/flow/", "flow/", "//flow//"} {
		mux := http.NewServeMux()
		install(t, mux, func(c *httpapi.Config) { c.RoutePrefix = prefix })
		for _, target := range []string{"/flow", "/flow/"} {
			require.Equal(t, http.StatusOK, do(mux, "GET", target, "", "Authorization", "").Code)
			require.Equal(t, http.StatusOK, do(mux, "HEAD", target, "", "Authorization", "").Code)
			requireProblem(t, do(mux, "POST", target, "{}"), http.StatusMethodNotAllowed, "method_not_allowed")
		}
		require.Equal(t, http.StatusOK, do(mux, "POST", "/flow/execute", greet).Code)
		require.Equal(t, http.StatusUnauthorized, do(mux, "POST", "/flow/execute", greet, "Authorization", "").Code)
		require.Equal(t, "/flow/workflows/greet", do(mux, "POST", "/flow/workflows", greet).Header().Get("Location"))
		for _, target := range []string{"/", "/execute", "/flowx", "/flowx/execute", "/x/flow/execute"} {
			require.Equal(t, http.StatusNotFound, do(mux, "GET", target, "").Code, target)
		}
	}
	for _, prefix := range []string{"a b", "/a//b", "/../a", ".", "/{x}", "/a?b", "/a%2Fb", "/ä", "GET /"} {
		_, err := httpapi.Install(http.NewServeMux(), httpapi.Config{APIKey: testKey, RoutePrefix: prefix})
		require.ErrorContains(t, err, "route prefix", prefix)
	}
}

// TestHostKeepsItsPaths mounts a service without a prefix among the routes of a host.
func TestHostKeepsItsPaths(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", says("host"))
	mux.Handle("GET /about", says("about"))
	mux.Handle("/workflows.html", says("page"))
	mux.Handle("GET /workflows/special", says("special"))
	install(t, mux, func(*httpapi.Config) {})
	for target, want := range map[string]string{
		"/about": "about", "/workflows.html": "page", "/workflows/special": "special", "/other": "host", "/execute/x": "host", "/nodesx": "host",
	} {
		require.Equal(t, want, do(mux, "GET", target, "", "Authorization", "").Body.String(), target)
	}
	require.Equal(t, "host", do(mux, "POST", "/", "").Body.String())
	require.Equal(t, http.StatusOK, do(mux, "GET", "/", "", "Authorization", "").Code)
	require.JSONEq(t, `[]`, do(mux, "GET", "/workflows", "").Body.String())
	for _, target := range []string{"/workflows", "/workflows/", "/workflows/x/y", "/validate", "/execute", "/executions", "/executions/1/events", "/nodes", "/nodes/x", "/healthz", "/readyz"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
			require.Equal(t, http.StatusUnauthorized, do(mux, method, target, "", "Authorization", "").Code, "%s %s", method, target)
		}
	}
}

func TestConflicts(t *testing.T) {
	for _, pattern := range []string{"GET /{$}", "POST /execute", "/workflows/{x}/run", "GET /nodes/"} {
		mux := http.NewServeMux()
		mux.Handle(pattern, says("host"))
		_, err := httpapi.Install(mux, testConfig(t))
		require.ErrorContains(t, err, "conflicts", pattern)
		require.ErrorContains(t, err, "RoutePrefix")
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", says("host"))
	install(t, mux, func(c *httpapi.Config) { c.RoutePrefix = "a" })
	install(t, mux, func(c *httpapi.Config) { c.RoutePrefix = "ab" })
	_, err := httpapi.Install(mux, httpapi.Config{APIKey: testKey, RoutePrefix: "/a/", DataDir: t.TempDir()})
	require.ErrorContains(t, err, "conflicts")
}

func never(context.Context, map[string]any) (map[string]any, error) { return nil, nil }

// TestTwoInstalls checks that two services in one process share nothing.
func TestTwoInstalls(t *testing.T) {
	mux := http.NewServeMux()
	otherKey := "Bearer another-key-0123456789"
	install(t, mux, func(c *httpapi.Config) { c.Plugins(plugin{"test.one", never}) })
	install(t, mux, func(c *httpapi.Config) { c.RoutePrefix, c.APIKey = "two", strings.TrimPrefix(otherKey, "Bearer ") })

	require.Equal(t, http.StatusCreated, do(mux, "POST", "/workflows", greet).Code)
	require.JSONEq(t, `[]`, do(mux, "GET", "/two/workflows", "", "Authorization", otherKey).Body.String())
	require.Equal(t, http.StatusUnauthorized, do(mux, "GET", "/two/workflows", "").Code)
	require.Equal(t, http.StatusUnauthorized, do(mux, "GET", "/workflows", "", "Authorization", otherKey).Code)
	require.Equal(t, http.StatusOK, do(mux, "GET", "/nodes/test.one", "").Code)
	require.Equal(t, http.StatusNotFound, do(mux, "GET", "/two/nodes/test.one", "", "Authorization", otherKey).Code)
}

// TestAnyMux mounts a service on a mux that is not an [http.ServeMux].
func TestAnyMux(t *testing.T) {
	mux := wrappingMux{http.NewServeMux()}
	_, err := httpapi.Install(mux, testConfig(t))
	require.NoError(t, err)
	w := do(mux.inner, "POST", "/execute", greet)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "yes", w.Header().Get("X-Wrapped"))
}

// wrappingMux wraps each route in a middleware.
type wrappingMux struct{ inner *http.ServeMux }

func (m wrappingMux) Handle(pattern string, h http.Handler) {
	m.inner.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Wrapped", "yes")
		h.ServeHTTP(w, r)
	})
}

func TestWorkingDirectoryIsTheDefault(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s, err := httpapi.New(httpapi.Config{APIKey: testKey})
	require.NoError(t, err)
	require.NoDirExists(t, "workflows", "nothing is made before it is needed")
	t.Chdir(t.TempDir())
	require.Equal(t, http.StatusCreated, do(s, "POST", "/workflows", greet).Code)
	require.NoDirExists(t, "workflows", "the service stays where it was made")
	require.DirExists(t, filepath.Join(dir, "workflows"))
	require.Contains(t, do(s, "GET", "/", "").Body.String(), `"version":"`)
}

func TestBadPlugin(t *testing.T) {
	c := testConfig(t)
	c.Plugins(plugin{"text.format", never}, plugin{"no dot", never})
	_, err := httpapi.New(c)
	require.ErrorContains(t, err, "text.format")
	require.ErrorContains(t, err, "no dot")
}
