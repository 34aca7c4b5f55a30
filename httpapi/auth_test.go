package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// spellings returns variants of a path that a careless check might mistake for a public path.
func spellings(path string) []string {
	return []string{
		path, path + "/", path + "//", "/" + path, "/." + path, path + "/.", "/x/.." + path,
		"/%2e" + path, path + "%2F", path + "/%2e%2e/", path + ";x", path + "?key=" + testKey,
		strings.ToUpper(path) + "X", path + "/healthz", path + "/configs", "http://host" + path,
	}
}

func TestEveryRouteNeedsTheKey(t *testing.T) {
	refused := [][]string{
		{},
		{""},
		{"Bearer"},
		{"Bearer "},
		{"Bearer nothing"},
		{"Bearer " + testKey[:len(testKey)-1]},
		{"Bearer " + testKey + "x"},
		{"Bearer  " + testKey},
		{"Bearer " + testKey, "Bearer " + testKey},
		{"Bearer nothing", "Bearer " + testKey},
		{"Bearer " + testKey + ", Bearer " + testKey},
		{"Basic " + testKey},
		{"Basic YWJjOmRlZg=="},
		{testKey},
	}
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"}
	for _, prefix := range []string{"", "/flow"} {
		s := newService(t, func(c *httpapi.Config) { c.RoutePrefix = prefix })
		require.NotEmpty(t, s.Routes())
		for i, target := range walk(s, prefix) {
			for j, method := range methods {
				// Each spelling with some of the headers, and each header with some spellings.
				for _, headers := range [][]string{{}, {"Bearer nothing"}, refused[(i+j)%len(refused)]} {
					requireRefused(t, s, method, target, prefix, headers)
				}
			}
		}
		for _, headers := range refused {
			for _, route := range s.Routes() {
				requireRefused(t, s, route[0], strings.NewReplacer("{", "", "}", "").Replace(route[1]), prefix, headers)
			}
		}
	}
}

// walk returns paths of all routes, with ids that look like other paths, and some unknown paths.
func walk(s service, prefix string) []string {
	targets := []string{"/nothing", "/%2e%2e" + prefix + "/", "*", "/flowx"}
	for _, route := range s.Routes() {
		for _, id := range []string{"health", "metrics", "..", "%2e%2e", "a%2Fb"} {
			path := strings.NewReplacer("{id}", id, "{n}", "1", "{type}", id).Replace(route[1])
			targets = append(targets, spellings(path)...)
			if path == route[1] {
				break
			}
		}
	}
	return targets
}

func requireRefused(t *testing.T, s service, method, target, prefix string, authorization []string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(greet))
	r.Method = method
	if target != "*" {
		r.URL, r.RequestURI = httptest.NewRequest(http.MethodGet, target, nil).URL, target
	} else {
		r.URL.Path, r.RequestURI = "*", "*"
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-HTTP-Method-Override", "GET")
	r.Header["Authorization"] = authorization
	if len(authorization) == 0 {
		delete(r.Header, "Authorization")
	}
	w := httptest.NewRecorder()
	s.Service.ServeHTTP(w, r)
	address, _, _ := strings.Cut(strings.TrimPrefix(target, "http://host"), "?")
	if (method == "GET" || method == "HEAD") && (address == prefix+"/" || prefix != "" && address == prefix) {
		require.Equal(t, http.StatusOK, w.Code, "%s %s", method, target)
		return
	}
	if method == "OPTIONS" && (address == prefix+"/" || prefix != "" && address == prefix) {
		require.Equal(t, http.StatusNoContent, w.Code, "%s %s", method, target)
		return
	}
	if method == "GET" && isCallback(strings.TrimPrefix(address, prefix)) {
		requireProblem(t, w, http.StatusBadRequest, "wrong_state")
		return
	}
	require.Equal(t, http.StatusUnauthorized, w.Code, "%s %s %.60q", method, target, authorization)
	challenge := `Bearer realm="svc"`
	if len(authorization) > 0 {
		challenge += `, error="invalid_token"`
	}
	require.Equal(t, []string{challenge}, w.Header()["Www-Authenticate"])
	require.Empty(t, w.Header().Get("Location"))
	requireProblem(t, w, http.StatusUnauthorized, "unauthorized")
}

