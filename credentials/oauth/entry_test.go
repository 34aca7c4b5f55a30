package oauth_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

// The entry of a network sets its peculiarities: the separator of scopes, the name of the
// token type, and additional parameters of logins.
func TestWaysOfNetworks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true,"access_token":"xoxb-canary","token_type":"bot","scope":"chat:write,users:read"}`)
	}))
	defer server.Close()
	entry := network.Network{
		Name: "chat", AuthURL: server.URL + "/authorize", TokenURL: server.URL + "/token", Scopes: []string{"chat:write", "users:read"},
		ScopeSeparator: ",", TokenType: "bot", AuthorizeParams: map[string]string{"owner": "user"},
	}
	client := func(n network.Network) *oauth.Client {
		table, err := network.Table{}.With(n)
		require.NoError(t, err)
		c, err := oauth.NewClients(table, getenv(map[string]string{"CHAT_CLIENT_ID": "id"}), nil).Client("chat")
		require.NoError(t, err)
		return c
	}
	login := client(entry).Begin("http://127.0.0.1:1/callback")
	address, err := url.Parse(login.AuthorizeURL())
	require.NoError(t, err)
	require.Equal(t, "chat:write,users:read", address.Query().Get("scope"))
	require.Equal(t, "user", address.Query().Get("owner"))
	c, err := login.Finish(t.Context(), url.Values{"state": {login.State()}, "code": {"x"}})
	require.NoError(t, err)
	require.Equal(t, "xoxb-canary", c.Access.Reveal())
	require.Equal(t, []string{"chat:write", "users:read"}, c.Scopes)

	c.Kind, c.Hosts, c.Refresh = credentials.KindOAuth, []string{"chat.example"}, credentials.NewSecret("refresh")
	renewed, err := client(entry).Refresh(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, c.Kind, renewed.Kind, "what is renewed stays what it was")
	require.Equal(t, c.Hosts, renewed.Hosts)

	entry.TokenType = ""
	login = client(entry).Begin("http://127.0.0.1:1/callback")
	_, err = login.Finish(t.Context(), url.Values{"state": {login.State()}, "code": {"x"}})
	require.ErrorIs(t, err, oauth.ErrRefused, "a token of another type is not taken by mistake")
}

// The test of an account sends a request to the network, if its entry has an address for
// that.
func TestTest(t *testing.T) {
	var status atomic.Int32
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		require.Equal(t, "Bearer canary", r.Header.Get("Authorization"))
		w.WriteHeader(int(status.Load()))
	}))
	defer server.Close()
	table, err := network.Shipped().With(network.Network{Name: "asks", TokenURL: server.URL, ProfileURL: server.URL + "/me", Hosts: []string{"api.asks.example"}})
	require.NoError(t, err)
	var held credentials.Memory
	r := oauth.NewRefresher(&held, oauth.NewClients(table, getenv(nil), nil), slog.New(slog.DiscardHandler))
	test := func(ref credentials.Ref, text string) error {
		c, err := credentials.Parse(text)
		require.NoError(t, err)
		require.NoError(t, held.SetCredential(t.Context(), ref, c))
		_, err = r.Test(t.Context(), ref)
		return err
	}
	for code, want := range map[int]error{200: nil, 403: nil, 400: nil, 401: credentials.ErrReauthorize, 500: credentials.ErrUnavailable} {
		status.Store(int32(code))
		require.ErrorIs(t, test("asks:main", "canary"), want, code)
	}
	before := asked.Load()
	require.NoError(t, test("asks:main", `{"kind":"bearer","access_token":"elsewhere","hosts":["asks.company.example"]}`), "it is not for this host")
	require.NoError(t, test("asks:main", `{"kind":"hmac","secret":"elsewhere"}`))
	require.NoError(t, test("http:main", `{"kind":"bearer","access_token":"x","hosts":["a.example"]}`))
	require.ErrorIs(t, test("http:main", `bare`), credentials.ErrMalformed)
	require.Equal(t, before, asked.Load())
	_, err = r.Test(t.Context(), "asks:nobody")
	require.ErrorIs(t, err, credentials.ErrNotFound)
}
