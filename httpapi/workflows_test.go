package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
)

func withID(id string) string {
	return strings.Replace(greet, `"greet"`, string(value.AppendText(nil, id)), 1)
}

func TestEveryLegalIDRoundTrips(t *testing.T) {
	ids := []string{
		"health", "healthz", "metrics", "revisions", "run", "configs", "...", ".a", "..a", "a..", "a/b", "/", "//", "a//b", "../x", "/etc/passwd",
		"CON", "con", "nul.json", "%", "%2F", "a%2Fb", "%2e%2e", "a b", " ", "+", "a+b", "?", "#", "a?b=c#d", ";x", "&", "=", "@", ":", "\\", "..\\x",
		`"`, "<script>", "*", "{id}", "é", "e\u0301", strings.Repeat("\u202e", 200), strings.Repeat("x", 200), strings.Repeat("/", 200), "🙂", "\u2028", "Straße", "STRASSE",
	}
	for name, open := range map[string]func(*testing.T) (base string, c *http.Client){
		"served directly": func(t *testing.T) (string, *http.Client) {
			web := httptest.NewServer(newService(t, nil))
			t.Cleanup(web.Close)
			return web.URL, web.Client()
		},
		"mounted at the root": func(t *testing.T) (string, *http.Client) { return mountedServer(t, "") },
		"mounted at a prefix": func(t *testing.T) (string, *http.Client) { return mountedServer(t, "/deep/flow") },
	} {
		t.Run(name, func(t *testing.T) {
			base, client := open(t)
			for _, id := range ids {
				requireStored(t, client, base, id)
			}
			listed, err := value.Decode(send(t, client, "GET", base+"/workflows", "", http.StatusOK).body)
			require.NoError(t, err)
			require.Len(t, listed, len(ids), "no two ids share a place")
			for _, id := range ids {
				at := base + "/workflows/" + url.PathEscape(id)
				send(t, client, "DELETE", at, "", http.StatusNoContent)
				send(t, client, "GET", at, "", http.StatusNotFound)
			}
			require.JSONEq(t, `[]`, string(send(t, client, "GET", base+"/workflows", "", http.StatusOK).body))
		})
	}
}

func mountedServer(t *testing.T, prefix string) (string, *http.Client) {
	mux := http.NewServeMux()
	c := testConfig(t)
	c.RoutePrefix = prefix
	_, err := httpapi.Install(mux, c)
	require.NoError(t, err)
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return web.URL + prefix, web.Client()
}

// requireStored saves a workflow and uses it in all ways.
func requireStored(t *testing.T, client *http.Client, base, id string) {
	t.Helper()
	saved := send(t, client, "POST", base+"/workflows", withID(id), http.StatusCreated)
	at := base + "/workflows/" + url.PathEscape(id)
	require.True(t, strings.HasSuffix(at, saved.header.Get("Location")), id)
	loaded := send(t, client, "GET", at, "", http.StatusOK)
	require.Equal(t, saved.header.Get("ETag"), loaded.header.Get("ETag"))
	require.JSONEq(t, withID(id), string(loaded.body))
	run, err := value.Decode(send(t, client, "POST", at+"/run", "", http.StatusOK).body)
	require.NoError(t, err)
	require.Equal(t, id, run.(map[string]any)["workflowId"])
	send(t, client, "GET", at+"/revisions", "", http.StatusOK)
	require.JSONEq(t, withID(id), string(send(t, client, "GET", at+"/revisions/1", "", http.StatusOK).body))
}

type reply struct {
	header http.Header
	body   []byte
}

// send sends a request over the network and follows no redirects.
func send(t *testing.T, client *http.Client, method, target, body string, want int) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	require.NoError(t, err)
	r.Header = newRequest(method, "/", body).Header
	resp, err := client.Transport.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, want, resp.StatusCode, "%s %s: %s", method, target, text)
	return reply{resp.Header, text}
}

func TestIDsThatAreNone(t *testing.T) {
	s := newService(t, nil)
	for _, id := range []string{"..", ".", "a\x00b", "\n", strings.Repeat("x", 201), "\x7f", "\u0085"} {
		p := requireProblem(t, s.do("POST", "/workflows", withID(id)), http.StatusUnprocessableEntity, "validation_failed")
		require.Equal(t, "invalid_id", p.Errors[0]["code"])
	}
	for _, escaped := range []string{"%2e%2e", "%2E", "%00", "%0a", "%ff", "%c0%ae", strings.Repeat("x", 201)} {
		at := "/workflows/" + escaped
		requireProblem(t, s.do("GET", at, ""), http.StatusNotFound, "not_found")
		requireProblem(t, s.do("DELETE", at, ""), http.StatusNotFound, "not_found")
		requireProblem(t, s.do("POST", at+"/run", ""), http.StatusNotFound, "not_found")
		requireProblem(t, s.do("GET", at+"/revisions", ""), http.StatusNotFound, "not_found")
		requireProblem(t, s.do("GET", at+"/revisions/1", ""), http.StatusNotFound, "not_found")
	}
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	for _, n := range []string{"0", "-1", "2", "x", "1.0", "99999999999999999999"} {
		requireProblem(t, s.do("GET", "/workflows/greet/revisions/"+n, ""), http.StatusNotFound, "not_found")
	}
}

