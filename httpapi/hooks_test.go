package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes/trigger"
)

const hookSecret = "the-secret-of-the-shop"

// withHooks makes a service with a secret for hooks.
func withHooks(t testing.TB, prefix string, change func(*httpapi.Config)) service {
	t.Helper()
	kept := &credentials.Memory{}
	require.NoError(t, kept.SetCredential(t.Context(), "webhook:shop", credentials.Credential{Access: credentials.NewSecret(hookSecret)}))
	return newService(t, func(c *httpapi.Config) {
		c.Triggers, c.RoutePrefix = true, prefix
		c.Plugins(trigger.Plugin(trigger.Config{Credentials: kept}))
		if change != nil {
			change(c)
		}
	})
}

// orders returns a workflow with a hook at a path and nodes that follow it.
func orders(id, path, more, nodes, wires string) string {
	return fmt.Sprintf(`{"id":%q,"nodes":[{"id":"hook","type":"trigger.webhook","config":{"path":%q,"secret":"webhook:shop"%s}}%s],"connections":[%s]}`,
		id, path, more, nodes, wires)
}

const (
	saysBody  = `,{"id":"out","type":"io.output","config":{"name":"said"}}`
	saysWires = `{"fromNodeId":"hook","fromPort":"body","toNodeId":"out","toPort":"value"}`
)

func (s service) arm(prefix, workflow string) map[string]any {
	s.t.Helper()
	w := s.do("POST", prefix+"/workflows", workflow)
	require.Equal(s.t, http.StatusCreated, w.Code, w.Body)
	id := requireJSON(s.t, w, http.StatusCreated).(map[string]any)["id"].(string)
	return requireJSON(s.t, s.do("POST", prefix+"/workflows/"+id+"/activation", ""), http.StatusOK).(map[string]any)
}

// hook calls a hook without the API key.
func (s service) hook(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

const bearer = "Bearer " + hookSecret

func TestHooks(t *testing.T) {
	s := withHooks(t, "/flow", nil)
	made := s.arm("/flow", orders("orders", "orders/{id}", `,"maxBytes":100`, saysBody, saysWires))
	require.Equal(t, "/flow/hooks/orders/{id}", made["triggers"].([]any)[0].(map[string]any)["url"])

	w := s.hook("POST", "/flow/hooks/orders/17?a=1&b=2&b=3", `{"total":9}`, "Authorization", bearer, "X-Shop", "x")
	runID := requireJSON(t, w, http.StatusAccepted).(map[string]any)["runId"].(string)
	require.Eventually(t, func() bool {
		return requireJSON(t, s.do("GET", "/flow/executions/"+runID, ""), http.StatusOK).(map[string]any)["status"] == "completed"
	}, time.Minute, time.Millisecond)
	record := requireJSON(t, s.do("GET", "/flow/executions/"+runID, ""), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"trigger": "hook", "type": "trigger.webhook"}, record["startedBy"])
	require.Equal(t, map[string]any{"said": map[string]any{"total": 9}}, record["result"].(map[string]any)["outputs"])
	last := requireJSON(t, s.do("GET", "/flow/triggers/orders/hook/last", ""), http.StatusOK).(map[string]any)
	require.Equal(t, runID, last["runId"])
	outputs := last["outputs"].(map[string]any)
	require.Equal(t, map[string]any{"id": "17"}, outputs["params"])
	require.Equal(t, map[string]any{"a": "1", "b": []any{"2", "3"}}, outputs["query"])
	require.Equal(t, map[string]any{"content-type": "application/json", "x-shop": "x"}, outputs["headers"])
	require.Equal(t, "192.0.2.1", outputs["remote"])

	requireProblem(t, s.hook("POST", "/flow/hooks/orders/17", "{}"), http.StatusUnauthorized, "unauthorized")
	requireProblem(t, s.hook("POST", "/flow/hooks/orders/17", "{", "Authorization", bearer), http.StatusBadRequest, "malformed")
	requireProblem(t, s.hook("POST", "/flow/hooks/orders/17", strings.Repeat(" ", 101), "Authorization", bearer), http.StatusRequestEntityTooLarge, "too_large")
	require.Equal(t, "OPTIONS, POST", s.hook("OPTIONS", "/flow/hooks/orders/17", "").Header().Get("Allow"))
	requireProblem(t, s.hook("POST", "/flow/hooks/orders/17", "{}", "Authorization", bearer, "Origin", "https://evil.example"), http.StatusForbidden, "cross_origin")
	require.Equal(t, http.StatusAccepted, s.hook("POST", "/flow/hooks/orders/17", "", "Authorization", bearer, "Origin", "http://example.com").Code, "its own pages")

	// Two workflows cannot have the same path; the error names the other one.
	require.Equal(t, http.StatusCreated, s.do("POST", "/flow/workflows", orders("others", "orders/new", "", "", "")).Code)
	p := requireProblem(t, s.do("POST", "/flow/workflows/others/activation", ""), http.StatusConflict, "path_in_use")
	require.Contains(t, p.Detail, `"orders"`)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/flow/workflows/orders/activation", "").Code)
	requireProblem(t, s.hook("POST", "/flow/hooks/orders/17", "{}", "Authorization", bearer), http.StatusUnauthorized, "unauthorized")
	requireJSON(t, s.do("POST", "/flow/workflows/others/activation", ""), http.StatusOK)
}

