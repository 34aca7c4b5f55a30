package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/keys"
)

// shop is a service with two workflows, and a run of each.
type shop struct {
	service

	mine, other string // ids of runs
	limited     string // a key for shop-*
}

const (
	shopDocument  = `{"id":"shop-a","nodes":[{"id":"t","type":"trigger.webhook","config":{"path":"shop/k3m9w2xh5r8vbn4jdcq7tz","auth":"none"}},{"id":"o","type":"io.output","config":{"name":"m"}}],"connections":[{"fromNodeId":"t","fromPort":"method","toNodeId":"o","toPort":"value"}]}`
	otherDocument = `{"id":"bank","nodes":[{"id":"t","type":"trigger.webhook","config":{"path":"bank/k3m9w2xh5r8vbn4jdcq7tz","auth":"none"}},{"id":"o","type":"io.output","config":{"name":"m"}}],"connections":[{"fromNodeId":"t","fromPort":"method","toNodeId":"o","toPort":"value"}]}`
)

func newShop(t *testing.T) shop {
	t.Helper()
	s := shop{service: withHooks(t, "", func(c *httpapi.Config) { c.DataDir = t.TempDir() })}
	for _, document := range []string{shopDocument, otherDocument} {
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", document).Code)
	}
	s.mine, s.other = s.started("shop-a"), s.started("bank")
	for _, id := range []string{"shop-a", "bank"} {
		w := s.do("POST", "/workflows/"+id+"/activation", "")
		require.Equal(t, http.StatusOK, w.Code, w.Body)
	}
	s.limited = s.makeKey(`{"name":"shop","scopes":["read","run"],"workflows":["shop-*"]}`)
	return s
}

// started starts a workflow and returns the id of the run when it has ended.
func (s shop) started(id string) string {
	s.t.Helper()
	w := s.do("POST", "/workflows/"+id+"/run", `{"async":true,"trigger":"t","payload":{"method":"GET"}}`)
	require.Equal(s.t, http.StatusAccepted, w.Code, w.Body)
	var answer struct{ RunID string }
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &answer))
	s.do("GET", "/executions/"+answer.RunID+"/events", "")
	return answer.RunID
}

// TestLimitedKeysOnEveryRoute calls all routes with a key that is limited to workflows: those of its
// workflow, and those of another one. A new route has to be added here.
func TestLimitedKeysOnEveryRoute(t *testing.T) {
	const (
		open     = "open to the key"
		mine     = "only for its workflow; others are 404"
		noScope  = "needs a scope that such a key cannot have"
		refused  = "403, although the scope fits"
		filtered = "leaves out other workflows"
	)
	want := map[string]string{
		"GET /": open, "OPTIONS /": open, "GET /healthz": open, "GET /readyz": open, "GET /service": open, "GET /openapi.json": open,
		"POST /validate": open, "POST /hints": open, "POST /layout": open, "GET /nodes": open, "GET /nodes/{type}": open,
		"GET /auth/{network}/callback": open,

		"GET /metrics": refused, "GET /state/shared": refused, "GET /state/workflow/{id}": refused,
		"GET /state/shared/{key}": refused, "GET /state/workflow/{id}/{key}": refused,
		"GET /files": refused, "GET /files/{path}": refused,

		"GET /executions": filtered, "GET /workflows": filtered, "GET /activations": filtered, "GET /triggers": filtered,

		"GET /executions/{id}": mine, "GET /executions/{id}/events": mine, "GET /executions/{id}/workflow": mine,
		"GET /executions/{id}/inputs": mine, "GET /executions/{id}/files": mine, "POST /executions/{id}/cancel": mine,
		"POST /executions/{id}/resume": mine, "GET /workflows/{id}": mine, "GET /workflows/{id}/revisions": mine,
		"GET /workflows/{id}/revisions/{n}": mine, "POST /workflows/{id}/run": mine, "GET /workflows/{id}/activation": mine,
		"GET /triggers/{workflowId}/{nodeId}/last": mine,
	}
	s := newShop(t)
	fill := func(path, workflow, runID string) string {
		id := workflow
		if strings.HasPrefix(path, "/executions/") {
			id = runID
		}
		return filled(strings.NewReplacer("{id}", id, "{workflowId}", workflow, "{nodeId}", "t", "{n}", "1").Replace(path))
	}
	for _, route := range s.RouteTable() {
		name := route.Method + " " + route.Path
		kind, known := want[name]
		if !known {
			kind = noScope
		}
		if kind == noScope {
			require.NotContains(t, []keys.Scope{keys.Read, keys.Run, ""}, route.Scope, "say here what limited keys get of %s", name)
		}
		own := s.as(s.limited, route.Method, fill(route.Path, "shop-a", s.mine), "")
		foreign := s.as(s.limited, route.Method, fill(route.Path, "bank", s.other), "")
		switch kind {
		case noScope, refused:
			requireProblem(t, own, http.StatusForbidden, "forbidden")
			requireProblem(t, foreign, http.StatusForbidden, "forbidden")
		case mine:
			require.NotContains(t, []int{http.StatusForbidden, http.StatusUnauthorized}, own.Code, name)
			if own.Code == http.StatusNotFound { // nothing has fired yet, for example
				require.NotContains(t, own.Body.String(), "workflow not found", name)
			}
			missing := s.as(s.limited, route.Method, fill(route.Path, "shop-none", "01890a5d-ac96-774b-bcce-b302099a8057"), "")
			require.Equal(t, http.StatusNotFound, foreign.Code, "%s: %s", name, foreign.Body)
			if name != "GET /workflows/{id}/activation" && !strings.HasPrefix(name, "GET /triggers/") {
				require.Equal(t, missing.Body.String(), foreign.Body.String(), "%s: one cannot tell what exists", name)
			}
		case filtered:
			require.Equal(t, http.StatusOK, own.Code, name)
			require.Contains(t, own.Body.String(), "shop-a", name)
			require.NotContains(t, own.Body.String(), "bank", name)
		case open:
			require.NotContains(t, []int{http.StatusForbidden, http.StatusUnauthorized}, own.Code, name)
		}
	}
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows/bank", "").Code, "nothing has changed")
}

