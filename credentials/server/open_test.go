package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/server"
)

// config is that of a server with these environment variables.
func config(t *testing.T, vars map[string]string) server.Config {
	e := environment(vars)
	return server.Config{DataDir: t.TempDir(), Networks: network.Shipped(), Getenv: e.Lookup, Environ: e.Environ}
}

func open(t *testing.T, c server.Config) *server.Provider {
	t.Helper()
	p, err := server.Open(c)
	require.NoError(t, err)
	return p
}

// vaultAddress is where a vault answers that takes the token "root".
func vaultAddress(t *testing.T, fake *fakeVault) string {
	t.Helper()
	web := httptest.NewServer(fake)
	t.Cleanup(web.Close)
	return web.URL
}

func TestOpen(t *testing.T) {
	for name, vars := range map[string]func() map[string]string{
		"file": func() map[string]string { return nil },
		"vault": func() map[string]string {
			return map[string]string{"VAULT_ADDR": vaultAddress(t, newFakeVault()), "VAULT_TOKEN": "root"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
				p := open(t, config(t, vars()))
				fill(t, p, held)
				return p
			}, credentialstest.Options{})
		})
	}
}

// Each source is asked in its turn; what is new goes into the vault.
func TestOpenOrder(t *testing.T) {
	fake := newFakeVault()
	path := credentialsFile(t, "PRONET_MAIN=file\nPRONET_FILED=file\n")
	p := open(t, config(t, map[string]string{
		"PRONET_MAIN": "environment", "SVC_CREDENTIALS_FILE": path,
		"BAO_ADDR": vaultAddress(t, fake), "BAO_TOKEN": "root", "SVC_VAULT_PATH": "/secret/team/svc/",
	}))
	for _, account := range []string{"main", "filed", "vaulted"} {
		fake.held["team/svc/pronet/"+account] = []*fakeVersion{{map[string]any{"access_token": "vault"}}}
	}
	requireSecret(t, p, "pronet:main", "environment")
	requireSecret(t, p, "pronet:filed", "file")
	requireSecret(t, p, "pronet:vaulted", "vault")

	require.NoError(t, p.SetCredential(t.Context(), "pronet:filed", secret("renewed")))
	requireText(t, path, "PRONET_MAIN=file\nPRONET_FILED='{\"access_token\":\"renewed\"}'\n")
	require.NoError(t, p.SetCredential(t.Context(), "pronet:new", secret("x")))
	require.Len(t, fake.held["team/svc/pronet/new"], 1)

	require.ErrorIs(t, p.CheckWritable(t.Context(), "pronet:main"), credentials.ErrReadOnly)
	require.ErrorContains(t, p.CheckWritable(t.Context(), "pronet:main"), "change PRONET_MAIN in the server's environment")
	for _, ref := range []credentials.Ref{"pronet:filed", "pronet:vaulted", "pronet:other"} {
		require.NoError(t, p.CheckWritable(t.Context(), ref))
	}
}

// A vault that fails hands nothing over to the file.
func TestOpenVaultFails(t *testing.T) {
	c := config(t, map[string]string{"VAULT_ADDR": "http://127.0.0.1:1", "VAULT_TOKEN": "canary", "VAULT_MAX_RETRIES": "0"})
	p := open(t, c)
	requireUnavailable(t, p.SetCredential(t.Context(), "pronet:main", secret("canary")), "cannot be reached")
	requireUnavailable(t, p.CheckWritable(t.Context(), "pronet:main"), "cannot be reached")
	require.NoFileExists(t, filepath.Join(c.DataDir, "credentials.env"))
}

func TestOpenLogins(t *testing.T) {
	for name, vars := range map[string]map[string]string{
		"token":      {"VAULT_TOKEN": "root"},
		"token file": {"VAULT_TOKEN_FILE": secretFile(t, " root\n\n")},
		"role":       {"VAULT_ROLE_ID": fakeRole, "VAULT_SECRET_ID": fakeSecretID},
		"role file":  {"BAO_ROLE_ID": fakeRole, "BAO_SECRET_ID_FILE": secretFile(t, fakeSecretID)},
	} {
		t.Run(name, func(t *testing.T) {
			vars["VAULT_ADDR"] = vaultAddress(t, newFakeVault())
			fill(t, open(t, config(t, vars)), credentialstest.Holding{"pronet:main": secret("x")})
		})
	}
	for path, says := range map[string]string{"/canary": "no such file", secretFile(t, "\n"): "it is empty"} {
		p := open(t, config(t, map[string]string{"VAULT_ADDR": vaultAddress(t, newFakeVault()), "VAULT_TOKEN_FILE": path}))
		_, err := p.Credential(t.Context(), "pronet:main")
		requireUnavailable(t, err, "the file that VAULT_TOKEN_FILE names: "+says)
	}
}

func TestOpenMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		vars map[string]string
		says string
	}{
		"path without address": {map[string]string{"SVC_VAULT_PATH": "kv/svc", "VAULT_TOKEN": "canary"}, "SVC_VAULT_PATH is set, but"},
		"path without login":   {map[string]string{"SVC_VAULT_PATH": "kv/svc", "VAULT_ADDR": "http://x"}, "SVC_VAULT_PATH is set, but"},
		"two logins":           {map[string]string{"VAULT_ADDR": "http://x", "VAULT_TOKEN": "canary", "VAULT_ROLE_ID": "r"}, "unset one"},
		"two tokens":           {map[string]string{"VAULT_ADDR": "http://x", "VAULT_TOKEN": "canary", "VAULT_TOKEN_FILE": "/canary"}, "VAULT_TOKEN and VAULT_TOKEN_FILE are both set"},
		"half a role":          {map[string]string{"VAULT_ADDR": "http://x", "VAULT_ROLE_ID": "r"}, "neither VAULT_SECRET_ID nor VAULT_SECRET_ID_FILE"},
		"address":              {map[string]string{"VAULT_ADDR": "http://x y:z", "VAULT_TOKEN": "canary"}, "VAULT_ADDR is no address"},
		"timeout":              {map[string]string{"VAULT_ADDR": "http://x", "VAULT_TOKEN": "canary", "VAULT_CLIENT_TIMEOUT": "soon"}, "VAULT_CLIENT_TIMEOUT is no time"},
		"retries":              {map[string]string{"VAULT_ADDR": "http://x", "VAULT_TOKEN": "canary", "VAULT_MAX_RETRIES": "-1"}, "VAULT_MAX_RETRIES is no number"},
		"verify":               {map[string]string{"VAULT_ADDR": "http://x", "VAULT_TOKEN": "canary", "VAULT_SKIP_VERIFY": "perhaps"}, "neither true nor false"},
		"certificate":          {map[string]string{"VAULT_ADDR": "http://x", "VAULT_TOKEN": "canary", "VAULT_CACERT": "/none"}, "/none"},
		"broken file":          {map[string]string{"SVC_CREDENTIALS_FILE": credentialsFile(t, "canary")}, "credentials.env: "},
		"open file":            {map[string]string{"SVC_CREDENTIALS_FILE": "/dev/null"}, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := server.Open(config(t, test.vars))
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "canary")
		})
	}
}

// A machine may have the address of a vault for other programs.
func TestOpenWithoutLogin(t *testing.T) {
	p := open(t, config(t, map[string]string{"VAULT_ADDR": "http://127.0.0.1:1"}))
	fill(t, p, credentialstest.Holding{"pronet:main": secret("x")})
}

func TestOpenInTheWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	p := open(t, server.Config{Networks: network.Shipped(), Getenv: environment(nil).Lookup, Environ: environment(nil).Environ})
	t.Chdir(t.TempDir())
	fill(t, p, credentialstest.Holding{"pronet:main": secret("x")})
	require.NoFileExists(t, "credentials.env")
}

func TestStatuses(t *testing.T) {
	now := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "credentials.env")
	p := open(t, config(t, map[string]string{
		"EMAIL_MAIN": "{canary", "EMAIL_GONE_FILE": "/canary", "SVC_CREDENTIALS_FILE": path,
	}))
	at := func(d time.Duration, refresh string) credentials.Credential {
		return credentials.Credential{Access: credentials.NewSecret("canary"), Refresh: credentials.NewSecret(refresh), ExpiresAt: now.Add(d)}
	}
	fill(t, p, credentialstest.Holding{
		"pronet:a":    {Access: credentials.NewSecret("canary"), Scopes: []string{"x"}},
		"pronet:b":    at(8*24*time.Hour, ""),
		"pronet:c":    at(7*24*time.Hour, ""),
		"pronet:d":    at(time.Second, "canary"),
		"pronet:e":    at(0, "canary"),
		"microblog:f": at(0, ""),
	})
	statuses, err := p.Statuses(t.Context(), now)
	require.NoError(t, err)
	text, err := json.MarshalIndent(statuses, "", " ")
	require.NoError(t, err)
	require.NotContains(t, string(text), "canary")

	got := map[credentials.Ref]credentials.State{}
	for _, s := range statuses {
		got[s.Ref] = s.State
	}
	require.Equal(t, map[credentials.Ref]credentials.State{
		"email:main": "malformed", "email:gone": "unavailable", "pronet:a": "valid", "pronet:b": "valid", "pronet:c": "expiring",
		"pronet:d": "valid", "pronet:e": "expired", "microblog:f": "reauthorize",
	}, got)

	one, err := json.Marshal(statuses[3])
	require.NoError(t, err)
	require.JSONEq(t, `{"ref":"pronet:a","network":"pronet","account":"a","source":"file","scopes":["x"],"state":"valid"}`, string(one))
	one, err = json.Marshal(statuses[2])
	require.NoError(t, err)
	require.JSONEq(t, `{"ref":"microblog:f","network":"microblog","account":"f","source":"file","expiresAt":"2030-01-02T12:00:00Z","state":"reauthorize"}`, string(one))
}
