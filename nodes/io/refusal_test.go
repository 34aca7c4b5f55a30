package ionode_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestRequestRefusesInput(t *testing.T) {
	tests := []struct {
		name          string
		in            record
		code, message string
	}{
		{"empty", record{"url": ""}, "invalid_input", "scheme"},
		{"no scheme", record{"url": "example.com/s3cret"}, "invalid_input", "scheme"},
		{"no host", record{"url": "https:///s3cret"}, "invalid_input", "host"},
		{"only a port", record{"url": "https://:80/s3cret"}, "invalid_input", "host"},
		{"opaque", record{"url": "https:s3cret"}, "invalid_input", "host"},
		{"malformed", record{"url": "https://a b/?s3cret"}, "invalid_input", "malformed"},
		{"bad port", record{"url": "https://a:s3cret/"}, "invalid_input", "malformed"},
		{"bad escape", record{"url": "https://a/%zz?s3cret"}, "invalid_input", "malformed"},
		{"control character", record{"url": "https://a/\r\ns3cret: x"}, "invalid_input", "malformed"},
		{"file", record{"url": "file:///etc/s3cret"}, "forbidden", "http and https"},
		{"gopher", record{"url": "gopher://a:6379/_s3cret"}, "forbidden", "http and https"},
		{"unix", record{"url": "unix:///run/s3cret.sock"}, "forbidden", "http and https"},
		{"header name", record{"url": "http://a", "headers": record{"a b": "s3cret"}}, "invalid_input", "no header name"},
		{"empty header name", record{"url": "http://a", "headers": record{"": "s3cret"}}, "invalid_input", "no header name"},
		{"header value", record{"url": "http://a", "headers": record{"X-A": "s3cret\r\nX-B: 1"}}, "invalid_input", "line break"},
		{"header kind", record{"url": "http://a", "headers": record{"X-A": record{"k": "s3cret"}}}, "invalid_input", "X-A"},
		{"header twice", record{"url": "http://a", "headers": record{"X-A": "s3cret", "x-a": "s3cret"}}, "invalid_input", "twice"},
		{"query kind", record{"url": "http://a", "query": record{"k": []any{[]any{"s3cret"}}}}, "invalid_input", `"k"`},
		{"limit", record{"url": "http://a", "maxBytes": -1}, "invalid_input", "maxBytes"},
	}
	h, _ := host(t, &http.Client{Transport: unreachable{t}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := h.Exec("io.http_request", nil, tt.in)
			require.Equal(t, tt.code, node.CodeOf(err))
			require.ErrorContains(t, err, tt.message)
			require.NotContains(t, err.Error(), "s3cret")
			require.True(t, node.IsPermanent(err))
		})
	}
}

// unreachable fails the test if a request is sent.
type unreachable struct{ t *testing.T }

func (u unreachable) RoundTrip(req *http.Request) (*http.Response, error) {
	u.t.Errorf("a request was made to %s", req.URL)
	return nil, io.EOF
}

func TestNoAnswer(t *testing.T) {
	raw := func(answer string) string {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			}
		})
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	t.Cleanup(secure.Close)
	tests := []struct{ name, base, message string }{
		{"refused", "http://127.0.0.1:1", "refused"},
		{"hung up", raw(""), "closed the connection"},
		{"cut off", raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), "closed the connection"},
		{"no http", raw("SSH-2.0-s3cret\r\n"), "no valid HTTP answer"},
		{"certificate", secure.URL, "certificate"},
		{"bad redirect", raw("HTTP/1.1 302 Found\r\nLocation: http://%zz/s3cret\r\n\r\n"), "no valid HTTP answer"},
		{"name", "http://s3rver.invalid", "cannot be resolved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.base)
			require.NoError(t, err)
			address := fmt.Sprintf("%s://user:s3cret@%s/v1/items?token=s3cret&s3cret", u.Scheme, u.Host)
			h, _ := host(t, newClient(t))
			_, err = h.Exec("io.http_request", nil, record{"url": address, "query": record{"k": "s3cret"}})
			require.Equal(t, node.CodeUnavailable, node.CodeOf(err))
			require.False(t, node.IsPermanent(err))
			require.ErrorContains(t, err, "GET "+u.Host+"/v1/items?token=…&…&k=…: ")
			require.ErrorContains(t, err, tt.message)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
}

// hop is a request as a server received it.
type hop struct {
	method string
	body   string
	header http.Header
}

// redirectTo starts a server that redirects requests for /from to the result of to, and
// records requests for other paths.
func redirectTo(t *testing.T, status int, to func(self string) string) (base string, seen *hop) {
	t.Helper()
	seen = &hop{}
	base = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			w.Header().Set("Location", to("http://"+r.Host))
			w.WriteHeader(status)
			return
		}
		body, _ := io.ReadAll(r.Body)
		*seen = hop{r.Method, string(body), r.Header.Clone()}
	})
	return base, seen
}

func TestRedirectToAnotherHostDropsWhatIdentifies(t *testing.T) {
	secrets := record{
		"Authorization": "s3cret", "Cookie": "s3cret", "X-Api-Key": "s3cret", "X-Anything": "s3cret",
		"Proxy-Authorization": "s3cret", "Accept": "text/x",
	}
	tests := []struct {
		name string
		to   func(self string) string
		kept bool
	}{
		{"same host", func(string) string { return "/to" }, true},
		{"same host in full", func(self string) string { return self + "/to" }, true},
		{"other host", func(self string) string { return strings.Replace(self, "127.0.0.1", "localhost", 1) + "/to" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, seen := redirectTo(t, http.StatusFound, tt.to)
			got := fetch(t, record{"url": base + "/from?key=s3cret", "headers": secrets})
			require.Equal(t, 200, got["statusCode"])
			require.Equal(t, "text/x", seen.header.Get("Accept"))
			require.Equal(t, tt.kept, strings.Contains(fmt.Sprint(seen.header), "s3cret"))
			if tt.kept {
				require.Equal(t, "s3cret", seen.header.Get("X-Anything"))
			}
		})
	}
}