// TestOnlyArmedHooksAreOpen checks that only armed hooks are public, with their methods and paths.
func TestOnlyArmedHooksAreOpen(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", orders("orders", "orders", `,"methods":["GET"]`, "", ""))
	open := func(method, target string) bool {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.URL, r.RequestURI = method, httptest.NewRequest(http.MethodGet, target, nil).URL, target
		r.Header.Set("Authorization", bearer)
		w := httptest.NewRecorder()
		s.Service.ServeHTTP(w, r)
		return w.Code != http.StatusUnauthorized
	}
	for _, target := range []string{
		"/hooks/orders", "/hooks/orders/", "/hooks/Orders", "/hooks//orders", "/hooks/order", "/hooks/orders/x", "/hooks", "/hooks/", "/hooks/../workflows",
		"/hooks/orders/../orders", "/hooks/orders%2F", "//hooks/orders", "/x/hooks/orders", "/hooks/%6frders",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get"} {
			armed := (target == "/hooks/orders" || target == "/hooks/%6frders") && (method == "GET" || method == "HEAD" || method == "OPTIONS")
			require.Equal(t, armed, open(method, target), "%s %s", method, target)
		}
	}
	requireProblem(t, s.do("POST", "/hooks/orders", ""), http.StatusNotFound, "not_found")
	off := newService(t, func(c *httpapi.Config) { c.Plugins(trigger.Plugin(trigger.Config{})) })
	requireProblem(t, off.hook("GET", "/hooks/orders", ""), http.StatusUnauthorized, "unauthorized")
}

func TestWhatAHookAnswers(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", orders("result", "result", `,"respond":"result"`, saysBody, saysWires))
	s.arm("", orders("fails", "fails", `,"respond":"result"`, `,{"id":"bad","type":"control.fail","config":{"message":"the secret reason"}}`, ""))
	s.arm("", orders("slow", "slow", `,"respond":"result","answerWithinMs":20`, `,{"id":"wait","type":"control.delay","config":{"ms":200}}`, ""))
	s.arm("", orders("answers", "answers", `,"respond":"node"`,
		`,{"id":"say","type":"trigger.respond","config":{"status":201,"headers":{"x-answer":7}}},{"id":"again","type":"trigger.respond","config":{"body":"late"}}`,
		saysWiresTo("say", "body")+`,{"fromNodeId":"say","fromPort":"answered","toNodeId":"again","toPort":"$after"}`))
	s.arm("", orders("silent", "silent", `,"respond":"node"`, "", ""))
	call := func(path string) *httptest.ResponseRecorder {
		return s.hook("POST", "/hooks/"+path, `{"a":1}`, "Authorization", bearer)
	}
	require.Equal(t, map[string]any{"said": map[string]any{"a": 1}}, requireJSON(t, call("result"), http.StatusOK))
	p := requireProblem(t, call("fails"), http.StatusInternalServerError, "failed")
	require.NotEmpty(t, p.RunID)
	require.NotContains(t, p.Detail, "secret reason")
	w := call("slow")
	runID := requireJSON(t, w, http.StatusAccepted).(map[string]any)["runId"].(string)
	require.Equal(t, "/executions/"+runID, w.Header().Get("Location"))

	w = call("answers")
	require.Equal(t, map[string]any{"a": 1}, requireJSON(t, w, http.StatusCreated))
	require.Equal(t, "7", w.Header().Get("X-Answer"))
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "sandbox")
	require.Equal(t, http.StatusNoContent, call("silent").Code, "the run said nothing")
}

func saysWiresTo(node, port string) string {
	return fmt.Sprintf(`{"fromNodeId":"hook","fromPort":"body","toNodeId":%q,"toPort":%q}`, node, port)
}

func TestADeliveryThatComesTwiceIsOne(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", orders("orders", "orders", `,"dedupeHeader":"X-Delivery"`, "", ""))
	call := func(id string) string {
		w := s.hook("POST", "/hooks/orders", "{}", "Authorization", bearer, "X-Delivery", id)
		return requireJSON(t, w, http.StatusAccepted).(map[string]any)["runId"].(string)
	}
	require.Equal(t, call("one"), call("one"))
	require.NotEqual(t, call("one"), call("two"))
}

