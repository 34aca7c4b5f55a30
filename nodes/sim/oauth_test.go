package sim_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/nodes/sim"
)

const callback = "http://127.0.0.1:9999/callback"

// oauthClient returns Svc's own OAuth client for a network, configured by its settings.
func oauthClient(t *testing.T, network string, n *sim.Network, more map[string]string) *oauth.Client {
	t.Helper()
	settings := n.Settings("https://network.example")
	maps.Copy(settings, more)
	clients := oauth.NewClients(networks(), func(name string) string { return settings[name] }, n)
	client, err := clients.Client(network)
	require.NoError(t, err)
	return client
}

// consent opens the authorization URL as a browser would, and returns the query of the
// redirect.
func consent(t *testing.T, n *sim.Network, address string) url.Values {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	answer, err := n.RoundTrip(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusFound, answer.StatusCode)
	back, err := answer.Location()
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:9999", back.Host)
	return back.Query()
}

// TestLogin logs in with Svc's own client, uses the token, renews it after it has expired,
// and revokes it.
func TestLogin(t *testing.T) {
	for network, target := range map[string]string{"pronet": "/me", "microblog": "/2/users/me"} {
		t.Run(network, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, network, sim.Config{ClientSecret: "sim secret+"})
				client := oauthClient(t, network, b.Network, nil)
				login := client.Begin(callback)
				given, err := login.Finish(t.Context(), consent(t, b.Network, login.AuthorizeURL()))
				require.NoError(t, err)
				require.Equal(t, client.Scopes, given.Scopes)

				status := func(c credentials.Credential) int {
					b.token = c.Access.Reveal()
					return b.call("GET", target, nil).status
				}
				require.Equal(t, 200, status(given))
				time.Sleep(2 * time.Hour) //nolint:forbidigo // virtual time
				require.Equal(t, 401, status(given))
				renewed, err := client.Refresh(t.Context(), given)
				require.NoError(t, err)
				require.Equal(t, 200, status(renewed))
				require.Equal(t, 401, status(given))

				_, err = client.Refresh(t.Context(), given)
				require.ErrorIs(t, err, credentials.ErrReauthorize, "a refresh token is good once")
				require.Equal(t, 401, status(renewed), "and ends the login when it comes again")

				login = client.Begin(callback)
				given, err = login.Finish(t.Context(), consent(t, b.Network, login.AuthorizeURL()))
				require.NoError(t, err)
				require.NoError(t, client.Revoke(t.Context(), given))
				require.Equal(t, 401, status(given))
				_, err = client.Refresh(t.Context(), given)
				require.ErrorIs(t, err, credentials.ErrReauthorize)
			})
		})
	}
}

func TestLoginRefusals(t *testing.T) {
	begin := func(more map[string]string) error {
		n, err := sim.NewMicroblog(sim.Config{ClientSecret: "sim-secret"})
		require.NoError(t, err)
		login := oauthClient(t, "microblog", n, more).Begin(callback)
		_, err = login.Finish(t.Context(), consent(t, n, login.AuthorizeURL()))
		return err
	}
	require.NoError(t, begin(nil))
	require.ErrorContains(t, begin(map[string]string{"MICROBLOG_SCOPES": "tweet.read everything"}), "invalid_scope")
	require.ErrorContains(t, begin(map[string]string{"MICROBLOG_PKCE": "never"}), "invalid_request")
	require.ErrorContains(t, begin(map[string]string{"MICROBLOG_CLIENT_SECRET": "wrong"}), "does not know this client")
	require.ErrorContains(t, begin(map[string]string{"MICROBLOG_ISSUER": "https://other.example"}), "another network")
	require.NoError(t, begin(map[string]string{"MICROBLOG_AUTH_STYLE": "body"}))

	n, err := sim.NewMicroblog(sim.Config{})
	require.NoError(t, err)
	address := oauthClient(t, "microblog", n, nil).Begin(callback).AuthorizeURL()
	require.True(t, consent(t, n, address).Has("code"))
	plain := strings.Replace(address, "code_challenge_method=S256", "code_challenge_method=plain", 1)
	require.Equal(t, "invalid_request", consent(t, n, plain).Get("error"))
	for _, address := range []string{
		"https://network.example/oauth/authorize?client_id=other&redirect_uri=" + callback,
		"https://network.example/oauth/authorize?client_id=svc-sim&redirect_uri=nowhere",
	} {
		r := httptest.NewRequest(http.MethodGet, address, nil)
		w := httptest.NewRecorder()
		n.ServeHTTP(w, r)
		require.Equal(t, http.StatusBadRequest, w.Code, "nobody is sent to an address that nobody knows")
	}
}

func TestCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, err := sim.NewPronet(sim.Config{})
		require.NoError(t, err)
		client := oauthClient(t, "pronet", n, nil)
		first, second := client.Begin(callback), client.Begin(callback)
		query := consent(t, n, first.AuthorizeURL())
		query.Set("state", second.State())
		_, err = second.Finish(t.Context(), query)
		require.ErrorIs(t, err, oauth.ErrExpired, "a code is for the login that it was asked for")

		late := client.Begin(callback)
		query = consent(t, n, late.AuthorizeURL())
		time.Sleep(time.Minute) //nolint:forbidigo // virtual time
		_, err = late.Finish(t.Context(), query)
		require.ErrorIs(t, err, oauth.ErrExpired)
	})
}

// On the microblogging network, a login without offline access cannot be renewed.
func TestOfflineAccess(t *testing.T) {
	n, err := sim.NewMicroblog(sim.Config{})
	require.NoError(t, err)
	client := oauthClient(t, "microblog", n, map[string]string{"MICROBLOG_SCOPES": "tweet.read users.read"})
	login := client.Begin(callback)
	given, err := login.Finish(t.Context(), consent(t, n, login.AuthorizeURL()))
	require.NoError(t, err)
	require.True(t, given.Refresh.IsZero())
}

func TestTokensOfTheSeed(t *testing.T) {
	n, err := sim.NewPronet(sim.Config{Profile: sim.Live})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"PRONET_API_URL": "http://127.0.0.1:1/v2", "PRONET_ROUTES": "live", "PRONET_CLIENT_ID": "svc-sim",
		"PRONET_AUTH_URL": "http://127.0.0.1:1/oauth/authorize", "PRONET_TOKEN_URL": "http://127.0.0.1:1/oauth/token",
		"PRONET_REVOKE_URL": "http://127.0.0.1:1/oauth/revoke",
		"PRONET_MAIN":       "sim-pronet-main", "PRONET_COMPANY": "sim-pronet-company", "PRONET_COMPANY_URN": "urn:li:organization:5005",
	}, n.Settings("http://127.0.0.1:1"))
}

// The tokens of [Network.Login] expire and can be renewed.
func TestLoginOfATest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "microblog", sim.Config{TokenLifetime: time.Minute})
		access, refresh := b.Login()
		b.token = access
		require.Equal(t, 200, b.call("GET", "/2/users/me", nil).status)
		time.Sleep(time.Minute) //nolint:forbidigo // virtual time
		require.Equal(t, 401, b.call("GET", "/2/users/me", nil).status)
		renewed, err := oauthClient(t, "microblog", b.Network, nil).Refresh(context.Background(), credentials.Credential{Refresh: credentials.NewSecret(refresh)})
		require.NoError(t, err)
		b.token = renewed.Access.Reveal()
		require.Equal(t, 200, b.call("GET", "/2/users/me", nil).status)
	})
}
