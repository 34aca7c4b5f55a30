package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes/trigger"
)

// TestTriggersByHand holds all requests that run a workflow to the same: nothing fires
// unless the request names it, and what does not fit is told before anything runs.
func TestTriggersByHand(t *testing.T) {
	const flow = `{"id":"fired","nodes":[{"id":"hand","type":"trigger.manual","config":{"sample":"tried"}},` +
		`{"id":"out","type":"io.output","config":{"name":"said"}}],` +
		`"connections":[{"fromNodeId":"hand","fromPort":"payload","toNodeId":"out","toPort":"value"}]}`
	s := newService(t, func(c *httpapi.Config) { c.Plugins(trigger.Plugin()) })
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", flow).Code)
	for _, way := range []struct{ target, begin string }{
		{"/execute", `{"workflow":` + flow},
		{"/executions", `{"workflow":` + flow},
		{"/workflows/fired/run", `{"inputs":{}`},
		{"/workflows/fired/run", `{"async":true`},
	} {
		post := func(members string) *httptest.ResponseRecorder {
			return s.do("POST", way.target, way.begin+members+"}")
		}
		for members, want := range map[string]map[string]any{
			"": {}, `,"trigger":"hand"`: {"said": "tried"}, `,"trigger":"hand","payload":{"payload":[1,null]}`: {"said": []any{1, nil}},
		} {
			w := post(members)
			answer := requireJSON(t, w, w.Code).(map[string]any)
			if w.Code == http.StatusAccepted {
				runID := answer["runId"].(string)
				s.events(runID) // to the end
				answer = requireJSON(t, s.do("GET", "/executions/"+runID, ""), http.StatusOK).(map[string]any)["result"].(map[string]any)
			}
			require.Equal(t, want, answer["outputs"], "%s %s", way.target, members)
		}
		for members, want := range map[string]string{
			`,"trigger":"out"`: "unknown_trigger", `,"payload":{"payload":1}`: "unknown_trigger", `,"trigger":"hand","payload":{"other":1}`: "type_error",
		} {
			p := requireProblem(t, post(members), http.StatusUnprocessableEntity, "validation_failed")
			require.Equal(t, want, p.Errors[0]["code"], members)
		}
		requireProblem(t, post(`,"trigger":1`), http.StatusBadRequest, "malformed")
	}
}