func TestConditions(t *testing.T) {
	s := newService(t, nil)
	other := strings.Replace(greet, "Hello", "Bye", 1)
	requireProblem(t, s.do("POST", "/workflows", greet, "If-Match", "*"), http.StatusPreconditionFailed, "precondition_failed")
	first := s.do("POST", "/workflows", greet).Header().Get("ETag")
	require.Regexp(t, `^"[0-9a-f]{64}"$`, first)
	require.Equal(t, first, s.do("POST", "/workflows", greet).Header().Get("ETag"), "the same again")
	second := s.do("POST", "/workflows", other, "If-Match", `"x", `+first).Header().Get("ETag")
	require.NotEqual(t, first, second)

	for _, match := range []string{first, "W/" + second, strings.Trim(second, `"`) + "x", `"`, `""`, ",", `"*`} {
		requireProblem(t, s.do("POST", "/workflows", greet, "If-Match", match), http.StatusPreconditionFailed, "precondition_failed")
		requireProblem(t, s.do("DELETE", "/workflows/greet", "", "If-Match", match), http.StatusPreconditionFailed, "precondition_failed")
	}
	requireProblem(t, s.do("POST", "/workflows", greet, "If-None-Match", "*"), http.StatusPreconditionFailed, "precondition_failed")
	requireProblem(t, s.do("POST", "/workflows", greet, "If-None-Match", second), http.StatusBadRequest, "invalid_parameter")

	for _, known := range []string{second, "W/" + second, `"x",` + second, "*"} {
		w := s.do("GET", "/workflows/greet", "", "If-None-Match", known)
		require.Equal(t, http.StatusNotModified, w.Code)
		require.Equal(t, second, w.Header().Get("ETag"))
		require.Empty(t, w.Body)
	}
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows/greet", "", "If-None-Match", first).Code)
	require.Equal(t, first, s.do("GET", "/workflows/greet/revisions/1", "").Header().Get("ETag"))

	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/greet", "", "If-Match", second).Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/greet", "").Code)
	requireProblem(t, s.do("DELETE", "/workflows/greet", "", "If-Match", "*"), http.StatusPreconditionFailed, "precondition_failed")
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet, "If-None-Match", "*").Code)
}

// TestQuotedStar checks that the tag "*" does not match any state, unlike *.
func TestQuotedStar(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	requireProblem(t, s.do("DELETE", "/workflows/greet", "", "If-Match", `"*"`), http.StatusPreconditionFailed, "precondition_failed")
}

func TestPagesOfWorkflows(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.RoutePrefix = "flow" })
	for _, id := range []string{"a", "b", "c"} {
		require.Equal(t, http.StatusCreated, s.do("POST", "/flow/workflows", withID(id)).Code)
	}
	w := s.do("GET", "/flow/workflows?limit=2", "")
	require.Len(t, requireJSON(t, w, http.StatusOK), 2)
	next, relation, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("Link"), "<"), ">")
	require.Equal(t, `; rel="next"`, relation)
	require.True(t, strings.HasPrefix(next, "/flow/workflows?"), next)
	require.Contains(t, next, "limit=2", "the next page is as long")
	w = s.do("GET", next, "")
	last := requireJSON(t, w, http.StatusOK).([]any)
	require.Len(t, last, 1)
	require.Equal(t, "c", last[0].(map[string]any)["id"])
	require.Empty(t, w.Header().Get("Link"))
	for _, query := range []string{"limit=0", "limit=10001", "limit=x", "cursor=%0A"} {
		requireProblem(t, s.do("GET", "/flow/workflows?"+query, ""), http.StatusBadRequest, "invalid_parameter")
	}
}

// TestListWithoutPages checks that a list without a limit has all workflows.
func TestListWithoutPages(t *testing.T) {
	s := newService(t, nil)
	const n = workflow.DefaultLimit + 1
	for i := range n {
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", withID(fmt.Sprintf("w%03d", i))).Code)
	}
	w := s.do("GET", "/workflows", "")
	all := requireJSON(t, w, http.StatusOK).([]any)
	require.Len(t, all, n)
	require.Equal(t, "w000", all[0].(map[string]any)["id"])
	require.Empty(t, w.Header().Get("Link"))
}
