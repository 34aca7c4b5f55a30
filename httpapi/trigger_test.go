package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes/trigger"
)

// TestTriggersByHand checks all requests that run a workflow: a trigger fires only if the request
// names it, and invalid requests are refused before anything runs.
func TestTriggersByHand(t *testing.T) {
	const flow = `{"id":"fired","nodes":[{"id":"hand","type":"trigger.manual","config":{"sample":"tried"}},` +
		`{"id":"out","type":"io.output","config":{"name":"said"}}],` +
		`"connections":[{"fromNodeId":"hand","fromPort":"payload","toNodeId":"out","toPort":"value"}]}`
	s := newService(t, func(c *httpapi.Config) { c.Plugins(trigger.Plugin(trigger.Config{})) })
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
			`,"trigger":"hand"`: {"said": "tried"}, `,"trigger":"hand","payload":{"payload":[1,null]}`: {"said": []any{1, nil}},
		} {
			w := post(members)
			answer := requireJSON(t, w, w.Code).(map[string]any)
			if w.Code == http.StatusAccepted {
				runID := answer["runId"].(string)
				s.events(runID) // until the end
				answer = requireJSON(t, s.do("GET", "/executions/"+runID, ""), http.StatusOK).(map[string]any)["result"].(map[string]any)
			}
			require.Equal(t, want, answer["outputs"], "%s %s", way.target, members)
		}
		for members, want := range map[string]string{
			``: "needs_trigger", `,"trigger":"out"`: "unknown_trigger", `,"payload":{"payload":1}`: "unknown_trigger", `,"trigger":"hand","payload":{"other":1}`: "type_error",
		} {
			p := requireProblem(t, post(members), http.StatusUnprocessableEntity, "validation_failed")
			require.Equal(t, want, p.Errors[0]["code"], members)
		}
		requireProblem(t, post(`,"trigger":1`), http.StatusBadRequest, "malformed")
	}
}

// clockwork returns a workflow with an hourly schedule.
func clockwork(every string) string {
	return `{"id":"clockwork","nodes":[{"id":"clock","type":"trigger.schedule","config":{"every":"` + every + `"}}],"connections":[]}`
}

// TestActivations activates, lists and deactivates a workflow.
func TestActivations(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) {
		c.Triggers = true
		c.Plugins(trigger.Plugin(trigger.Config{}))
	})
	const path = "/workflows/clockwork/activation"
	requireProblem(t, s.do("POST", path, ""), http.StatusNotFound, "not_found")
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", clockwork("1h")).Code)
	requireProblem(t, s.do("GET", path, ""), http.StatusNotFound, "not_active")
	requireProblem(t, s.do("DELETE", path, ""), http.StatusNotFound, "not_active")
	require.Empty(t, requireJSON(t, s.do("GET", "/activations", ""), http.StatusOK))
	require.Empty(t, requireJSON(t, s.do("GET", "/triggers", ""), http.StatusOK))

	made := requireJSON(t, s.do("POST", path, `{"concurrency":2,"onInterrupted":"leave"}`), http.StatusOK).(map[string]any)
	clock := made["triggers"].([]any)[0].(map[string]any)
	require.NotEmpty(t, clock["next"])
	require.Len(t, clock["upcoming"], 3)
	delete(clock, "upcoming")
	delete(clock, "next")
	delete(made, "since")
	require.Equal(t, map[string]any{
		"workflowId": "clockwork", "revision": 1, "concurrency": 2, "onInterrupted": "leave",
		"triggers": []any{map[string]any{"nodeId": "clock", "type": "trigger.schedule", "missed": 0, "waiting": 0}},
	}, made)
	requireProblem(t, s.do("DELETE", "/workflows/clockwork", ""), http.StatusConflict, "active")

	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", clockwork("2h")).Code)
	shown := requireJSON(t, s.do("GET", path, ""), http.StatusOK).(map[string]any)
	require.Equal(t, 1, shown["revision"], "saving touches nothing that is live")
	moved := requireJSON(t, s.do("POST", path, ""), http.StatusOK).(map[string]any)
	require.Equal(t, 2, moved["revision"])
	require.Equal(t, shown["since"], moved["since"])
	require.Equal(t, "resume", moved["onInterrupted"])
	back := requireJSON(t, s.do("POST", path, `{"revision":1}`), http.StatusOK).(map[string]any)
	require.Equal(t, 1, back["revision"])
	require.Len(t, requireJSON(t, s.do("GET", "/activations", ""), http.StatusOK), 1)
	all := requireJSON(t, s.do("GET", "/triggers", ""), http.StatusOK).([]any)
	require.Equal(t, "clockwork", all[0].(map[string]any)["workflowId"])

	requireProblem(t, s.do("POST", path, `{"revision":9}`), http.StatusNotFound, "not_found")
	requireProblem(t, s.do("POST", path, `{"onInterrupted":"forget"}`), http.StatusBadRequest, "malformed")
	requireProblem(t, s.do("POST", path, `{"concurrency":0}`), http.StatusBadRequest, "malformed")
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", clockwork("0s")).Code, "a draft")
	p := requireProblem(t, s.do("POST", path, ""), http.StatusUnprocessableEntity, "validation_failed")
	require.Equal(t, "0s is too short; it is at least a second", p.Errors[0]["message"])
	require.Equal(t, 1, requireJSON(t, s.do("GET", path, ""), http.StatusOK).(map[string]any)["revision"], "what was live goes on")

	require.Equal(t, http.StatusNoContent, s.do("DELETE", path, "").Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/clockwork", "").Code)

	off := newService(t, func(c *httpapi.Config) { c.Plugins(trigger.Plugin(trigger.Config{})) })
	require.Equal(t, http.StatusCreated, off.do("POST", "/workflows", clockwork("1h")).Code)
	requireProblem(t, off.do("POST", path, ""), http.StatusConflict, "triggers_off")
	requireProblem(t, off.do("DELETE", path, ""), http.StatusConflict, "triggers_off")
	require.Empty(t, requireJSON(t, off.do("GET", "/triggers", ""), http.StatusOK))
}

// TestActivationsOutliveTheService checks that the next service on a data directory continues with
// the active workflows, and that of two services one fires triggers.
func TestActivationsOutliveTheService(t *testing.T) {
	dir := t.TempDir()
	open := func(prefix string) service {
		return newService(t, func(c *httpapi.Config) {
			c.DataDir, c.Triggers, c.RoutePrefix = dir, true, prefix
			c.Plugins(trigger.Plugin(trigger.Config{}))
		})
	}
	first := open("")
	require.Equal(t, http.StatusCreated, first.do("POST", "/workflows", clockwork("1h")).Code)
	requireJSON(t, first.do("POST", "/workflows/clockwork/activation", ""), http.StatusOK)
	second := open("two")
	shown := requireJSON(t, second.do("GET", "/two/activations", ""), http.StatusOK).([]any)[0].(map[string]any)
	require.Equal(t, true, shown["elsewhere"])
	requireProblem(t, second.do("DELETE", "/two/workflows/clockwork/activation", ""), http.StatusConflict, "armed_elsewhere")

	require.NoError(t, first.Close(ended()))
	require.Eventually(t, func() bool {
		shown := requireJSON(t, second.do("GET", "/two/activations", ""), http.StatusOK).([]any)
		return len(shown) == 1 && shown[0].(map[string]any)["elsewhere"] == nil
	}, time.Minute, 50*time.Millisecond)
}
