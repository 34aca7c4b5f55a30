package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/server"
)

func fill(t *testing.T, p credentials.Provider, held credentialstest.Holding) {
	t.Helper()
	for ref, c := range held {
		require.NoError(t, p.SetCredential(t.Context(), ref, c))
	}
}

func TestVault(t *testing.T) {
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		v := over(t, newFakeVault(), server.Token(always("root")))
		fill(t, v, held)
		return v
	}, credentialstest.Options{})
}

func TestVaultKeepsFields(t *testing.T) {
	fake := newFakeVault()
	v := over(t, fake, server.Token(always("root")))
	require.NoError(t, v.SetCredential(t.Context(), "pronet:main", credentials.Credential{
		Access: credentials.NewSecret("a"), Refresh: credentials.NewSecret("r"), ExpiresAt: time.Unix(1893585600, 0), Scopes: []string{"x", "y"},
	}))
	require.Equal(t, map[string]any{
		"access_token": "a", "refresh_token": "r", "expires_at": "2030-01-02T12:00:00Z", "scope": "x y",
	}, fake.held["svc/pronet/main"][0].data)

	// As the vault's own program writes it: all fields are texts.
	fake.held["svc/pronet/company"] = []*fakeVersion{{map[string]any{"access_token": "tok", "expires_at": "1893585600", "note": "by hand"}}}
	c, err := v.Credential(t.Context(), "pronet:company")
	require.NoError(t, err)
	require.Equal(t, credentials.Credential{Access: credentials.NewSecret("tok"), ExpiresAt: time.Unix(1893585600, 0).UTC(), Revision: 1}, c)
}

// Nothing of a deleted credential is left, and its revisions never come again.
func TestVaultDeletesAllVersions(t *testing.T) {
	fake := newFakeVault()
	v := over(t, fake, server.Token(always("root")))
	for range 3 {
		require.NoError(t, v.SetCredential(t.Context(), "pronet:main", secret("canary")))
	}
	stale, err := v.Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.NoError(t, v.Delete(t.Context(), "pronet:main"))
	for _, version := range fake.held["svc/pronet/main"] {
		require.Nil(t, version.data)
	}
	infos, err := v.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, infos)
	require.NoError(t, v.Delete(t.Context(), "pronet:main"), "once more")

	require.NoError(t, v.SetCredential(t.Context(), "pronet:main", secret("of another login")))
	require.ErrorIs(t, v.SetCredential(t.Context(), "pronet:main", stale), credentials.ErrConflict)
}

func TestVaultListsOnlyCredentials(t *testing.T) {
	fake := newFakeVault()
	v := over(t, fake, server.Token(always("root")))
	fill(t, v, credentialstest.Holding{"pronet:main": secret("x")})
	fake.held["svc/loose"] = []*fakeVersion{{map[string]any{"access_token": "x"}}}
	fake.held["svc/pronet/No Account"] = []*fakeVersion{{map[string]any{"access_token": "x"}}}
	fake.held["svc/pronet/deep/er"] = []*fakeVersion{{map[string]any{"access_token": "x"}}}
	fake.held["svc/email/bad"] = []*fakeVersion{{map[string]any{"password": "canary"}}}
	unlock, err := v.Lock(t.Context(), "microblog:bot")
	require.NoError(t, err)
	unlock()
	infos, err := v.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Info{{Ref: "email:bad", Source: "vault"}, {Ref: "pronet:main", Source: "vault"}}, infos)

	_, err = v.Credential(t.Context(), "email:bad")
	require.ErrorIs(t, err, credentials.ErrMalformed)
	require.ErrorContains(t, err, "email:bad in the vault: access_token: it is missing")
}

// The client writes again when an answer is lost; that is no conflict.
func TestVaultLosesAnAnswer(t *testing.T) {
	fake := newFakeVault()
	v := over(t, fake, server.Token(always("root")))
	fill(t, v, credentialstest.Holding{"pronet:main": secret("old")})
	c, err := v.Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	c.Access = credentials.NewSecret("new")
	fake.set(func() { fake.lose = 1 })
	require.NoError(t, v.SetCredential(t.Context(), "pronet:main", c))
	requireSecret(t, v, "pronet:main", "new")
	require.Equal(t, 2, fake.writes)
}

