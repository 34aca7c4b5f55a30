package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes/trigger"
)

func TestTriggersThatCannotFireHaveAProblem(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(down.Close)
	kept := &credentials.Memory{}
	require.NoError(t, kept.SetCredential(t.Context(), "webhook:shop", credentials.Credential{Access: credentials.NewSecret(hookSecret)}))
	s := newService(t, func(c *httpapi.Config) {
		c.Triggers = true
		c.Plugins(trigger.Plugin(trigger.Config{Credentials: kept, HTTP: down.Client()}))
	})
	one := func(id, typ, config string) string {
		return fmt.Sprintf(`{"id":%q,"nodes":[{"id":"t","type":%q,"config":%s}],"connections":[]}`, id, typ, config)
	}
	s.arm("", one("good", "trigger.webhook", `{"path":"good/{id}","secret":"webhook:shop"}`))
	s.arm("", one("keyless", "trigger.webhook", `{"path":"keyless","secret":"webhook:gone"}`))
	s.arm("", one("over", "trigger.schedule", `{"cron":"0 8 * * *","until":"2020-01-01T00:00:00Z"}`))
	s.arm("", one("soon", "trigger.schedule", `{"every":"1h"}`))
	s.arm("", one("feed", "trigger.feed", `{"url":"`+down.URL+`/feed","every":"1h"}`))
	problems := func() map[string]string {
		found := map[string]string{}
		for _, item := range requireJSON(t, s.do("GET", "/triggers", ""), http.StatusOK).([]any) {
			one := item.(map[string]any)
			found[one["workflowId"].(string)], _ = one["problem"].(string)
		}
		return found
	}
	require.Eventually(t, func() bool { return problems()["feed"] != "" }, time.Minute, 10*time.Millisecond)
	found := problems()
	require.Empty(t, found["good"])
	require.Empty(t, found["soon"])
	require.Contains(t, found["keyless"], "webhook:gone")
	require.Contains(t, found["over"], "no time left")
	require.Contains(t, found["feed"], "404")
	active := requireJSON(t, s.do("GET", "/workflows/keyless/activation", ""), http.StatusOK).(map[string]any)
	require.Contains(t, active["triggers"].([]any)[0].(map[string]any)["problem"], "webhook:gone")

	require.NoError(t, kept.SetCredential(t.Context(), "webhook:gone", credentials.Credential{Access: credentials.NewSecret("found again")}))
	require.Empty(t, problems()["keyless"], "it can be called now")
}

func TestListsOfRunsSayWhyOneFailed(t *testing.T) {
	s := withHooks(t, "", nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", `{"id":"sad","nodes":[{"id":"bad","type":"control.fail","config":{"message":"no paper"}}],"connections":[]}`).Code)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", `{"id":"glad","nodes":[{"id":"good","type":"text.format","config":{"template":"x"}}],"connections":[]}`).Code)
	for _, id := range []string{"sad", "glad"} {
		require.Equal(t, http.StatusOK, s.do("POST", "/workflows/"+id+"/run", "{}").Code)
	}
	errors := map[string]any{}
	for _, item := range requireJSON(t, s.do("GET", "/executions", ""), http.StatusOK).(map[string]any)["items"].([]any) {
		errors[item.(map[string]any)["workflowId"].(string)] = item.(map[string]any)["error"]
	}
	require.Equal(t, map[string]any{"sad": map[string]any{"code": "failed", "message": "no paper", "nodeId": "bad"}, "glad": nil}, errors)
}