func TestLimitedKeysRunTheirWorkflows(t *testing.T) {
	s := newShop(t)
	fired := `{"trigger":"t","payload":{"method":"PUT"}}`
	require.Contains(t, s.as(s.limited, "POST", "/workflows/shop-a/run", fired).Body.String(), `"completed"`)
	requireProblem(t, s.as(s.limited, "POST", "/workflows/bank/run", fired), http.StatusNotFound, "not_found")
	requireProblem(t, s.as(s.limited, "POST", "/workflows/shop-a/run", `{"overrides":{"o":{"name":"n"}}}`), http.StatusForbidden, "forbidden")

	// Pages are filled although most runs belong to others.
	for range 5 {
		s.started("bank")
	}
	for range 2 {
		s.started("shop-a")
	}
	seen := 0
	for cursor, pages := "", 0; ; pages++ {
		require.Less(t, pages, 9)
		var page run.Page
		w := s.as(s.limited, "GET", "/executions?limit=1"+cursor, "")
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &page))
		require.LessOrEqual(t, len(page.Items), 1)
		for i := range page.Items {
			require.Equal(t, "shop-a", page.Items[i].WorkflowID)
			seen++
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	require.Equal(t, 4, seen)
	require.NotContains(t, s.as(s.limited, "GET", "/executions?workflowId=bank", "").Body.String(), "bank")
	require.NotContains(t, s.as(s.limited, "GET", "/workflows?limit=1", "").Body.String(), "bank")
}

