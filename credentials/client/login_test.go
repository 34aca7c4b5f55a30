package client_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// serveAt starts network and returns its URL.
func serveAt(t *testing.T, network *oauthtest.Network) (base string) {
	t.Helper()
	server := httptest.NewServer(network)
	t.Cleanup(server.Close)
	return server.URL
}

// serve starts network and returns clients that know it as pronet.
func serve(t *testing.T, network *oauthtest.Network) oauth.Clients {
	t.Helper()
	settings := network.Settings("pronet", serveAt(t, network))
	return oauth.NewClients(networks(), func(name string) string { return settings[name] }, nil)
}

// browser simulates a user's browser that follows every redirect.
func browser(t *testing.T) oauth.Loopback {
	return oauth.Loopback{Open: func(address string) error {
		request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultTransport.(*http.Transport).Clone().RoundTrip(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if back := answer.Header.Get("Location"); back != "" {
			return browser(t).Open(back)
		}
		return nil
	}}
}

// The way of a desktop from login to logout.
func TestLogin(t *testing.T) {
	for name, err := range map[string]error{"keyring": nil, "memory": errors.New("no keyring")} {
		t.Run(name, func(t *testing.T) {
			network := &oauthtest.Network{Lifetime: time.Hour}
			clients := serve(t, network)
			p := open(t, t.TempDir(), &fakeRing{err: err})
			require.NoError(t, p.Login(t.Context(), ref, clients, browser(t)))
			refresher := oauth.NewRefresher(p, clients, slog.New(slog.DiscardHandler))
			defer refresher.Wait()
			first, err := refresher.Credential(t.Context(), ref)
			require.NoError(t, err)
			second, err := refresher.Refresh(t.Context(), ref, first.Access)
			require.NoError(t, err)
			require.True(t, network.Alive(second.Access))
			require.NotEqual(t, first.Access, second.Access)
			require.NoError(t, refresher.Logout(t.Context(), ref))
			require.False(t, network.Alive(second.Refresh))
			infos, err := p.List(t.Context())
			require.NoError(t, err)
			require.Empty(t, infos)
		})
	}
}

func TestLoginFails(t *testing.T) {
	p := open(t, t.TempDir(), &fakeRing{})
	require.NoError(t, p.SetCredential(t.Context(), ref, secret("old")))
	require.ErrorIs(t, p.Login(t.Context(), ref, serve(t, &oauthtest.Network{Deny: true}), browser(t)), oauth.ErrDenied)
	require.ErrorIs(t, p.Login(t.Context(), "email:main", serve(t, &oauthtest.Network{}), browser(t)), oauth.ErrUnknownNetwork)
	requireAccess(t, p, "old")
}

// exchange is a fake server that stores accounts.
type exchange struct {
	login credentials.Login
	polls int                     // number of polls until the login ends
	err   error                   // the result of the login
	held  credentials.Memory      // its accounts
	lost  map[int]error           // errors of polls, by number
	given map[credentials.Ref]int // number of logins
}

func (e *exchange) BeginLogin(_ context.Context, ref credentials.Ref) (credentials.Login, error) {
	if e.given == nil {
		e.given = map[credentials.Ref]int{}
	}
	e.given[ref]++
	return e.login, nil
}

func (e *exchange) LoginDone(_ context.Context, network, loginID string) (bool, error) {
	e.polls--
	if err := e.lost[e.polls]; err != nil {
		return false, err
	}
	if network != "pronet" || loginID != e.login.LoginID || e.polls > 0 {
		return false, nil
	}
	return true, e.err
}

func (e *exchange) List(ctx context.Context) ([]credentials.Info, error) { return e.held.List(ctx) }

func (e *exchange) Set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	return e.held.SetCredential(ctx, ref, c)
}

func (e *exchange) Delete(ctx context.Context, ref credentials.Ref) error {
	return e.held.Delete(ctx, ref)
}

// withServer returns a provider without a keyring but with a server.
func withServer(t *testing.T, e *exchange) *client.Provider {
	t.Helper()
	e.login = credentials.Login{AuthorizeURL: "https://pronet.example/authorize", LoginID: "l1", ExpiresAt: time.Now().Add(10 * time.Minute)}
	p := client.Open(t.Context(), client.Options{
		Dir: t.TempDir(), Service: service, Keyring: &fakeRing{err: errors.New("locked")}, Exchange: e,
	})
	require.Equal(t, client.OnServer, p.Status().Storage)
	return p
}

func TestServerLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &exchange{polls: 30, lost: map[int]error{20: credentials.ErrUnavailable}}
		p := withServer(t, e)
		var shown string
		show := oauth.Loopback{ShowURL: func(address string) { shown = address }}
		began := time.Now()
		require.NoError(t, p.Login(t.Context(), ref, oauth.Clients{}, show), "the desktop itself needs no client")
		require.Equal(t, 29*time.Second, time.Since(began))
		require.Equal(t, "https://pronet.example/authorize", shown)
		require.Equal(t, 1, e.given[ref])
		require.Contains(t, p.Status().String(), "They are connected on the server")

		e.polls, e.err = 2, oauth.ErrDenied
		require.ErrorIs(t, p.Login(t.Context(), ref, oauth.Clients{}, show), oauth.ErrDenied)

		e.polls, e.login.ExpiresAt = 1000, time.Now().Add(time.Minute)
		require.ErrorIs(t, p.Login(t.Context(), ref, oauth.Clients{}, show), oauth.ErrTimeout)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		e.login.ExpiresAt = time.Now().Add(time.Minute)
		require.ErrorIs(t, p.Login(ctx, ref, oauth.Clients{}, show), context.DeadlineExceeded)

		noBrowser := oauth.Loopback{Open: func(string) error { return errors.New("none") }}
		require.ErrorContains(t, p.Login(t.Context(), ref, oauth.Clients{}, noBrowser), "no browser could be opened")
	})
}

// A browser would also open files and start programs.
func TestServerLoginOpensWebPagesOnly(t *testing.T) {
	for _, address := range []string{
		"file:///etc/passwd", "calculator:", "javascript:alert(1)", "", "\x00",
		"http://network.example/login", "https://user@network.example/login", "https:///login",
	} {
		e := &exchange{}
		p := withServer(t, e)
		e.login.AuthorizeURL = address
		opened := oauth.Loopback{ShowURL: func(string) { t.Error("shown") }}
		require.ErrorIs(t, p.Login(t.Context(), ref, oauth.Clients{}, opened), oauth.ErrPage)
	}
}

func TestServerKeepsAccounts(t *testing.T) {
	e := &exchange{}
	p := withServer(t, e)
	require.NoError(t, e.held.SetCredential(t.Context(), ref, secret("theirs")))
	require.NoError(t, e.held.SetCredential(t.Context(), "email:main", secret("theirs")))
	require.NoError(t, p.SetCredential(t.Context(), "email:main", secret("mine")))

	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Info{{Ref: "email:main", Source: "memory"}, {Ref: ref, Source: "server"}}, infos)
	_, err = p.Credential(t.Context(), ref)
	require.ErrorIs(t, err, credentials.ErrNotFound)
	require.ErrorContains(t, err, "run the workflow on the server")

	refresher := oauth.NewRefresher(p, oauth.Clients{}, slog.New(slog.DiscardHandler))
	require.NoError(t, refresher.Logout(t.Context(), ref))
	infos, err = e.held.List(t.Context())
	require.NoError(t, err)
	require.Len(t, infos, 1)
}
