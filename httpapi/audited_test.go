package httpapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/audit"
)

// audited reads the audit log of a service.
func audited(t *testing.T, path string) []audit.Entry {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var list []audit.Entry
	for line := range bytes.Lines(text) {
		var e audit.Entry
		require.NoError(t, json.Unmarshal(line, &e))
		require.False(t, e.Time.IsZero())
		require.Equal(t, "192.0.2.1", e.From)
		list = append(list, e)
	}
	return list
}

func TestChangesAreAudited(t *testing.T) {
	dir := t.TempDir()
	s := newService(t, func(c *httpapi.Config) { c.DataDir, c.RoutePrefix = dir, "flow" })
	path := filepath.Join(dir, audit.File)
	require.NoFileExists(t, path)

	key := requireJSON(t, s.do("POST", "/flow/keys", `{"name":"ci","scopes":["write","run","execute"]}`), http.StatusCreated).(map[string]any)["key"].(string)
	require.Equal(t, http.StatusCreated, s.as(key, "POST", "/flow/workflows", greet).Code)
	runID := requireJSON(t, s.as(key, "POST", "/flow/workflows/greet/run", `{"async":true,"inputs":{"who":"a-secret-input"}}`), http.StatusAccepted).(map[string]any)["runId"].(string)
	ran := requireJSON(t, s.as(key, "POST", "/flow/workflows/greet/run", `{"inputs":{"who":"a-secret-input"}}`), http.StatusOK).(map[string]any)["runId"].(string)
	posted := requireJSON(t, s.as(key, "POST", "/flow/execute", greet), http.StatusOK).(map[string]any)["runId"].(string)
	require.Equal(t, http.StatusUnprocessableEntity, s.as(key, "POST", "/flow/workflows/greet/run", `{"inputs":{"nobody":1}}`).Code, "nothing ran")
	secret := `{"kind":"bearer","access_token":"a-secret-token","hosts":["api.example.com"]}`
	require.Equal(t, http.StatusNoContent, s.do("PUT", "/flow/credentials/http:api", secret).Code)
	require.Equal(t, http.StatusNoContent, s.as(key, "DELETE", "/flow/workflows/greet", "").Code)
	require.Equal(t, http.StatusForbidden, s.as(key, "GET", "/flow/credentials", "").Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/flow/keys/ci", "", "X-Request-Id", "r-1").Code)
	require.Equal(t, http.StatusUnauthorized, s.as(key, "DELETE", "/flow/workflows/greet", "").Code)
	require.Equal(t, http.StatusUnauthorized, s.as(key, "GET", "/nothing/at-a-secret-place", "").Code)
	require.Equal(t, http.StatusForbidden, s.do("POST", "/flow/workflows", greet, "Origin", stranger).Code)

	got := audited(t, path)
	want := []audit.Entry{
		{Who: "main", Does: "POST /keys", ID: "ci", Outcome: "done", Status: 201},
		{Who: "ci", Does: "POST /workflows", ID: "greet", Outcome: "done", Status: 201},
		{Who: "ci", Does: "POST /workflows/{id}/run", ID: runID, Outcome: "done", Status: 202},
		{Who: "ci", Does: "POST /workflows/{id}/run", ID: ran, Outcome: "done", Status: 200},
		{Who: "ci", Does: "POST /execute", ID: posted, Outcome: "done", Status: 200},
		{Who: "main", Does: "PUT /credentials/{ref}", ID: "http:api", Outcome: "done", Status: 204},
		{Who: "ci", Does: "DELETE /workflows/{id}", ID: "greet", Outcome: "done", Status: 204},
		{Who: "ci", Does: "GET /credentials", Outcome: "refused", Status: 403, Code: "forbidden"},
		{Who: "main", Does: "DELETE /keys/{name}", ID: "ci", Outcome: "done", Status: 204, Request: "r-1"},
		{Does: "DELETE /workflows/{id}", ID: "greet", Outcome: "refused", Status: 401, Code: "unauthorized"},
		{Does: "GET", Outcome: "refused", Status: 401, Code: "unauthorized"},
		{Who: "main", Does: "POST /workflows", Outcome: "refused", Status: 403, Code: "cross_origin"},
	}
	for i := range got {
		got[i].Time, got[i].From = want[0].Time, ""
	}
	require.Equal(t, want, got)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, secret := range []string{key, "a-secret", testKey} {
		require.NotContains(t, string(text), secret)
	}
}

// TestEveryChangeIsAudited checks for all routes that changes are logged and reads are not. Asking
// a network for choices is a read.
func TestEveryChangeIsAudited(t *testing.T) {
	for _, route := range newService(t, nil).RouteTable() {
		changes := route.Method != http.MethodGet && route.Method != http.MethodOptions && route.Scope != "read" && !strings.HasSuffix(route.Path, "/choices") || strings.HasSuffix(route.Path, "/callback")
		require.Equal(t, changes, route.Changes, "%s %s", route.Method, route.Path)
	}
}

func TestReadsAndMistakesAreNotAudited(t *testing.T) {
	dir := t.TempDir()
	s := newService(t, func(c *httpapi.Config) { c.DataDir = dir })
	s.do("GET", "/workflows", "")
	s.do("POST", "/validate", greet)
	s.do("POST", "/execute", "{")
	s.do("POST", "/workflows", "{")
	s.do("DELETE", "/workflows/x", "", "If-Match", `"x"`)
	s.do("GET", "/nothing", "")
	require.NoFileExists(t, filepath.Join(dir, audit.File))
	requireProblem(t, s.do("GET", "/auth/pronet/callback?state=x", ""), http.StatusBadRequest, "wrong_state")
	require.Equal(t, http.StatusBadRequest, s.do("GET", "/auth/pronet/callback?state=x", "", "Accept", "text/html").Code)
	list := audited(t, filepath.Join(dir, audit.File))
	require.Len(t, list, 2)
	for _, e := range list {
		require.Equal(t, "refused GET /auth/{network}/callback pronet wrong_state", string(e.Outcome)+" "+e.Does+" "+e.ID+" "+e.Code)
	}
}

func TestAuditElsewhereOrNowhere(t *testing.T) {
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "svc.log")
	for _, where := range []string{"none", path} {
		s := newService(t, func(c *httpapi.Config) { c.DataDir, c.Audit = dir, where })
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
		require.NoError(t, s.Close(t.Context()))
	}
	require.NoFileExists(t, filepath.Join(dir, audit.File))
	require.Len(t, audited(t, path), 1)
}

// TestAuditThatCannotBeWritten checks that requests succeed, and that their lines go to the
// operators' log.
func TestAuditThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, audit.File), 0o700))
	var log bytes.Buffer
	s := newService(t, func(c *httpapi.Config) {
		c.DataDir, c.Log = dir, slog.New(slog.NewJSONHandler(&log, nil))
	})
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	require.Contains(t, log.String(), `"does":"POST /workflows"`)
	requireFigures(t, s, "svc_audit_errors_total 1")
}
