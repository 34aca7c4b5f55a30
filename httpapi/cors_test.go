package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

const friend, stranger = "https://app.example.com", "https://evil.example"

func TestPreflight(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.CORSOrigins = []string{"http://localhost:3000", friend} })
	ask := func(origin, method, headers string) http.Header {
		w := do(s.Service, "OPTIONS", "/workflows/greet", "", "Authorization", "", "Origin", origin, // the document has no operation for it
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", headers)
		require.Equal(t, http.StatusNoContent, w.Code)
		require.Empty(t, w.Body)
		return w.Header()
	}
	for _, origin := range []string{friend, "http://localhost:3000"} {
		h := ask(origin, "DELETE", "authorization,content-type,idempotency-key,if-match,last-event-id")
		require.Equal(t, origin, h.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "DELETE", h.Get("Access-Control-Allow-Methods"))
		require.Contains(t, h.Get("Access-Control-Allow-Headers"), "idempotency-key")
		require.Empty(t, h.Get("Access-Control-Allow-Credentials"))
		require.Contains(t, h.Get("Vary"), "Origin")
	}
	require.Empty(t, ask(friend, "PROPFIND", "").Get("Access-Control-Allow-Origin"))
	require.Empty(t, ask(friend, "POST", "x-secret").Get("Access-Control-Allow-Origin"))

	// Foreign preflights, and OPTIONS requests that are no preflights, need a key.
	for _, headers := range [][]string{
		{"Authorization", "", "Origin", stranger, "Access-Control-Request-Method", "GET"},
		{"Authorization", "", "Origin", "null", "Access-Control-Request-Method", "GET"},
		{"Authorization", "", "Access-Control-Request-Method", "GET"},
		{"Authorization", "", "Origin", friend},
	} {
		requireProblem(t, s.do("OPTIONS", "/workflows/greet", "", headers...), http.StatusUnauthorized, "unauthorized")
	}
	plain := newService(t, nil)
	requireProblem(t, plain.do("OPTIONS", "/workflows", "", "Authorization", "", "Origin", friend, "Access-Control-Request-Method", "GET"),
		http.StatusUnauthorized, "unauthorized")
}

func TestPagesOfOtherOrigins(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.CORSOrigins = []string{friend} })
	w := s.do("POST", "/workflows", greet, "Origin", friend, "Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusCreated, w.Code)
	require.Equal(t, friend, w.Header().Get("Access-Control-Allow-Origin"))
	require.Contains(t, w.Header().Get("Access-Control-Expose-Headers"), "Etag")
	w = s.do("GET", "/workflows", "", "Origin", friend, "Authorization", "")
	require.Equal(t, friend, w.Header().Get("Access-Control-Allow-Origin"), "or the page could not tell what is wrong")
	requireProblem(t, w, http.StatusUnauthorized, "unauthorized")

	w = s.do("GET", "/workflows", "", "Origin", stranger)
	require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
	requireProblem(t, s.do("POST", "/workflows", greet, "Origin", stranger), http.StatusForbidden, "cross_origin")
	w = s.do("GET", "/", "", "Origin", friend)
	require.Equal(t, []string{"Origin", "Accept"}, w.Header()["Vary"])
}

// TestOwnPageBehindAProxy checks requests of the service's own page at its public URL, which arrive
// with the host name that the proxy uses.
func TestOwnPageBehindAProxy(t *testing.T) {
	for url, origin := range map[string]string{
		"https://svc.example.org/flow":     "https://svc.example.org",
		"https://svc.example.org:443/flow": "https://svc.example.org",
		"http://10.0.0.7:8080":             "http://10.0.0.7:8080",
	} {
		s := newService(t, func(c *httpapi.Config) { c.PublicURL = url })
		require.Equal(t, http.StatusOK, s.do("POST", "/validate", greet, "Origin", origin).Code, url)
		require.Equal(t, http.StatusOK, s.do("POST", "/validate", greet, "Origin", origin, "Sec-Fetch-Site", "cross-site").Code, url)
		requireProblem(t, s.do("POST", "/validate", greet, "Origin", stranger), http.StatusForbidden, "cross_origin")
		require.Empty(t, s.do("GET", "/", "", "Origin", origin).Header().Get("Access-Control-Allow-Origin"))
	}
}

func TestOriginsThatNoPageHas(t *testing.T) {
	for _, origin := range []string{"*", "", "app.example.com", "https://app.example.com/", "https://app.example.com/x", "https://*.example.com", "HTTPS://a.b", "https://a.b:443", "ftp://a.b", "https://u@a.b", "null"} {
		c := testConfig(t)
		c.CORSOrigins = []string{friend, origin}
		_, err := httpapi.New(c)
		require.ErrorContains(t, err, "CORS origin", origin)
	}
}
