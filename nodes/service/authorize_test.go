package service_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// authorizer returns an Authorizer with the credential text for ref.
func authorizer(t *testing.T, ref credentials.Ref, text string) service.Authorizer {
	t.Helper()
	c, err := credentials.Parse(text)
	require.NoError(t, err)
	var held credentials.Memory
	require.NoError(t, held.SetCredential(t.Context(), ref, c))
	refresher := oauth.NewRefresher(&held, oauth.NewClients(networks(), func(string) string { return "" }, nil), slog.New(slog.DiscardHandler))
	return service.Authorizer{Secrets: service.Resolver{Provider: refresher}, Networks: networks()}
}

func address(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

// seen starts a server that records the last request.
func seen(t *testing.T) (address string, last *atomic.Pointer[http.Request]) {
	last = new(atomic.Pointer[http.Request])
	return serve(t, func(_ http.ResponseWriter, r *http.Request) { last.Store(r.Clone(context.WithoutCancel(r.Context()))) }), last
}

// concealing is a run that records the concealed secrets.
type concealing struct {
	node.Run
	secrets map[string]bool
}

func (c concealing) ConcealOutput(secret string) { c.secrets[secret] = true }
func (c concealing) Conceal(secret string)       { c.secrets[secret] = true }

func TestAuthorize(t *testing.T) {
	base, last := seen(t)
	host := `,"hosts":["` + base + `"]}`
	for kind, test := range map[string]struct {
		text, name, header, query string
	}{
		"bearer":      {`{"kind":"bearer","access_token":"canary-1"` + host, "Authorization", "Bearer canary-1", "a=1"},
		"bare":        {`{"access_token":"canary-1"` + host, "Authorization", "Bearer canary-1", "a=1"},
		"oauth2":      {`{"kind":"oauth2","access_token":"canary-1"` + host, "Authorization", "Bearer canary-1", "a=1"},
		"basic":       {`{"kind":"basic","username":"ann","password":"canary-1"` + host, "Authorization", "Basic YW5uOmNhbmFyeS0x", "a=1"},
		"key as user": {`{"kind":"basic","username":"canary-1","password":""` + host, "Authorization", "Basic Y2FuYXJ5LTE6", "a=1"},
		"same name":   {`{"kind":"query","name":"a","value":"canary-1"` + host, "Authorization", "", "a=canary-1"},
		"header":      {`{"kind":"header","name":"x-api-key","value":"canary-1"` + host, "X-Api-Key", "canary-1", "a=1"},
		"query":       {`{"kind":"query","name":"k y","value":"canary 1&"` + host, "Authorization", "", "a=1&k+y=canary+1%26"},
		"headers":     {`{"kind":"header","name":"Authorization","value":"Token canary-1"` + host, "Authorization", "Token canary-1", "a=1"},
	} {
		t.Run(kind, func(t *testing.T) {
			run := concealing{secrets: map[string]bool{}}
			ctx := node.WithRun(t.Context(), run)
			z, err := authorizer(t, "http:main", test.text).Authorize(ctx, "http:main", address(t, base))
			require.NoError(t, err)
			require.Len(t, run.secrets, 1)
			for secret := range run.secrets {
				require.Contains(t, secret, "canary")
			}
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/x?a=1", nil)
			require.NoError(t, err)
			answer, err := z.Client(&http.Client{}).Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, test.header, last.Load().Header.Get(test.name))
			require.Equal(t, test.query, last.Load().URL.RawQuery)
			require.Equal(t, base+"/x?a=1", answer.Request.URL.String(), "the URL that callers see is their own")
			require.Empty(t, r.Header)
			require.Empty(t, answer.Request.Header.Get(test.name))
		})
	}
}

// A request that is not allowed is refused before anything is sent.
func TestAuthorizeRefuses(t *testing.T) {
	for text, test := range map[string]struct{ ref, url, code, says string }{
		`{"kind":"bearer","access_token":"canary","hosts":["api.example.com"]}`: {"http:main", "https://evil.example/canary?canary", "forbidden", `may not be sent to https://evil.example: it may be sent to api.example.com`},
		`{"kind":"bearer","access_token":"canary-2","hosts":["*.example.com"]}`: {"http:main", "http://api.example.com/", "forbidden", "may not be sent to http://api.example.com"},
		`{"kind":"bearer","access_token":"canary-3"}`:                           {"http:main", "https://api.example.com", "invalid_input", "hosts"},
		`canary-4`:                          {"http:main", "https://api.example.com", "invalid_input", "a bare text does not say"},
		`canary-5`:                          {"email:main", "https://api.example.com", "invalid_input", "none that goes with a request"},
		`canary-6`:                          {"other:main", "https://api.example.com", "forbidden", "it names no hosts"},
		`canary-7`:                          {"github:main", "https://github.com/", "forbidden", "it may be sent to api.github.com"},
		`{"kind":"hmac","secret":"canary"}`: {"http:main", "https://api.example.com", "invalid_input", "none that goes with a request"},
		`{"kind":"dsn","dsn":"postgres://canary"}`: {"http:main", "https://api.example.com", "invalid_input", "none that goes with a request"},
		`{"kind":"password","password":"canary"}`:  {"github:main", "https://api.github.com", "invalid_input", "none that goes with a request"},
	} {
		_, err := authorizer(t, credentials.Ref(test.ref), text).Authorize(t.Context(), credentials.Ref(test.ref), address(t, test.url))
		require.Equal(t, test.code, node.CodeOf(err), text)
		require.ErrorContains(t, err, test.says)
		require.NotContains(t, err.Error(), "canary")
		var failed *node.Error
		require.ErrorAs(t, err, &failed)
		require.True(t, failed.Permanent)
	}
	_, err := authorizer(t, "http:main", `{"kind":"bearer","access_token":"x","hosts":["a.example"]}`).Authorize(t.Context(), "http:other", address(t, "https://a.example"))
	require.Equal(t, service.CodeUnknownCredential, node.CodeOf(err))
	require.ErrorContains(t, err, "SVC_CRED_HTTP_OTHER")
	_, err = authorizer(t, "github:main", "token").Authorize(t.Context(), "github:main", address(t, "https://api.github.com/user"))
	require.NoError(t, err, "the hosts of the network")
}