// isCallback reports whether a path without its prefix is the callback of a login.
func isCallback(address string) bool {
	segments := strings.Split(address, "/")
	for i := range segments {
		segments[i], _ = url.PathUnescape(segments[i])
	}
	return len(segments) == 4 && segments[0] == "" && segments[1] == "auth" && segments[2] != "" && segments[3] == "callback"
}

func TestRefusalsTellNothing(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	known := s.do("GET", "/workflows/greet", "", "Authorization", "")
	unknown := s.do("GET", "/nothing/at/all", "", "Authorization", "")
	require.Equal(t, unknown.Body.String(), known.Body.String())
	require.Equal(t, unknown.Header(), known.Header())
}

func TestHugeKey(t *testing.T) {
	s := newService(t, nil)
	w := s.do("GET", "/workflows", "", "Authorization", "Bearer "+strings.Repeat("k", 1<<20))
	requireProblem(t, w, http.StatusUnauthorized, "unauthorized")
}

func TestTheKeyOpensEverything(t *testing.T) {
	s := newService(t, nil)
	for _, authorization := range []string{"Bearer " + testKey, "bearer " + testKey, "BEARER " + testKey} {
		require.Equal(t, http.StatusOK, s.do("GET", "/workflows", "", "Authorization", authorization).Code)
	}
	for _, target := range []string{"/x", "/workflows/", "//", "/./workflows", "/workflows//a", "/WORKFLOWS", "/auth/x", "/credential"} {
		requireProblem(t, s.do("GET", target, ""), http.StatusNotFound, "not_found")
		requireProblem(t, s.do("PUT", target, ""), http.StatusNotFound, "not_found")
	}
	require.Equal(t, http.StatusOK, s.do("GET", "/%6eodes", "").Code, "escaped without need")
}

func TestAnonymous(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.APIKey, c.AllowAnonymous = "", true })
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows", "", "Authorization", "").Code)
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows", "", "Authorization", "Basic whatever").Code)
}

func TestKeyFromTheEnvironment(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) {
		c.APIKey, c.Getenv = "", environment(map[string]string{"SVC_API_KEY": testKey})
	})
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows", "").Code)
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/workflows", "", "Authorization", "").Code)

	s = newService(t, func(c *httpapi.Config) {
		c.Getenv = environment(map[string]string{"SVC_API_KEY": "another-key-0123456789"})
	})
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows", "").Code, "an explicit key comes first")
}

func TestUnusableKeys(t *testing.T) {
	tests := []struct {
		name, key, variable string
		anonymous           bool
		want                string
	}{
		{"none", "", "", false, "no API key"},
		{"short", "fifteen-bytes-x", "", false, "too short"},
		{"short variable", "", "fifteen-bytes-x", false, "the API key in SVC_API_KEY is too short"},
		{"newline", "", testKey + "\n", false, "white space"},
		{"space", " " + testKey, "", false, "white space"},
		{"control", testKey + "\x00" + testKey, "", false, "control characters"},
		{"and anonymous", testKey, "", true, "remove one"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := testConfig(t)
			c.APIKey, c.AllowAnonymous = test.key, test.anonymous
			c.Getenv = environment(map[string]string{"SVC_API_KEY": test.variable})
			_, err := httpapi.New(c)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), testKey)
			require.NotContains(t, err.Error(), "fifteen")
		})
	}
}

// TestAnonymousIgnoresTheVariable checks that AllowAnonymous ignores SVC_API_KEY, which may belong
// to another service of the process.
func TestAnonymousIgnoresTheVariable(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) {
		c.APIKey, c.AllowAnonymous = "", true
		c.Getenv = environment(map[string]string{"SVC_API_KEY": testKey})
	})
	r := httptest.NewRequest(http.MethodGet, "/workflows", nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
}

func TestCrossOrigin(t *testing.T) {
	s := newService(t, nil)
	requireProblem(t, s.do("POST", "/execute", greet, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden, "cross_origin")
	requireProblem(t, s.do("DELETE", "/workflows/greet", "", "Origin", "https://evil.example"), http.StatusForbidden, "cross_origin")
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet, "Sec-Fetch-Site", "same-origin").Code)
	require.Equal(t, http.StatusOK, s.do("GET", "/workflows", "", "Sec-Fetch-Site", "cross-site").Code)
}
