//go:build e2e

package oauth_test

import (
	"log/slog"
	"maps"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// realClient is the desktop's client of a real provider.
func realClient(t *testing.T, p *oauthtest.Provider, more map[string]string) *oauth.Client {
	t.Helper()
	settings := p.Settings("pronet")
	maps.Copy(settings, more)
	client, err := oauth.NewClients(networks(), getenv(settings), nil).Client("pronet")
	require.NoError(t, err)
	return client
}

// answer is the query with which the browser comes back.
func answer(t *testing.T, p *oauthtest.Provider, login *oauth.Login) url.Values {
	t.Helper()
	back, err := url.Parse(p.Consent(t, login.AuthorizeURL()))
	require.NoError(t, err)
	return back.Query()
}

// The desktop's way: the system's browser, a user who logs in and consents, and the
// loopback listener. Many callers refresh its credential once.
func TestDesktopLogin(t *testing.T) {
	p := oauthtest.StartProvider(t, time.Minute)
	t.Setenv("PATH", p.Bin()+string(os.PathListSeparator)+os.Getenv("PATH"))
	var page strings.Builder
	login := oauth.Loopback{Open: oauth.SystemBrowser(&page)}
	client := realClient(t, p, nil)

	first, err := logIn(t.Context(), login, client)
	require.NoError(t, err)
	require.Contains(t, page.String(), "The account is connected")
	require.WithinDuration(t, time.Now().Add(59*time.Minute), first.ExpiresAt, time.Minute)
	require.Equal(t, []string{"openid"}, first.Scopes, "what it granted, which is not all that was asked for")

	last := refreshedByMany(t, p, first)
	_, err = client.Refresh(t.Context(), first)
	require.ErrorIs(t, err, credentials.ErrReauthorize, "a refresh token is taken once")
	_, err = client.Refresh(t.Context(), last)
	require.ErrorIs(t, err, credentials.ErrReauthorize, "and the login ends when it comes again")

	t.Setenv("SVC_BROWSE", "cancel")
	page.Reset()
	_, err = logIn(t.Context(), login, client)
	require.ErrorIs(t, err, oauth.ErrDenied)
	require.Contains(t, page.String(), "Access was denied")
}

// refreshedByMany has a hundred goroutines of three refreshers share old, and returns
// what it is replaced with.
func refreshedByMany(t *testing.T, p *oauthtest.Provider, old credentials.Credential) credentials.Credential {
	t.Helper()
	old.ExpiresAt = time.Now()
	shared := credentialstest.NewMemory(credentialstest.Holding{ref: old})
	clients := oauth.NewClients(networks(), getenv(p.Settings("pronet")), nil)
	var wg sync.WaitGroup
	var got sync.Map
	for range 3 {
		refresher := oauth.NewRefresher(shared, clients, slog.New(slog.DiscardHandler))
		for range 34 {
			wg.Go(func() {
				c, err := refresher.Credential(t.Context(), ref)
				assert.NoError(t, err)
				got.Store(c.Access, true)
			})
		}
	}
	wg.Wait()
	last, err := shared.Credential(t.Context(), ref)
	require.NoError(t, err)
	got.Range(func(access, _ any) bool { return assert.Equal(t, last.Access, access) })
	last, err = realClient(t, p, nil).Refresh(t.Context(), last)
	require.NoError(t, err, "the provider saw no token twice")
	return last
}

// The server's way, with answers that are not as they should be.
func TestDesktopServerLogin(t *testing.T) {
	p := oauthtest.StartProvider(t, time.Minute)
	settings, redirect := p.ServerSettings("pronet")
	client := realClient(t, p, settings)

	login := client.Begin(redirect)
	query := answer(t, p, login)
	wrong := maps.Clone(query)
	wrong.Set("state", "forged")
	_, err := login.Finish(t.Context(), wrong)
	require.ErrorIs(t, err, oauth.ErrState)
	c, err := login.Finish(t.Context(), query)
	require.NoError(t, err)
	_, err = login.Finish(t.Context(), query)
	require.ErrorIs(t, err, oauth.ErrState, "a double callback")
	c, err = client.Refresh(t.Context(), c)
	require.NoError(t, err, "which did not end the login")
	require.NoError(t, client.Revoke(t.Context(), c))
	_, err = client.Refresh(t.Context(), c)
	require.ErrorIs(t, err, credentials.ErrReauthorize)

	login = client.Begin(redirect)
	query = answer(t, p, login)
	query.Set("iss", "https://other.example")
	_, err = login.Finish(t.Context(), query)
	require.ErrorIs(t, err, oauth.ErrIssuer)

	settings["PRONET_CLIENT_SECRET"] = "another secret of many characters"
	login = realClient(t, p, settings).Begin(redirect)
	_, err = login.Finish(t.Context(), answer(t, p, login))
	require.ErrorIs(t, err, oauth.ErrRefused)
	require.ErrorContains(t, err, "PRONET_CLIENT_SECRET")
}

func TestDesktopExpiredCode(t *testing.T) {
	p := oauthtest.StartProvider(t, time.Second)
	login := realClient(t, p, nil).Begin("http://127.0.0.1:1/callback")
	query := answer(t, p, login)
	<-time.After(2 * time.Second)
	_, err := login.Finish(t.Context(), query)
	require.ErrorIs(t, err, oauth.ErrExpired)
}