func TestRedirectToAnotherPortAndBackStaysImpersonal(t *testing.T) {
	var back string
	var header http.Header
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		http.Redirect(w, r, back+"/to", http.StatusFound)
	})
	base, seen := redirectTo(t, http.StatusFound, func(string) string { return other })
	back = base
	fetch(t, record{"url": base + "/from", "headers": record{"X-Api-Key": "s3cret"}})
	require.Equal(t, "GET", seen.method)
	require.NotContains(t, header, "X-Api-Key")
	require.NotContains(t, seen.header, "X-Api-Key")
}

func TestRedirectMethods(t *testing.T) {
	for status, want := range map[int]hop{
		http.StatusSeeOther:          {method: "GET"},
		http.StatusTemporaryRedirect: {method: "POST", body: "x"},
	} {
		base, seen := redirectTo(t, status, func(string) string { return "/to" })
		fetch(t, record{"url": base + "/from", "method": "POST", "body": "x"})
		require.Equal(t, want.method, seen.method)
		require.Equal(t, want.body, seen.body)
	}
}

func TestAChangeStaysAChangeWhenItIsRedirected(t *testing.T) {
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound} {
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			base, seen := redirectTo(t, status, func(string) string { return "/to" })
			got := fetch(t, record{"url": base + "/from", "method": method, "body": record{"a": 1}, "headers": record{"X-Api-Key": "k"}})
			require.Equal(t, 200, got["statusCode"])
			require.Equal(t, method, seen.method)
			require.Equal(t, `{"a":1}`, seen.body)
			require.Equal(t, "application/json", seen.header.Get("Content-Type"))
			require.Equal(t, "k", seen.header.Get("X-Api-Key"))

			fetch(t, record{"url": base + "/from", "method": method, "body": "x", "redirectMethod": "get"})
			require.Equal(t, "GET", seen.method)
			require.Empty(t, seen.body)

			seen.method = ""
			h, _ := host(t, newClient(t))
			_, err := h.Exec("io.http_request", nil, record{"url": base + "/from", "method": method, "redirectMethod": "fail"})
			require.Equal(t, "http_status", node.CodeOf(err))
			require.ErrorContains(t, err, "redirectMethod")
			require.Empty(t, seen.method)
		}
	}
	base, seen := redirectTo(t, http.StatusFound, func(self string) string { return strings.Replace(self, "127.0.0.1", "localhost", 1) + "/to" })
	fetch(t, record{"url": base + "/from", "method": "PUT", "body": "x", "headers": record{"Authorization": "s3cret"}})
	require.Equal(t, "PUT", seen.method)
	require.NotContains(t, fmt.Sprint(seen.header), "s3cret")
}

func TestURLsAreEscapedAsBrowsersDo(t *testing.T) {
	var uri string
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) { uri = r.RequestURI })
	for address, want := range map[string]string{
		"/?a=b c":          "/?a=b%20c",
		"/ä b?q=größe":     "/%C3%A4%20b?q=gr%C3%B6%C3%9Fe",
		"/?a=%20b+c&d=%2F": "/?a=%20b+c&d=%2F",
		"/100?x=5%":        "/100?x=5%25",
		`/?f=a "b" <c>`:    "/?f=a%20%22b%22%20%3Cc%3E",
		"/?a=b[0]&c={d}|e": "/?a=b[0]&c={d}|e",
	} {
		fetch(t, record{"url": base + address})
		require.Equal(t, want, uri, address)
	}
}

func TestRedirectIsAnAnswerIfNotFollowed(t *testing.T) {
	base, seen := redirectTo(t, http.StatusFound, func(string) string { return "/to" })
	got := fetch(t, record{"url": base + "/from", "followRedirects": false})
	require.Equal(t, 302, got["statusCode"])
	require.Equal(t, "/to", got["headers"].(record)["location"])
	require.Empty(t, seen.method)
}

func TestNoAnswerAfterARedirectNamesTheHost(t *testing.T) {
	base, _ := redirectTo(t, http.StatusFound, func(string) string { return "http://user:s3cret@gone.invalid/?s3cret" })
	h, _ := host(t, newClient(t))
	_, err := h.Exec("io.http_request", nil, record{"url": base + "/from"})
	require.EqualError(t, err, "GET gone.invalid/?…: the host name cannot be resolved; check its spelling")
}

func TestTenRedirectsAreFollowed(t *testing.T) {
	for hops, code := range map[int]string{10: "", 11: node.CodeLimitExceeded} {
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if n := len(r.URL.Path) - 1; n < hops {
				http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
			}
		})
		h, _ := host(t, newClient(t))
		_, err := h.Exec("io.http_request", nil, record{"url": base})
		if code == "" {
			require.NoError(t, err)
		} else {
			require.Equal(t, code, node.CodeOf(err))
		}
	}
}

func TestRedirectsThatAreRefused(t *testing.T) {
	tests := []struct {
		name string
		to   string
		code string
	}{
		{"for ever", "/from", "limit_exceeded"},
		{"file", "file:///etc/passwd", "forbidden"},
		{"gopher", "gopher://localhost:6379/_x", "forbidden"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, _ := redirectTo(t, http.StatusFound, func(string) string { return tt.to })
			h, _ := host(t, newClient(t))
			_, err := h.Exec("io.http_request", nil, record{"url": base + "/from"})
			require.Equal(t, tt.code, node.CodeOf(err))
			require.True(t, node.IsPermanent(err))
		})
	}
}