// A redirect keeps the credential on its own host only, and does not regain it when it
// returns from elsewhere. Other requests must go to the credential's hosts.
func TestAuthorizedRedirects(t *testing.T) {
	var got []string
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, "elsewhere "+r.Header.Get("X-Key")+r.URL.Query().Get("X-Key"))
		http.Redirect(w, r, server.URL+"/end", http.StatusFound)
	}))
	defer elsewhere.Close()
	to := func(next string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			got = append(got, r.URL.Path+" "+r.Header.Get("X-Key")+r.URL.Query().Get("X-Key"))
			if next != "" {
				http.Redirect(w, r, next, http.StatusFound)
			}
		}
	}
	mux.HandleFunc("/begin", to("/same"))
	mux.HandleFunc("/same", to(elsewhere.URL))
	mux.HandleFunc("/end", to(""))
	for _, kind := range []string{"header", "query"} {
		got = nil
		// The credential does not follow a redirect even if it may be sent to both hosts.
		z, err := authorizer(t, "http:main", `{"kind":"`+kind+`","name":"X-Key","value":"canary","hosts":["`+server.URL+`","`+elsewhere.URL+`"]}`).
			Authorize(t.Context(), "http:main", address(t, server.URL))
		require.NoError(t, err)
		client := z.Client(&http.Client{})
		require.NoError(t, get(t, client, server.URL+"/begin"))
		require.Equal(t, []string{"/begin canary", "/same canary", "elsewhere ", "/end "}, got, kind)
		require.NoError(t, get(t, client, server.URL+"/end"))
		require.Equal(t, "/end canary", got[len(got)-1], "a request of its own")
		err = get(t, client, "http://localhost.example/")
		require.Equal(t, "forbidden", node.CodeOf(err))
		require.NotContains(t, err.Error(), "canary")
	}
}

func get(t *testing.T, client *http.Client, address string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func TestAuthorizedHeaderThatIsThere(t *testing.T) {
	base, _ := seen(t)
	z, err := authorizer(t, "http:main", `{"kind":"bearer","access_token":"canary","hosts":["`+base+`"]}`).Authorize(t.Context(), "http:main", address(t, base))
	require.NoError(t, err)
	require.Equal(t, "Authorization", z.Header())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "other")
	_, err = z.Client(&http.Client{}).Do(r) //nolint:bodyclose // there is no response
	require.Equal(t, "invalid_input", node.CodeOf(err))
}

// The error of a failed connection does not contain the query.
func TestAuthorizedQueryIsNotShown(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	z, err := authorizer(t, "http:main", `{"kind":"query","name":"key","value":"canary","hosts":["`+base+`"]}`).Authorize(t.Context(), "http:main", address(t, base))
	require.NoError(t, err)
	err = get(t, z.Client(&http.Client{}), base+"/x")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "canary")
}

// A client's secret is exchanged for a token once. The token is reused while it is valid,
// and replaced when the API rejects it.
func TestClientCredentials(t *testing.T) {
	var fetches, calls atomic.Int32
	tokens := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		user, password, _ := r.BasicAuth()
		_ = r.ParseForm()
		if user != "me" || password != "canary-secret" || r.Form.Get("grant_type") != "client_credentials" || r.Form.Get("scope") != "a b" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"canary-echo"}`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "canary-token-" + string('0'+fetches.Add(1)), "token_type": "Bearer", "expires_in": 3600})
	})
	var good atomic.Pointer[string]
	first := "Bearer canary-token-1"
	good.Store(&first)
	api := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != *good.Load() || string(body) != "hello" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	text := `{"kind":"client_credentials","token_url":"` + tokens + `","client_id":"me","client_secret":"canary-secret","scopes":["a","b"],"hosts":["` + api + `"]}`
	a := authorizer(t, "http:main", text)
	post := func() int {
		run := concealing{secrets: map[string]bool{}}
		ctx := node.WithRun(t.Context(), run)
		z, err := a.Authorize(ctx, "http:main", address(t, api))
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, api, strings.NewReader("hello"))
		require.NoError(t, err)
		answer, err := z.Client(&http.Client{}).Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.True(t, run.secrets["canary-secret"])
		require.True(t, run.secrets[strings.TrimPrefix(*good.Load(), "Bearer ")])
		return answer.StatusCode
	}
	require.Equal(t, 200, post())
	require.Equal(t, 200, post())
	require.EqualValues(t, 1, fetches.Load())
	second := "Bearer canary-token-2"
	good.Store(&second)
	require.Equal(t, 200, post(), "a token that is refused is replaced")
	require.EqualValues(t, 2, fetches.Load())
	require.EqualValues(t, 4, calls.Load())

	_, err := authorizer(t, "http:main", strings.Replace(text, "canary-secret", "canary-wrong", 1)).Authorize(t.Context(), "http:main", address(t, api))
	require.ErrorContains(t, err, "401 (invalid_client); check its client_id, client_secret and scopes")
	require.NotContains(t, err.Error(), "canary")
}
