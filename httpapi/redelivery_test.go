package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/state"
	"github.com/svcflow/svc/nodes/trigger"
)

// whenUp is a branch: up goes on if the state has it, down if not.
const whenUp = `,{"id":"db","type":"state.get","config":{"key":"up","default":false}},{"id":"is","type":"control.branch"}`

const whenUpWires = `{"fromNodeId":"db","fromPort":"value","toNodeId":"is","toPort":"condition"},{"fromNodeId":"hook","fromPort":"body","toNodeId":"is","toPort":"value"},` +
	`{"fromNodeId":"is","fromPort":"truePath","toNodeId":"up","toPort":"$after"},{"fromNodeId":"is","fromPort":"falsePath","toNodeId":"down","toPort":"$after"}`

// withState adds the nodes of the plugin "state".
func withState(c *httpapi.Config) { c.ExtraPlugins = append(c.ExtraPlugins, state.Plugin()) }

func (s service) deliver(path string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.hook("POST", "/hooks/"+path, `{"n":1}`, "Authorization", bearer, "X-Delivery", "a")
}

// ended waits until the newest run of a workflow has a status.
func (s service) ended(workflow, status string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		all := requireJSON(s.t, s.do("GET", "/executions?workflowId="+workflow, ""), http.StatusOK).(map[string]any)["items"].([]any)
		return len(all) > 0 && all[0].(map[string]any)["status"] == status
	}, time.Minute, time.Millisecond)
}

// runs returns how many runs a workflow has.
func (s service) runs(workflow string) int {
	s.t.Helper()
	return len(requireJSON(s.t, s.do("GET", "/executions?workflowId="+workflow, ""), http.StatusOK).(map[string]any)["items"].([]any))
}

func TestADeliveryWhoseRunFailedRunsAgain(t *testing.T) {
	for _, respond := range []string{"accepted", "result", "node"} {
		t.Run(respond, func(t *testing.T) {
			s := withHooks(t, "", withState)
			s.arm("", orders("shop", "shop", `,"dedupeHeader":"X-Delivery","respond":"`+respond+`"`,
				whenUp+`,{"id":"down","type":"control.fail","config":{"message":"away"}},{"id":"up","type":"io.output","config":{"name":"said"}}`,
				whenUpWires+`,{"fromNodeId":"is","fromPort":"truePath","toNodeId":"up","toPort":"value"}`))
			ended := func(status string) { t.Helper(); s.ended("shop", status) }
			first := s.deliver("shop")
			ended("failed")
			s.deliver("shop")
			require.Equal(t, 2, s.runs("shop"), "it may come again as long as it fails")
			ended("failed")
			require.Less(t, s.do("PUT", "/state/workflow/shop/up", `{"value":true}`).Code, 300)
			again := s.deliver("shop")
			ended("completed")
			require.Equal(t, 3, s.runs("shop"))
			require.NotEqual(t, first.Body.String(), again.Body.String())
			last := s.deliver("shop")
			require.Equal(t, []any{again.Code, again.Body.String(), 3}, []any{last.Code, last.Body.String(), s.runs("shop")}, "it does not run again after success")
		})
	}
}

func TestARefusedDeliveryDoesNotKeepItsID(t *testing.T) {
	s := withHooks(t, "", withState)
	s.arm("", orders("shop", "shop", `,"dedupeHeader":"X-Delivery","respond":"node"`,
		whenUp+`,{"id":"down","type":"trigger.respond","config":{"status":503,"type":"text/html","body":"come again"}},{"id":"up","type":"trigger.respond","config":{"status":201,"headers":{"X-Order":"7"},"body":{"ok":true}}}`, whenUpWires))
	require.Equal(t, http.StatusServiceUnavailable, s.deliver("shop").Code)
	s.ended("shop", "completed")
	w := s.deliver("shop")
	require.Equal(t, []any{http.StatusServiceUnavailable, 2}, []any{w.Code, s.runs("shop")})
	s.ended("shop", "completed")
	require.Less(t, s.do("PUT", "/state/workflow/shop/up", `{"value":true}`).Code, 300)
	for range 2 { // the second time it is a duplicate, which gets the first answer
		w := s.deliver("shop")
		require.Equal(t, map[string]any{"ok": true}, requireJSON(t, w, http.StatusCreated))
		require.Equal(t, "7", w.Header().Get("X-Order"))
		require.Equal(t, 3, s.runs("shop"))
	}
}