func TestPatternsOfLimitedKeys(t *testing.T) {
	for pattern, ids := range map[string]map[string]bool{
		"a":        {"a": true, "ab": false, "": false, "A": false},
		"*":        {"a": true, "x/y z": true},
		"a*":       {"a": true, "abc": true, "ba": false},
		"*a":       {"a": true, "ba": true, "ab": false},
		"a*a":      {"a": false, "aa": true, "aba": true, "abab": false},
		"a*b*c":    {"abc": true, "axbxc": true, "acb": false, "abcbc": true},
		`a\*`:      {"a*": true, "ab": false, `a\`: false, `a\*`: false},
		`\**`:      {"*": true, "*a": true, "a": false},
		`a\b`:      {`a\b`: true, "ab": false},
		"a?[b].c":  {"a?[b].c": true, "axb.c": false},
		"ü*/ß":     {"über/ß": true, "u/ß": false},
		"**a**":    {"bab": true, "b": false},
		"shop-*-x": {"shop-x": false, "shop--x": true, "shop-1-x": true, "shop-1-xy": false},
	} {
		q := keys.Request{Workflows: []string{"nothing-else", pattern}}
		for id, want := range ids {
			require.Equal(t, want, q.Sees(id), "%s and %s", pattern, id)
		}
	}
	s := newService(t, nil)
	for body, want := range map[string]string{
		`{"name":"a","scopes":["read","write"],"workflows":["a"]}`:                       "not write",
		`{"name":"a","scopes":["execute"],"workflows":["a"]}`:                            "not execute",
		`{"name":"a","scopes":["admin"],"workflows":["a"]}`:                              "not admin",
		`{"name":"a","scopes":["run","hooks"],"workflows":["a"]}`:                        "not hooks",
		`{"name":"a","scopes":["credentials"],"workflows":["a"]}`:                        "not credentials",
		`{"name":"a","scopes":["read"],"workflows":[""]}`:                                "not empty",
		`{"name":"a","scopes":["read"],"workflows":"a"}`:                                 "list",
		`{"name":"a","scopes":["read"],"workflows":[1]}`:                                 "",
		`{"name":"a","scopes":["run"],"workflows":["` + strings.Repeat("a", 401) + `"]}`: "400",
	} {
		p := requireProblem(t, s.do("POST", "/keys", body), http.StatusBadRequest, "malformed")
		require.Contains(t, p.Detail, want, body)
	}
	s.makeKey(`{"name":"a","scopes":["read","run"],"workflows":["x-*","y"]}`)
	require.Contains(t, s.do("GET", "/keys", "").Body.String(), `"workflows":["x-*","y"]`)
}

// TestDocumentsNeedExecute checks that the scope run starts stored workflows as they are, and that
// whatever brings a document or changes one needs the scope execute.
func TestDocumentsNeedExecute(t *testing.T) {
	s := newShop(t)
	both := s.makeKey(`{"name":"both","scopes":["run","execute"]}`)
	only := s.makeKey(`{"name":"only","scopes":["run"]}`)
	execute := s.makeKey(`{"name":"execute","scopes":["execute"]}`)
	refuses := func(key, scope, target, body string) {
		t.Helper()
		p := requireProblem(t, s.as(key, "POST", target, body), http.StatusForbidden, "forbidden")
		require.Contains(t, p.Detail, "the scope "+scope+";")
	}
	const document = `{"id":"d","nodes":[],"connections":[]}`
	for _, target := range []string{"/execute", "/executions"} {
		refuses(only, "execute", target, document)
		refuses(only, "execute", target, `{"inputs":{},"workflow":`+document+`}`)
		require.Less(t, s.as(execute, "POST", target, document).Code, 300)
	}
	refuses(only, "execute", "/nodes/io.output/choices", `{"port":"value"}`)

	const overrides = `{"trigger":"t","payload":{"method":"GET"},"overrides":{"o":{"name":"n"}}}`
	for _, body := range []string{overrides, strings.Replace(overrides, "{", `{"async":true,`, 1)} {
		refuses(only, "execute", "/workflows/shop-a/run", body)
		refuses(execute, "run", "/workflows/shop-a/run", body)
		require.Less(t, s.as(both, "POST", "/workflows/shop-a/run", body).Code, 300)
	}
	resume := "/executions/" + s.mine + "/resume"
	refuses(only, "execute", resume, `{"workflow":`+shopDocument+`}`)
	refuses(execute, "run", resume, `{"workflow":`+shopDocument+`}`)
	for _, body := range []string{"", `{"workflow":"current"}`, `{"workflow":"recorded"}`, `{"from":"o"}`} {
		require.NotEqual(t, http.StatusForbidden, s.as(only, "POST", resume, body).Code, body)
	}
	require.NotEqual(t, http.StatusForbidden, s.as(both, "POST", resume, `{"workflow":`+shopDocument+`}`).Code)
}
