package httpapi_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/httpapi"
)

// connected returns a service with a configured network, and the network.
func connected(t *testing.T, more map[string]string) (service, *oauthtest.Network) {
	t.Helper()
	network := &oauthtest.Network{}
	server := httptest.NewServer(network)
	t.Cleanup(server.Close)
	variables := network.Settings("pronet", server.URL)
	maps.Copy(variables, more)
	return newService(t, func(c *httpapi.Config) {
		c.PublicURL = "https://svc.example/"
		c.Getenv = func(name string) (string, bool) { text, ok := variables[name]; return text, ok }
	}), network
}

// consent grants access at the network like a user, and returns the redirect of the browser.
func consent(t *testing.T, address string) *url.URL {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	answer, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	back, err := answer.Location()
	require.NoError(t, err)
	return back
}

// comeBack follows the redirect like a browser, without a key.
func comeBack(s service, method string, to *url.URL, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, to.RequestURI(), nil)
	r.Header.Set("Accept", accept)
	r.Host = "attacker.example"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestLoginThroughTheService(t *testing.T) {
	s, network := connected(t, nil)
	begun := requireJSON(t, s.do("POST", "/auth/pronet/login", `{"account":"main"}`), http.StatusOK).(map[string]any)
	status := "/auth/pronet/logins/" + begun["loginId"].(string)
	require.Equal(t, map[string]any{"state": "pending", "ref": "pronet:main"}, requireJSON(t, s.do("GET", status, ""), http.StatusOK))

	back := consent(t, begun["authorizeUrl"].(string))
	require.Equal(t, "svc.example", back.Host, "never from the Host header")
	require.Equal(t, "/auth/pronet/callback", back.Path)
	require.Equal(t, http.StatusUnauthorized, comeBack(s, "HEAD", back, "*/*").Code, "looking is not coming back")
	page := comeBack(s, "GET", back, "text/html")
	require.Equal(t, http.StatusOK, page.Code, page.Body)
	require.Contains(t, page.Body.String(), "The account is connected")
	require.Equal(t, "no-referrer", page.Header().Get("Referrer-Policy"))
	require.Equal(t, map[string]any{"state": "complete", "ref": "pronet:main"}, requireJSON(t, s.do("GET", status, ""), http.StatusOK))

	again := comeBack(s, "GET", back, "text/html")
	require.Equal(t, http.StatusBadRequest, again.Code)
	require.Contains(t, again.Body.String(), "is not connected")
	requireProblem(t, comeBack(s, "GET", back, "*/*"), http.StatusBadRequest, "wrong_state")

	listed := requireJSON(t, s.do("GET", "/credentials", ""), http.StatusOK).([]any)
	require.Len(t, listed, 1)
	require.Equal(t, "pronet:main", listed[0].(map[string]any)["ref"])
	require.Equal(t, "file", listed[0].(map[string]any)["source"])
	require.Equal(t, "valid", listed[0].(map[string]any)["state"])

	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/credentials/pronet:main", "").Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/credentials/pronet:main", "").Code, "nothing is left to delete")
	require.Empty(t, requireJSON(t, s.do("GET", "/credentials", ""), http.StatusOK))
	require.Zero(t, network.AliveTokens(), "the network was told")
}

