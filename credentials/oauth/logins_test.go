package oauth_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

func loginsInto(target credentials.Provider, network *oauthtest.Network) *oauth.Logins {
	return oauth.NewLogins(target, clientsOf(network, nil), func(name string) string { return "https://svc.example/auth/" + name + "/callback" })
}

func TestServerLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, network := &credentials.Memory{}, &oauthtest.Network{}
		l := loginsInto(store, network)
		begun, err := l.Begin(t.Context(), "pronet:main")
		require.NoError(t, err)
		require.Equal(t, time.Now().Add(10*time.Minute).UTC(), begun.ExpiresAt)
		require.NotContains(t, begun.AuthorizeURL, begun.LoginID)
		outcome, err := l.Outcome(t.Context(), "pronet", begun.LoginID)
		require.NoError(t, err)
		require.Equal(t, credentials.LoginOutcome{State: "pending", Ref: "pronet:main"}, outcome)
		_, err = l.Outcome(t.Context(), "microblog", begun.LoginID)
		require.ErrorIs(t, err, oauth.ErrUnknownLogin)

		answer := consent(network, begun.AuthorizeURL)
		require.ErrorIs(t, l.Finish(t.Context(), "microblog", answer), oauth.ErrState, "not of this network")
		gone, cancel := context.WithCancel(t.Context())
		cancel() // a browser that is closed at once
		require.NoError(t, l.Finish(gone, "pronet", answer))
		c, err := store.Credential(t.Context(), "pronet:main")
		require.NoError(t, err)
		require.True(t, network.Alive(c.Access))
		outcome, err = l.Outcome(t.Context(), "pronet", begun.LoginID)
		require.NoError(t, err)
		require.Equal(t, credentials.LoginOutcome{State: "complete", Ref: "pronet:main"}, outcome)

		require.ErrorIs(t, l.Finish(t.Context(), "pronet", answer), oauth.ErrState, "a second time")
		require.True(t, network.Alive(c.Access), "which did no harm")
		<-time.After(11 * time.Minute)
		_, err = l.Outcome(t.Context(), "pronet", begun.LoginID)
		require.ErrorIs(t, err, oauth.ErrUnknownLogin)
	})
}

func TestServerLoginThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &oauthtest.Network{Deny: true}
		l := loginsInto(&credentials.Memory{}, network)
		denied, err := l.Begin(t.Context(), "pronet:main")
		require.NoError(t, err)
		late, err := l.Begin(t.Context(), "pronet:main")
		require.NoError(t, err)
		for _, query := range []url.Values{nil, {"state": {""}}, {"state": {"guessed"}}, {"state": {"a", "b"}}} {
			require.ErrorIs(t, l.Finish(t.Context(), "pronet", query), oauth.ErrState, "%v", query)
		}
		require.ErrorIs(t, l.Finish(t.Context(), "pronet", consent(network, denied.AuthorizeURL)), oauth.ErrDenied)
		outcome, err := l.Outcome(t.Context(), "pronet", denied.LoginID)
		require.NoError(t, err)
		require.Equal(t, credentials.LoginFailed, outcome.State)
		require.Equal(t, "denied", outcome.Code)
		require.NotEmpty(t, outcome.Detail)

		<-time.After(oauth.LoginLife)
		network.Deny = false
		require.ErrorIs(t, l.Finish(t.Context(), "pronet", consent(network, late.AuthorizeURL)), oauth.ErrState, "ten minutes are over")
		outcome, err = l.Outcome(t.Context(), "pronet", late.LoginID)
		require.NoError(t, err)
		require.Equal(t, "timeout", outcome.Code)

		_, err = l.Begin(t.Context(), "microblog:main")
		require.ErrorIs(t, err, oauth.ErrNotConfigured)
		_, err = l.Begin(t.Context(), "nobody:main")
		require.ErrorIs(t, err, oauth.ErrUnknownNetwork)
	})
}

// owned is a target that cannot be written.
type owned struct{ credentials.Memory }

func (*owned) CheckWritable(context.Context, credentials.Ref) error { return credentials.ErrReadOnly }

// full is a target whose SetCredential fails.
type full struct{ credentials.Memory }

func (*full) SetCredential(context.Context, credentials.Ref, credentials.Credential) error {
	return errors.Join(credentials.ErrUnavailable, errors.New("no room"))
}

func TestServerLoginWithoutAPlace(t *testing.T) {
	network := &oauthtest.Network{}
	_, err := loginsInto(&owned{}, network).Begin(t.Context(), "pronet:main")
	require.ErrorIs(t, err, credentials.ErrReadOnly)

	l := loginsInto(&full{}, network)
	begun, err := l.Begin(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.ErrorIs(t, l.Finish(t.Context(), "pronet", consent(network, begun.AuthorizeURL)), credentials.ErrUnavailable)
	outcome, err := l.Outcome(t.Context(), "pronet", begun.LoginID)
	require.NoError(t, err)
	require.Equal(t, "unavailable", outcome.Code, "nobody is told that an account is connected which is not kept")
}

func TestServerLoginsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := loginsInto(&credentials.Memory{}, &oauthtest.Network{})
		for range 1000 {
			_, err := l.Begin(t.Context(), "pronet:main")
			require.NoError(t, err)
		}
		_, err := l.Begin(t.Context(), "pronet:main")
		require.ErrorIs(t, err, oauth.ErrTooManyLogins)
		<-time.After(oauth.LoginLife)
		_, err = l.Begin(t.Context(), "pronet:main")
		require.NoError(t, err)
	})
}
