package machine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/ui/accounts"
)

const ref = credentials.Ref("pronet:main")

// From connecting an account to disconnecting it, on this computer and on a server.
func TestAccounts(t *testing.T) {
	for _, storage := range []string{"keyring", "memory", "server", "file"} {
		t.Run(storage, func(t *testing.T) {
			u := newUser(t)
			network := u.network()
			source := u.source(t, storage)
			require.Equal(t, shippedNetworks(), source.Networks())
			requireAccounts(t, source)
			var shown string
			require.NoError(t, source.Connect(t.Context(), ref, func(address string) { shown = address }))
			require.Contains(t, shown, "/authorize?")
			requireAccounts(t, source, storage)
			if storage != "server" { // which keeps it to itself
				require.NoError(t, source.Test(t.Context(), ref))
			}
			require.Equal(t, 2, network.AliveTokens())

			key := credentials.Credential{Kind: credentials.KindBearer, Access: credentials.NewSecret("canary"), Hosts: []string{"slack.com"}}
			require.NoError(t, source.Set(t.Context(), "http:slack", key))
			list, err := source.Accounts(t.Context())
			require.NoError(t, err)
			require.Len(t, list, 2)
			require.EqualValues(t, "http:slack", list[0].Ref)
			require.Equal(t, storage, list[0].Source)
			require.NoError(t, source.Disconnect(t.Context(), "http:slack"))
			require.Error(t, source.Set(t.Context(), "http:slack", credentials.Credential{Access: key.Access}), "it names no hosts")
			require.Error(t, source.Set(t.Context(), "pronet:client-secret", key))

			require.NoError(t, source.Disconnect(t.Context(), ref))
			requireAccounts(t, source)
			require.Zero(t, network.AliveTokens(), "the network was told")
			require.ErrorIs(t, source.Test(t.Context(), ref), credentials.ErrNotFound)
		})
	}
}

// source returns what keeps the accounts of u: this computer with or without a keyring,
// this computer with a server to help, or a server.
func (u *user) source(t *testing.T, storage string) accounts.Source {
	t.Helper()
	switch storage {
	case "memory":
		u.ring.away = true
	case "server":
		u.ring.away = true
		u.env["SVC_SERVER"], u.env["SVC_API_KEY"] = serve(t, "", u.env), key
	case "file":
		place, err := u.open().Servers().Connect(t.Context(), serve(t, "", u.env), key)
		require.NoError(t, err)
		text, fine := place.Accounts.Storage()
		require.True(t, fine)
		require.Contains(t, text, "Accounts are kept on the server "+place.URL)
		return place.Accounts
	}
	here := u.open().Host().Accounts
	text, fine := here.Storage()
	require.Equal(t, storage == "keyring", fine, text)
	return here
}

// requireAccounts requires that the account is kept there, or nothing is.
func requireAccounts(t *testing.T, source accounts.Source, where ...string) {
	t.Helper()
	list, err := source.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, list, len(where))
	for i := range list {
		require.Equal(t, ref, list[i].Ref)
		require.Equal(t, where[i], list[i].Source)
		require.Equal(t, credentials.StateValid, list[i].State)
		require.WithinDuration(t, time.Now().Add(time.Hour), list[i].ExpiresAt, 10*time.Minute)
	}
}

func TestAccountsOfTheEnvironmentStayThere(t *testing.T) {
	u := newUser(t)
	u.network()
	u.env["PRONET_MAIN"] = "a-token-of-the-environment"
	here := u.open().Host().Accounts
	list, err := here.Accounts(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Status{{
		Ref: ref, Network: ref.Network(), Account: ref.Account(), Source: "environment", State: credentials.StateValid,
	}}, list)
	require.NoError(t, here.Test(t.Context(), ref))
	for _, err := range []error{here.Connect(t.Context(), ref, nil), here.Disconnect(t.Context(), ref)} {
		require.ErrorIs(t, err, credentials.ErrReadOnly)
		require.ErrorContains(t, err, "start it without PRONET_MAIN")
		require.NotContains(t, err.Error(), "a-token")
	}
}

func TestConnectReportsMissingSettings(t *testing.T) {
	u := newUser(t)
	here := u.open().Host().Accounts
	err := here.Connect(t.Context(), ref, nil)
	require.ErrorIs(t, err, oauth.ErrNotConfigured)
	require.ErrorContains(t, err, "PRONET_CLIENT_ID")

	there := u.source(t, "file")
	require.ErrorContains(t, there.Connect(t.Context(), ref, nil), "PRONET_CLIENT_ID")
}

func TestConnectOnAServerIsDenied(t *testing.T) {
	u := newUser(t)
	network := u.network()
	network.Deny = true
	err := u.source(t, "file").Connect(t.Context(), ref, func(string) {})
	require.ErrorContains(t, err, oauth.ErrDenied.Error())
}

// A keyring that is unlocked later takes what was in memory until then.
func TestRetry(t *testing.T) {
	u := newUser(t)
	u.network()
	here := u.source(t, "memory")
	require.NoError(t, here.Connect(t.Context(), ref, nil))
	u.ring.setAway(false)
	here.Retry(t.Context())
	text, fine := here.Storage()
	require.True(t, fine, text)
	requireAccounts(t, here, "keyring")
}

// An account that a server cannot use any more is not usable from here either.
func TestAccountsOfAServerThatHaveEnded(t *testing.T) {
	u := newUser(t)
	env := map[string]string{
		"PRONET_MAIN":    `{"access_token":"old","expires_at":"2020-01-01T00:00:00Z"}`,
		"MICROBLOG_MAIN": `{"refresh_token":"no access token"}`,
	}
	// A server lists what its process has in the environment.
	for name, value := range env {
		t.Setenv(name, value)
	}
	place, err := u.open().Servers().Connect(t.Context(), serve(t, "", env), key)
	require.NoError(t, err)
	require.ErrorIs(t, place.Accounts.Test(t.Context(), ref), credentials.ErrReauthorize)
	require.ErrorIs(t, place.Accounts.Test(t.Context(), "microblog:main"), credentials.ErrMalformed)
	require.ErrorContains(t, place.Accounts.Disconnect(t.Context(), ref), "belongs to the environment of the server")
}