func TestLoginsThatAreRefused(t *testing.T) {
	s, network := connected(t, map[string]string{"PRONET_COMPANY": "a token of the environment"})
	for _, c := range []struct {
		path, body string
		status     int
		code       string
	}{
		{"/auth/pronet/login", `{"account":"company"}`, http.StatusConflict, "read_only"},
		{"/auth/pronet/login", `{"account":"a b"}`, http.StatusBadRequest, "invalid_parameter"},
		{"/auth/pronet/login", `{"account":1}`, http.StatusBadRequest, "malformed"},
		{"/auth/pronet/login", `{"user":"main"}`, http.StatusBadRequest, "malformed"},
		{"/auth/microblog/login", ``, http.StatusConflict, "not_configured"},
		{"/auth/nobody/login", ``, http.StatusNotFound, "unknown_network"},
	} {
		requireProblem(t, s.do("POST", c.path, c.body), c.status, c.code)
	}
	requireProblem(t, s.do("GET", "/auth/pronet/logins/none", ""), http.StatusNotFound, "not_found")
	requireProblem(t, s.do("DELETE", "/credentials/pronet:company", ""), http.StatusConflict, "read_only")
	requireProblem(t, s.do("DELETE", "/credentials/pronet", ""), http.StatusNotFound, "not_found")

	network.Deny = true
	begun := requireJSON(t, s.do("POST", "/auth/pronet/login", ``), http.StatusOK).(map[string]any)
	back := consent(t, begun["authorizeUrl"].(string))
	requireProblem(t, comeBack(s, "GET", back, ""), http.StatusBadRequest, "login_failed")
	outcome := requireJSON(t, s.do("GET", "/auth/pronet/logins/"+begun["loginId"].(string), ""), http.StatusOK).(map[string]any)
	require.Equal(t, "failed", outcome["state"])
	require.Equal(t, "denied", outcome["code"])

	require.NotContains(t, s.do("GET", "/credentials", "").Body.String(), "a token")
	for _, path := range []string{"/auth/pronet/callback", "/auth/pronet/callback?state=", "/auth/none/callback?state=x&code=y"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		requireProblem(t, w, http.StatusBadRequest, "wrong_state")
	}

	nowhere := newService(t, func(c *httpapi.Config) { c.Getenv = func(string) (string, bool) { return "", false } })
	requireProblem(t, nowhere.do("POST", "/auth/pronet/login", ``), http.StatusConflict, "not_configured")
}

// TestPutCredential stores and tests credentials of all kinds, and checks that no answer contains
// them.
func TestPutCredential(t *testing.T) {
	s, _ := connected(t, map[string]string{"PRONET_COMPANY": "a token of the environment"})
	put := func(ref, body string) *httptest.ResponseRecorder { return s.do("PUT", "/credentials/"+ref, body) }
	test := func(ref string) *httptest.ResponseRecorder { return s.do("POST", "/credentials/"+ref+"/test", "") }
	requireProblem(t, test("http:slack"), http.StatusNotFound, "not_found")
	require.Equal(t, http.StatusNoContent, put("http:slack", ` {"kind":"bearer","access_token":"canary-1","hosts":["slack.com"]}`).Code)
	require.Equal(t, http.StatusNoContent, test("http:slack").Code)
	require.Equal(t, http.StatusNoContent, put("http:slack", `{"kind":"header","name":"X-Key","value":"canary-2","hosts":["slack.com"]}`).Code, "it is replaced")
	listed := s.do("GET", "/credentials", "")
	require.NotContains(t, listed.Body.String(), "canary")
	require.Contains(t, listed.Body.String(), `"ref":"http:slack","network":"http","account":"slack","source":"file","kind":"header","hosts":["slack.com"]`)
	for _, c := range []struct {
		ref, body string
		status    int
		code      string
	}{
		{"http:x", `{"kind":"bearer","access_token":"canary"}`, http.StatusUnprocessableEntity, "malformed_credential"},
		{"http:x", `{"kind":"bearer","token":"canary","hosts":["a.example"]}`, http.StatusUnprocessableEntity, "malformed_credential"},
		{"http:x", `"canary"`, http.StatusUnprocessableEntity, "malformed_credential"},
		{"pronet:x", `"canary"`, http.StatusUnprocessableEntity, "malformed_credential"},
		{"http:x", ``, http.StatusUnprocessableEntity, "malformed_credential"},
		{"http", `{}`, http.StatusNotFound, "not_found"},
		{"nowhere:x", `{}`, http.StatusNotFound, "unknown_network"},
		{"pronet:client-secret", `{}`, http.StatusBadRequest, "invalid_parameter"},
		{"pronet:company", `{"kind":"bearer","access_token":"canary"}`, http.StatusConflict, "read_only"},
	} {
		answer := put(c.ref, c.body)
		requireProblem(t, answer, c.status, c.code)
		require.NotContains(t, answer.Body.String(), "canary")
	}
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/credentials/http:slack", "").Code)
	requireProblem(t, test("http:slack"), http.StatusNotFound, "not_found")
}
