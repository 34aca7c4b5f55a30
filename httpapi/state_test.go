package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes/state"
)

// TestState creates, reads, changes and deletes values, by clients and by nodes.
func TestState(t *testing.T) {
	const flow = `{"id":"a/b","nodes":[{"id":"n","type":"state.incr","config":{"key":"n"}},{"id":"out","type":"io.output","config":{"name":"n"}}],` +
		`"connections":[{"fromNodeId":"n","fromPort":"value","toNodeId":"out","toPort":"value"}]}`
	s := newService(t, func(c *httpapi.Config) { c.Plugins(state.Plugin()) })
	const path = "/state/workflow/a%2Fb/n"
	requireProblem(t, s.do("PUT", path, `{"value":1}`), http.StatusNotFound, "not_found")
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", flow).Code)
	requireProblem(t, s.do("GET", path, ""), http.StatusNotFound, "no_state")

	w := s.do("PUT", path, `{"value":41}`)
	require.Equal(t, map[string]any{"key": "n", "value": 41, "revision": 1}, requireJSON(t, w, http.StatusOK))
	require.Equal(t, `"1"`, w.Header().Get("ETag"))
	answer := requireJSON(t, s.do("POST", "/workflows/a%2Fb/run", "{}"), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"n": 42}, answer["outputs"])
	w = s.do("GET", path, "")
	require.Equal(t, map[string]any{"key": "n", "value": 42, "revision": 2}, requireJSON(t, w, http.StatusOK))
	require.Equal(t, http.StatusNotModified, s.do("GET", path, "", "If-None-Match", `"2"`).Code)
	require.Equal(t, http.StatusOK, s.do("GET", path, "", "If-None-Match", `"1"`).Code)

	requireProblem(t, s.do("PUT", path, `{"value":1}`, "If-Match", `"1"`), http.StatusPreconditionFailed, "precondition_failed")
	requireProblem(t, s.do("PUT", path, `{"value":1}`, "If-None-Match", "*"), http.StatusPreconditionFailed, "precondition_failed")
	requireProblem(t, s.do("DELETE", path, "", "If-Match", `"1"`), http.StatusPreconditionFailed, "precondition_failed")
	require.Equal(t, http.StatusNoContent, s.do("DELETE", path, "", "If-Match", `"2"`).Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", path, "").Code)
	requireProblem(t, s.do("PUT", path, `{"value":1}`, "If-Match", "*"), http.StatusPreconditionFailed, "precondition_failed")

	w = s.do("PUT", "/state/shared/%C3%A4%2Fb", `{"value":{"a":[null,9007199254740993]},"ttl":"1h"}`, "If-None-Match", "*")
	kept := requireJSON(t, w, http.StatusOK).(map[string]any)
	require.NotEmpty(t, kept["expiresAt"])
	require.Equal(t, "ä/b", kept["key"])
	require.Equal(t, map[string]any{"a": []any{nil, 9007199254740993}}, kept["value"])
	for body, want := range map[string]int{
		`{}`: http.StatusBadRequest, `{"value":1,"ttl":"soon"}`: http.StatusBadRequest, `{"value":1,"ttl":"1ms"}`: http.StatusBadRequest,
		`{"value":1,"more":2}`: http.StatusBadRequest, `1`: http.StatusBadRequest,
	} {
		requireProblem(t, s.do("PUT", "/state/shared/k", body), want, "malformed")
	}
	requireProblem(t, s.do("PUT", "/state/shared/"+strings.Repeat("k", 201), `{"value":1}`), http.StatusBadRequest, "invalid_key")
	requireProblem(t, s.do("PUT", "/state/shared/k", fmt.Sprintf(`{"value":"%0*d"}`, 256<<10, 0)), http.StatusUnprocessableEntity, "limit_exceeded")
}