func TestVaultLogsInWithARole(t *testing.T) {
	fake := newFakeVault()
	v := over(t, fake, server.AppRole("approle", fakeRole, always(fakeSecretID)))
	fill(t, v, credentialstest.Holding{"pronet:main": secret("x"), "pronet:b": secret("x")})
	require.Equal(t, 1, fake.logins)

	refused := over(t, fake, server.AppRole("approle", fakeRole, always("canary")))
	_, err := refused.Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "refuses the login")
}

// No name leads out of the folder.
func TestVaultStaysInItsFolder(t *testing.T) {
	fake := newFakeVault()
	fake.held["other/secret"] = []*fakeVersion{{map[string]any{"access_token": "x"}}}
	v := over(t, fake, server.Token(always("root")))
	for _, ref := range []credentials.Ref{"..:other", "pronet:../../other/secret", "pronet:", ":main", ".locks:pronet", ""} {
		_, err := v.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrNotFound, ref)
		require.Error(t, v.SetCredential(t.Context(), ref, secret("x")), ref)
		require.NoError(t, v.Delete(t.Context(), ref), ref)
		_, err = v.Lock(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrUnavailable, ref)
	}
	require.Len(t, fake.held, 1)
}

// Whatever the vault says, people read what is wrong and no secret.
func TestVaultFails(t *testing.T) {
	answer := func(status int, body string) func(*fakeVault) {
		return func(f *fakeVault) {
			f.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = w.Write([]byte(body)) }
		}
	}
	for name, test := range map[string]struct {
		now  func(*fakeVault)
		says string
	}{
		"sealed":     {answer(503, `{"errors":["Vault is sealed"]}`), "sealed; unseal it"},
		"forbidden":  {func(f *fakeVault) { f.tokens = nil }, "forbids it; the token has expired, its policy does not allow this, or no engine is mounted, at secret/svc"},
		"own error":  {answer(500, `{"errors":["canary"]}`), "status 500"},
		"proxy":      {answer(502, `<html>canary</html>`), "status 502"},
		"no JSON":    {answer(200, `canary`), "is no vault"},
		"no vault":   {answer(404, `{"errors":[]}`), "is no vault"},
		"other kind": {func(f *fakeVault) { f.engine = "1" }, "not a key-value engine of version 2"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := newFakeVault()
			fake.tokens["canary-token"] = true
			test.now(fake)
			web := httptest.NewServer(fake)
			t.Cleanup(web.Close)
			var log bytes.Buffer
			v := server.NewVault(vaultClient(t, web.URL, nil), "secret/svc", server.Token(always("canary-token")), slog.New(slog.NewTextHandler(&log, nil)))
			requireAllUnavailable(t, v, test.says)
			if name != "own error" { // the vault's own words are for the log
				require.NotContains(t, log.String(), "canary")
			}
		})
	}
}

// requireAllUnavailable does everything with a source that cannot answer.
func requireAllUnavailable(t *testing.T, v *server.Vault, says string) {
	t.Helper()
	_, err := v.Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, says)
	_, err = v.List(t.Context())
	requireUnavailable(t, err, says)
	requireUnavailable(t, v.Delete(t.Context(), "pronet:main"), says)
	_, err = v.Lock(t.Context(), "pronet:main")
	requireUnavailable(t, err, says)
	for _, revision := range []int64{0, 1} {
		c := secret("canary")
		c.Revision = revision
		requireUnavailable(t, v.SetCredential(t.Context(), "pronet:main", c), says)
	}
}

func TestVaultThatIsNotThere(t *testing.T) {
	web := httptest.NewServer(nil)
	web.Close()
	v := server.NewVault(vaultClient(t, web.URL, nil), "secret/svc", server.Token(always("canary")), nil)
	requireAllUnavailable(t, v, "cannot be reached")
}
