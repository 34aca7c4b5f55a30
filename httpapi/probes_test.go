package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

func TestHomeTellsDraining(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusOK, s.do("GET", "/", "").Code)
	options := s.do("OPTIONS", "/", "", "Authorization", "") // the health check of HAProxy
	require.Equal(t, http.StatusNoContent, options.Code)
	require.Equal(t, "GET, HEAD, OPTIONS", options.Header().Get("Allow"))
	require.Equal(t, http.StatusUnauthorized, s.do("OPTIONS", "/nodes", "", "Authorization", "").Code)
	require.NoError(t, s.Close(t.Context()))
	w := s.do("GET", "/", "", "Authorization", "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.JSONEq(t, `{"status":"draining","service":"svc","version":"test"}`, w.Body.String())
	require.Equal(t, http.StatusServiceUnavailable, s.do("HEAD", "/", "").Code)
	require.Equal(t, http.StatusServiceUnavailable, s.do("OPTIONS", "/", "").Code)
	require.Equal(t, http.StatusOK, s.do("GET", "/", "", "Accept", "text/html").Code, "who watches runs goes on")
}

// TestProbes requests the probes, and checks that no other route of the service is served, with or
// without a key.
func TestProbes(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.RoutePrefix = "flow" })
	probe := func(method, target string) *httptest.ResponseRecorder {
		return do(s.Probes(), method, target, "", "Authorization", "")
	}
	for _, target := range []string{"/healthz", "/readyz", "/metrics"} {
		require.Equal(t, http.StatusOK, probe("GET", target).Code, target)
		require.Equal(t, http.StatusOK, probe("HEAD", target).Code, target)
		require.Equal(t, http.StatusOK, probe("OPTIONS", target).Code, target)
		requireProblem(t, probe("POST", target), http.StatusMethodNotAllowed, "method_not_allowed")
	}
	for _, route := range s.Routes() {
		requireProblem(t, probe(route[0], route[1]), http.StatusNotFound, "not_found")
		requireProblem(t, do(s.Probes(), route[0], route[1], ""), http.StatusNotFound, "not_found")
	}
	requireProblem(t, probe("GET", "/"), http.StatusNotFound, "not_found")

	require.NoError(t, s.Close(t.Context()))
	requireProblem(t, probe("GET", "/readyz"), http.StatusServiceUnavailable, "stopping")
	require.Equal(t, http.StatusOK, probe("GET", "/healthz").Code)
	require.Contains(t, probe("GET", "/metrics").Body.String(), `svc_http_problems_total{code="stopping"} 1`)
}