func TestPagesThatMayCallAHook(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", orders("orders", "orders", `,"allowedOrigins":["https://shop.example"]`, "", ""))
	preflight := func(origin string) http.Header {
		w := s.hook("OPTIONS", "/hooks/orders", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization")
		require.Equal(t, http.StatusNoContent, w.Code)
		return w.Header()
	}
	require.Equal(t, "https://shop.example", preflight("https://shop.example").Get("Access-Control-Allow-Origin"))
	require.Equal(t, "authorization", preflight("https://shop.example").Get("Access-Control-Allow-Headers"))
	require.Empty(t, preflight("https://evil.example").Get("Access-Control-Allow-Origin"))
	w := s.hook("POST", "/hooks/orders", "{}", "Authorization", bearer, "Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusAccepted, w.Code)
	require.Equal(t, "https://shop.example", w.Header().Get("Access-Control-Allow-Origin"))
	requireProblem(t, s.hook("POST", "/hooks/orders", "{}", "Authorization", bearer, "Origin", "null"), http.StatusForbidden, "cross_origin")
}

func TestFilesOfARun(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", orders("files", "files", `,"respond":"result"`, `,{"id":"files","type":"io.output","config":{"name":"files"}},{"id":"at","type":"json.path","config":{"path":"$[0].path"}}`+
		`,{"id":"read","type":"io.file_read"},{"id":"content","type":"io.output","config":{"name":"content"}}`+saysBody,
		`{"fromNodeId":"hook","fromPort":"files","toNodeId":"files","toPort":"value"},{"fromNodeId":"hook","fromPort":"files","toNodeId":"at","toPort":"value"},`+
			`{"fromNodeId":"at","fromPort":"result","toNodeId":"read","toPort":"path"},{"fromNodeId":"read","fromPort":"content","toNodeId":"content","toPort":"value"},`+saysWires))
	form := "--b\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\nAda\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"pic\"; filename=\"../../a b.png\"\r\nContent-Type: image/png\r\n\r\nPNG\r\n--b--\r\n"
	w := s.hook("POST", "/hooks/files", form, "Authorization", bearer, "Content-Type", "multipart/form-data; boundary=b")
	said := requireJSON(t, w, http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"who": "Ada"}, said["said"])
	require.Equal(t, "PNG", said["content"], "its own files are those that it can read")
	file := said["files"].([]any)[0].(map[string]any)
	require.Equal(t, "image", file["kind"])
	at := file["path"].(string)
	require.Regexp(t, `^\.runs/[0-9a-f-]{36}/1-a_b\.png$`, at)
	runID := strings.Split(at, "/")[1]
	listed := requireJSON(t, s.do("GET", "/executions/"+runID+"/files", ""), http.StatusOK).([]any)
	require.Equal(t, at, listed[0].(map[string]any)["path"])
	require.Equal(t, 3, listed[0].(map[string]any)["bytes"])

	// Another run cannot see the file, not even that it exists.
	reads := func(node string) map[string]any {
		w := s.do("POST", "/execute", `{"id":"x","nodes":[`+node+`],"connections":[]}`)
		return requireJSON(t, w, http.StatusOK).(map[string]any)
	}
	for _, name := range []string{at, ".runs", "./.runs/" + runID, ".RUNS/" + runID + "/1-a_b.png"} {
		result := reads(`{"id":"n","type":"io.file_read","config":{"path":"` + name + `"}}`)
		require.Equal(t, "forbidden", result["error"].(map[string]any)["code"], name)
	}
	result := reads(`{"id":"n","type":"io.file_list","config":{"recursive":true}}`)
	require.Equal(t, 0, result["nodes"].(map[string]any)["n"].(map[string]any)["outputs"].(map[string]any)["count"])

	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/executions/"+runID, "").Code)
	requireProblem(t, s.do("GET", "/executions/"+runID+"/files", ""), http.StatusNotFound, "not_found")
}

func TestMetricsOfTriggers(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", orders("orders", "orders", "", "", ""))
	require.Equal(t, http.StatusAccepted, s.hook("POST", "/hooks/orders", "{}", "Authorization", bearer).Code)
	require.Equal(t, http.StatusUnauthorized, s.hook("POST", "/hooks/orders", "{}").Code)
	text := s.do("GET", "/metrics", "").Body.String()
	require.Contains(t, text, `svc_trigger_firings_total{outcome="fired",type="trigger.webhook"} 1`)
	require.Contains(t, text, `svc_trigger_firings_total{outcome="refused",type="trigger.webhook"} 1`)
	require.Contains(t, text, `svc_trigger_waiting{type="trigger.webhook"}`)
}