func TestADeliveryDoesNotRunAgainWhileItRuns(t *testing.T) {
	s := withHooks(t, "", withState)
	s.arm("", orders("slow", "slow", `,"dedupeHeader":"X-Delivery","respond":"result"`, `,{"id":"wait","type":"control.delay","config":{"ms":150}}`+
		`,{"id":"bad","type":"control.fail","config":{"message":"away"}}`, `{"fromNodeId":"wait","fromPort":"$done","toNodeId":"bad","toPort":"$after"}`))
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { s.deliver("slow") })
	}
	all.Wait()
	require.Equal(t, 1, s.runs("slow"))
	for range 5 {
		all.Go(func() { s.deliver("slow") })
	}
	all.Wait()
	require.Equal(t, 2, s.runs("slow"), "it failed, and runs again once")
}

func TestADeliveryWhoseRunWasResumedIsDone(t *testing.T) {
	s := withHooks(t, "", withState)
	s.arm("", orders("shop", "shop", `,"dedupeHeader":"X-Delivery","respond":"result"`,
		whenUp+`,{"id":"down","type":"control.fail","config":{"message":"away"}},{"id":"up","type":"io.output","config":{"name":"said"}}`, whenUpWires+`,{"fromNodeId":"is","fromPort":"truePath","toNodeId":"up","toPort":"value"}`))
	failed := requireProblem(t, s.deliver("shop"), http.StatusInternalServerError, "failed").RunID
	require.Less(t, s.do("PUT", "/state/workflow/shop/up", `{"value":true}`).Code, 300)
	resumed := requireJSON(t, s.do("POST", "/executions/"+failed+"/resume", `{"from":"db"}`), http.StatusAccepted).(map[string]any)["runId"].(string)
	require.Eventually(t, func() bool {
		return requireJSON(t, s.do("GET", "/executions/"+resumed, ""), http.StatusOK).(map[string]any)["status"] == "completed"
	}, time.Minute, time.Millisecond)
	require.Equal(t, map[string]any{"said": map[string]any{"n": 1}}, requireJSON(t, s.deliver("shop"), http.StatusOK))
	require.Equal(t, 2, s.runs("shop"))
}

func TestAnswersWithFilesAndSeveralCookies(t *testing.T) {
	s := withHooks(t, "", func(c *httpapi.Config) {
		dir := filepath.Join(c.DataDir, "files")
		require.NoError(t, os.MkdirAll(dir, 0o700))
		env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir})
		require.NoError(t, err)
		kept := &credentials.Memory{}
		require.NoError(t, kept.SetCredential(t.Context(), "webhook:shop", credentials.Credential{Access: credentials.NewSecret(hookSecret)}))
		c.Plugins(trigger.Plugin(trigger.Config{Credentials: kept, Files: env.Files}))
	})
	s.arm("", orders("files", "files", `,"respond":"node","dedupeHeader":"X-Delivery"`,
		`,{"id":"first","type":"json.path","config":{"path":"$[0]"}},{"id":"say","type":"trigger.respond","config":{"headers":{"Set-Cookie":["a=1; Path=/","b=2"],"X-N":[7]}}}`,
		`{"fromNodeId":"hook","fromPort":"files","toNodeId":"first","toPort":"value"},{"fromNodeId":"first","fromPort":"result","toNodeId":"say","toPort":"body"}`))
	picture := "\x89PNG\r\n\x1a\n\x00\xff"
	form := "--b\r\nContent-Disposition: form-data; name=\"pic\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n" + picture + "\r\n--b--\r\n"
	for i := range 2 {
		w := s.hook("POST", "/hooks/files", form, "Authorization", bearer, "Content-Type", "multipart/form-data; boundary=b", "X-Delivery", "one")
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Equal(t, base64.StdEncoding.EncodeToString([]byte(picture)), base64.StdEncoding.EncodeToString(w.Body.Bytes()), "answer %d", i)
		require.Equal(t, "image/png", w.Header().Get("Content-Type"))
		require.Equal(t, []string{"a=1; Path=/", "b=2"}, w.Header().Values("Set-Cookie"))
		require.Equal(t, "7", w.Header().Get("X-N"))
	}
	w := s.do("POST", "/validate", `{"id":"x","nodes":[{"id":"say","type":"trigger.respond","config":{"headers":{"content-length":"x"}}}],"connections":[]}`)
	require.Contains(t, w.Body.String(), `the header \"content-length\" cannot be set here`, "found before a run")
}
