package oauth_test

import (
	"errors"
	"maps"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

const (
	base     = "http://localhost" // the URL of networks that are reached without a connection
	redirect = "https://svc.example/auth/pronet/callback"
)

// clientsOf returns the clients of a network that is reached without a connection.
func clientsOf(network *oauthtest.Network, more map[string]string) oauth.Clients {
	variables := network.Settings("pronet", base)
	maps.Copy(variables, more)
	return oauth.NewClients(networks(), getenv(variables), network)
}

func clientOf(t *testing.T, network *oauthtest.Network, more map[string]string) *oauth.Client {
	t.Helper()
	c, err := clientsOf(network, more).Client("pronet")
	require.NoError(t, err)
	return c
}

func TestLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &oauthtest.Network{Lifetime: time.Hour}
		login := clientOf(t, network, nil).Begin(redirect)
		asked, err := url.Parse(login.AuthorizeURL())
		require.NoError(t, err)
		require.Equal(t, login.State(), asked.Query().Get("state"))
		require.GreaterOrEqual(t, len(login.State()), 26)
		require.Equal(t, "openid profile email r_basicprofile r_organization_social w_organization_social", asked.Query().Get("scope"))
		require.Equal(t, "code", asked.Query().Get("response_type"))

		c, err := login.Finish(t.Context(), consent(network, login.AuthorizeURL()))
		require.NoError(t, err)
		require.True(t, network.Alive(c.Access))
		require.True(t, network.Alive(c.Refresh))
		require.Equal(t, []string{"a", "b"}, c.Scopes, "what the network granted")
		require.Equal(t, time.Now().Add(59*time.Minute).UTC(), c.ExpiresAt, "a minute early")
		require.Zero(t, c.Revision)
	})
}

func TestLoginWithSecret(t *testing.T) {
	for _, style := range []string{"basic", "body"} {
		network := &oauthtest.Network{Secret: "sec ret/&"}
		login := clientOf(t, network, map[string]string{"PRONET_AUTH_STYLE": style}).Begin(redirect)
		c, err := login.Finish(t.Context(), consent(network, login.AuthorizeURL()))
		require.NoError(t, err, style)
		require.True(t, c.ExpiresAt.IsZero(), "the network told no lifetime")
	}
}

func TestLoginWithoutPKCE(t *testing.T) {
	network := &oauthtest.Network{Secret: "s"}
	login := clientOf(t, network, map[string]string{"PRONET_PKCE": "never"}).Begin(redirect)
	require.NotContains(t, login.AuthorizeURL(), "challenge")
}

func TestLoginAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		change func(query url.Values)
		issuer string // as set up
		want   error
		says   string
	}{
		"another state": {func(q url.Values) { q.Set("state", "canary") }, "", oauth.ErrState, ""},
		"no state":      {func(q url.Values) { q.Del("state") }, "", oauth.ErrState, ""},
		"two states":    {func(q url.Values) { q.Add("state", q.Get("state")) }, "", oauth.ErrState, ""},
		"another code":  {func(q url.Values) { q.Set("code", "canary") }, "", oauth.ErrExpired, ""},
		"no code":       {func(q url.Values) { q.Del("code") }, "", oauth.ErrRefused, "no code"},
		"two codes":     {func(q url.Values) { q.Add("code", "canary") }, "", oauth.ErrRefused, "no code"},
		"denied":        {func(q url.Values) { q.Set("error", "access_denied") }, "", oauth.ErrDenied, "pronet"},
		"bad scope":     {func(q url.Values) { q.Set("error", "invalid_scope") }, "", oauth.ErrRefused, "(invalid_scope)"},
		"odd error":     {func(q url.Values) { q.Set("error", "<b>canary") }, "", oauth.ErrRefused, ""},
		"busy":          {func(q url.Values) { q.Set("error", "temporarily_unavailable") }, "", credentials.ErrUnavailable, "later"},
		"issuer set":    {func(url.Values) {}, base, nil, ""},
		"foreign":       {func(q url.Values) { q.Set("iss", "https://canary.example") }, base, oauth.ErrIssuer, ""},
		"foreign, free": {func(q url.Values) { q.Set("iss", "https://canary.example") }, "", oauth.ErrIssuer, "PRONET_ISSUER"},
		"odd issuer":    {func(q url.Values) { q.Set("iss", "canary\x00") }, "", oauth.ErrIssuer, ""},
		"two issuers":   {func(q url.Values) { q.Add("iss", base) }, "", oauth.ErrIssuer, ""},
		"unnamed":       {func(q url.Values) { q.Del("iss") }, base, oauth.ErrIssuer, ""},
		"unnamed, free": {func(q url.Values) { q.Del("iss") }, "", nil, ""},
		"other path":    {func(q url.Values) { q.Set("iss", base+"/oauth") }, "", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			network := &oauthtest.Network{}
			login := clientOf(t, network, map[string]string{"PRONET_ISSUER": test.issuer}).Begin(redirect)
			query := consent(network, login.AuthorizeURL())
			test.change(query)
			c, err := login.Finish(t.Context(), query)
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "canary")
			require.Zero(t, c)
		})
	}
}

