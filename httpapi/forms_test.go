package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes/trigger"
)

// asking returns a workflow with a form at a path.
func asking(path, more string) string {
	return fmt.Sprintf(`{"id":"apply","nodes":[
	{"id":"form","type":"trigger.form","config":{"path":%q,"title":"Apply","fields":[{"name":"who","required":true},{"name":"cv","type":"file"}]%s}},
	{"id":"who","type":"io.output","config":{"name":"who"}},{"id":"cv","type":"io.output","config":{"name":"cv"}}],
	"connections":[{"fromNodeId":"form","fromPort":"who","toNodeId":"who","toPort":"value"},{"fromNodeId":"form","fromPort":"cv","toNodeId":"cv","toPort":"value"}]}`,
		path, more)
}

const (
	secretForm = "apply/abcdefghijklmnopqrstuv"
	html       = "text/html,application/xhtml+xml"
)

// token requests a form and returns its token.
func (s service) token(path string, headers ...string) string {
	s.t.Helper()
	w := s.hook("GET", "/hooks/"+path, "", append(headers, "Accept", html)...)
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	return regexp.MustCompile(`name="\$token" value="([^"]+)"`).FindStringSubmatch(w.Body.String())[1]
}

// submit sends a form with a file, like a browser.
func (s service) submit(path, token, who string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"$token\"\r\n\r\n" + token + "\r\n--b\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\n" + who +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"cv.pdf\"\r\nContent-Type: application/pdf\r\n\r\nPDF\r\n--b--\r\n"
	return s.hook("POST", "/hooks/"+path, body, append([]string{"Content-Type", "multipart/form-data; boundary=b", "Accept", html}, headers...)...)
}

func TestForms(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", asking(secretForm, `,"maxBytes":1000`))
	w := s.hook("GET", "/hooks/"+secretForm, "", "Accept", html, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	require.Equal(t, http.StatusOK, w.Code, "a link in a letter leads to it")
	require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	require.Regexp(t, `^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$`, w.Header().Get("Content-Security-Policy"))

	token := s.token(secretForm)
	w = s.submit(secretForm, token, "Ada", "Origin", "http://example.com")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Contains(t, w.Body.String(), "Thank you.")
	last := func() map[string]any {
		return requireJSON(t, s.do("GET", "/triggers/apply/form/last", ""), http.StatusOK).(map[string]any)
	}
	first := last()
	require.Equal(t, "Ada", first["outputs"].(map[string]any)["who"])
	at := first["outputs"].(map[string]any)["cv"].(map[string]any)["path"].(string)
	require.Equal(t, ".runs/"+first["runId"].(string)+"/1-cv.pdf", at)
	require.Len(t, requireJSON(t, s.do("GET", "/executions/"+first["runId"].(string)+"/files", ""), http.StatusOK), 1)

	// Submitting the same page again returns the same run, and stores no second file.
	require.Equal(t, http.StatusOK, s.submit(secretForm, token, "Ada").Code)
	require.Equal(t, first["runId"], last()["runId"])
	require.Equal(t, http.StatusOK, s.submit(secretForm, s.token(secretForm), "Ada").Code)
	require.NotEqual(t, first["runId"], last()["runId"])

	// Programs get JSON, and browsers a page.
	program := s.submit(secretForm, s.token(secretForm), "Bob", "Accept", "application/json")
	require.NotEmpty(t, requireJSON(t, program, http.StatusAccepted).(map[string]any)["runId"])
	p := requireProblem(t, s.submit(secretForm, token, "", "Accept", "*/*"), http.StatusUnprocessableEntity, "form_invalid")
	require.Equal(t, "who: Fill this in.", p.Detail)
	for name, tt := range map[string]struct {
		w      *httptest.ResponseRecorder
		status int
		says   string
	}{
		"nothing typed": {s.submit(secretForm, token, ""), http.StatusUnprocessableEntity, `id="fault-who">Fill this in.`},
		"no token":      {s.submit(secretForm, "", "Grace"), http.StatusForbidden, `value="Grace"`},
		"too long":      {s.submit(secretForm, token, strings.Repeat("x", 1000)), http.StatusRequestEntityTooLarge, "1000"},
		"another page":  {s.submit(secretForm, token, "Ada", "Origin", "https://evil.example"), http.StatusForbidden, "may not call"},
		"no form":       {s.hook("POST", "/hooks/"+secretForm, "{}", "Accept", html), http.StatusUnsupportedMediaType, "Send what a form sends"},
	} {
		require.Equal(t, tt.status, tt.w.Code, name)
		require.Equal(t, "text/html; charset=utf-8", tt.w.Header().Get("Content-Type"), name)
		require.Contains(t, tt.w.Body.String(), tt.says, name)
		require.Contains(t, tt.w.Body.String(), `name="who"`, name)
	}
	requireProblem(t, s.hook("PUT", "/hooks/"+secretForm, "", "Accept", html), http.StatusUnauthorized, "unauthorized")
	require.Equal(t, "GET, HEAD, OPTIONS, POST", s.hook("OPTIONS", "/hooks/"+secretForm, "").Header().Get("Allow"))
}

func TestFormsWithAPassword(t *testing.T) {
	kept := &credentials.Memory{}
	require.NoError(t, kept.SetCredential(t.Context(), "webhook:forms", credentials.Credential{Access: credentials.NewSecret("ada:s3cret")}))
	s := newService(t, func(c *httpapi.Config) {
		c.Triggers = true
		c.Plugins(trigger.Plugin(trigger.Config{Credentials: kept}))
	})
	s.arm("", asking("apply", `,"auth":"basic","secret":"webhook:forms","respond":"result"`))
	w := s.hook("GET", "/hooks/apply", "", "Accept", html)
	require.Equal(t, http.StatusUnauthorized, w.Code)
	require.Equal(t, `Basic realm="form", charset="UTF-8"`, w.Header().Get("WWW-Authenticate"), "browsers ask then")
	require.NotContains(t, w.Body.String(), "Apply")
	requireProblem(t, s.hook("GET", "/hooks/apply", ""), http.StatusUnauthorized, "unauthorized")
	const basic = "Basic YWRhOnMzY3JldA=="
	w = s.submit("apply", s.token("apply", "Authorization", basic), "<Ada>", "Authorization", basic)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Contains(t, w.Body.String(), "<dt>who</dt>\n<dd>&lt;Ada&gt;</dd>")
}

// TestAFormWhenThereIsNoRoom checks that a refused submission is shown again with its values, so
// that it can be sent later.
func TestAFormWhenThereIsNoRoom(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", asking(secretForm, ""))
	token := s.token(secretForm)
	for range 500 { // the limit is 60, plus one each second
		w := s.hook("POST", "/hooks/"+secretForm, url.Values{"$token": {token}, "who": {"Ada"}}.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", html)
		if w.Code == http.StatusTooManyRequests {
			require.Contains(t, w.Body.String(), `value="Ada"`)
			require.Contains(t, w.Body.String(), "Too many answers come at once")
			return
		}
		require.Equal(t, http.StatusOK, w.Code)
	}
	t.Fatal("it takes any number")
}

func TestAFormLeadsToAnotherPage(t *testing.T) {
	s := withHooks(t, "", nil)
	s.arm("", asking(secretForm, `,"respond":"redirect","redirectTo":"https://shop.example/thanks"`))
	w := s.submit(secretForm, s.token(secretForm), "Ada")
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, "https://shop.example/thanks", w.Header().Get("Location"))
	require.Eventually(t, func() bool {
		return s.do("GET", "/triggers/apply/form/last", "").Code == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
}