func TestLoginDenied(t *testing.T) {
	network := &oauthtest.Network{Deny: true}
	login := clientOf(t, network, nil).Begin(redirect)
	_, err := login.Finish(t.Context(), consent(network, login.AuthorizeURL()))
	require.ErrorIs(t, err, oauth.ErrDenied)
	require.Equal(t, "denied", oauth.Code(err))
}

// A forged answer does not end the login, and a repeated one does not use its code again.
func TestLoginEndsOnce(t *testing.T) {
	network := &oauthtest.Network{}
	login := clientOf(t, network, nil).Begin(redirect)
	query := consent(network, login.AuthorizeURL())
	_, err := login.Finish(t.Context(), url.Values{"state": {"x"}, "error": {"access_denied"}})
	require.ErrorIs(t, err, oauth.ErrState)
	c, err := login.Finish(t.Context(), query)
	require.NoError(t, err)
	_, err = login.Finish(t.Context(), query)
	require.ErrorIs(t, err, oauth.ErrState)
	require.True(t, network.Alive(c.Access))
}

// The code of one login cannot be redeemed with the verifier of another.
func TestLoginIsBoundToItsVerifier(t *testing.T) {
	network := &oauthtest.Network{}
	client := clientOf(t, network, nil)
	mine, theirs := client.Begin(redirect), client.Begin(redirect)
	query := consent(network, theirs.AuthorizeURL())
	query.Set("state", mine.State())
	_, err := mine.Finish(t.Context(), query)
	require.ErrorIs(t, err, oauth.ErrExpired)
}

// FuzzFinish checks that only a query with the right state ends a login, and that errors
// quote nothing of the query.
func FuzzFinish(f *testing.F) {
	f.Add("state=S&code=canary-7")
	f.Add("state=S&error=access_denied&error_description=canary-7")
	f.Add("state=S&iss=http://canary-7&code=x")
	f.Add("state=S&state=S&code=x")
	f.Add("state=canary-7")
	f.Fuzz(func(t *testing.T, text string) {
		network := &oauthtest.Network{}
		login := clientOf(t, network, nil).Begin(redirect)
		query, err := url.ParseQuery(strings.ReplaceAll(text, "S", login.State()))
		if err != nil {
			return
		}
		_, err = login.Finish(t.Context(), query)
		require.Error(t, err, "nobody consented")
		require.NotContains(t, err.Error(), "canary-7")
		if len(query["state"]) != 1 || query.Get("state") != login.State() {
			require.ErrorIs(t, err, oauth.ErrState)
		}
		good := consent(network, login.AuthorizeURL())
		_, again := login.Finish(t.Context(), good)
		require.Equal(t, errors.Is(err, oauth.ErrState), again == nil, "a forged answer does not spoil the login")
	})
}
