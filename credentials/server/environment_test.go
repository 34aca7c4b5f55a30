package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/server"
)

// environment is the source in which these variables are set.
func environment(vars map[string]string) server.Environment {
	return server.Environment{
		Networks: network.Shipped(),
		Lookup:   func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		Environ: func() []string {
			var all []string
			for name, v := range vars {
				all = append(all, name+"="+v)
			}
			return all
		},
	}
}

// variables is how held looks in the environment.
func variables(t *testing.T, held credentialstest.Holding) map[string]string {
	vars := map[string]string{}
	for ref, c := range held {
		fields := map[string]any{
			"access_token": c.Access.Reveal(), "refresh_token": c.Refresh.Reveal(), "scope": strings.Join(c.Scopes, " "),
		}
		if !c.ExpiresAt.IsZero() {
			fields["expires_at"] = c.ExpiresAt.Unix()
		}
		text, err := json.Marshal(fields)
		require.NoError(t, err)
		vars[network.Variable(ref)] = string(text)
	}
	return vars
}

func TestEnvironment(t *testing.T) {
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		return environment(variables(t, held))
	}, credentialstest.Options{ReadOnly: true})
}

func secretFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestEnvironmentForms(t *testing.T) {
	noon := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	access := credentials.Credential{Access: credentials.NewSecret("tok")}
	expiring := credentials.Credential{Access: credentials.NewSecret("tok"), ExpiresAt: noon}
	for name, test := range map[string]struct {
		vars map[string]string
		want credentials.Credential
	}{
		"bare":           {map[string]string{"PRONET_MAIN": "tok"}, access},
		"inner space":    {map[string]string{"PRONET_MAIN": "app pass word"}, credentials.Credential{Access: credentials.NewSecret("app pass word")}},
		"file":           {map[string]string{"PRONET_MAIN_FILE": secretFile(t, "tok")}, access},
		"file, LF":       {map[string]string{"PRONET_MAIN_FILE": secretFile(t, "tok\n")}, access},
		"file, CRLF":     {map[string]string{"PRONET_MAIN_FILE": secretFile(t, "tok\r\n")}, access},
		"unset is empty": {map[string]string{"PRONET_MAIN": "", "PRONET_MAIN_FILE": secretFile(t, "tok")}, access},
		"JSON":           {map[string]string{"PRONET_MAIN": `{"access_token":"tok"}`}, access},
		"JSON in a file": {map[string]string{"PRONET_MAIN_FILE": secretFile(t, "{\n \"access_token\": \"tok\"\n}\n")}, access},
		"nulls, others":  {map[string]string{"PRONET_MAIN": `{"access_token":"tok","refresh_token":null,"expires_at":null,"scope":null,"expires_in":7200,"token_type":"bearer"}`}, access},
		"RFC 3339":       {map[string]string{"PRONET_MAIN": `{"access_token":"tok","expires_at":"2030-01-02T13:00:00+01:00"}`}, expiring},
		"Unix":           {map[string]string{"PRONET_MAIN": `{"access_token":"tok","expires_at":1893585600}`}, expiring},
		"full": {
			map[string]string{"PRONET_MAIN": `{"access_token":"tok","refresh_token":"ref","scope":" a  b "}`},
			credentials.Credential{Access: credentials.NewSecret("tok"), Refresh: credentials.NewSecret("ref"), Scopes: []string{"a", "b"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := environment(test.vars).Credential(t.Context(), "pronet:main")
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestEnvironmentMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		vars map[string]string
		kind error
		says string
	}{
		"unset":           {nil, credentials.ErrNotFound, "PRONET_MAIN is not set"},
		"empty":           {map[string]string{"PRONET_MAIN": ""}, credentials.ErrNotFound, "PRONET_MAIN is not set"},
		"both":            {map[string]string{"PRONET_MAIN": "canary", "PRONET_MAIN_FILE": "canary"}, credentials.ErrMalformed, "unset one"},
		"white space":     {map[string]string{"PRONET_MAIN": "canary "}, credentials.ErrMalformed, "white space"},
		"line end":        {map[string]string{"PRONET_MAIN": "canary\nx"}, credentials.ErrMalformed, "line end"},
		"two line ends":   {map[string]string{"PRONET_MAIN_FILE": secretFile(t, "canary\n\n")}, credentials.ErrMalformed, "line end"},
		"not UTF-8":       {map[string]string{"PRONET_MAIN": "canary\xff"}, credentials.ErrMalformed, "bad UTF-8"},
		"empty file":      {map[string]string{"PRONET_MAIN_FILE": secretFile(t, "\n")}, credentials.ErrMalformed, "empty"},
		"no file":         {map[string]string{"PRONET_MAIN_FILE": "/canary"}, credentials.ErrUnavailable, "PRONET_MAIN_FILE names: no such file"},
		"a directory":     {map[string]string{"PRONET_MAIN_FILE": t.TempDir()}, credentials.ErrUnavailable, "regular file"},
		"big file":        {map[string]string{"PRONET_MAIN_FILE": secretFile(t, strings.Repeat("canary", 20_000))}, credentials.ErrUnavailable, "65536 bytes"},
		"torn JSON":       {map[string]string{"PRONET_MAIN": `{"access_token":"canary`}, credentials.ErrMalformed, "bad JSON at offset 23"},
		"bad JSON":        {map[string]string{"PRONET_MAIN": `{canary}`}, credentials.ErrMalformed, "bad JSON at offset 2"},
		"wrong kind":      {map[string]string{"PRONET_MAIN": `{"access_token":1234567890}`}, credentials.ErrMalformed, "access_token: expected a string"},
		"no access token": {map[string]string{"PRONET_MAIN": `{"refresh_token":"canary"}`}, credentials.ErrMalformed, "access_token: it is missing"},
		"refresh token":   {map[string]string{"PRONET_MAIN": `{"access_token":"canary","refresh_token":"canary\n"}`}, credentials.ErrMalformed, "refresh_token"},
		"bad time":        {map[string]string{"PRONET_MAIN": `{"access_token":"canary","expires_at":"canary"}`}, credentials.ErrMalformed, "expires_at"},
		"milliseconds":    {map[string]string{"PRONET_MAIN": `{"access_token":"canary","expires_at":1893585600000}`}, credentials.ErrMalformed, "in seconds"},
		"fraction":        {map[string]string{"PRONET_MAIN": `{"access_token":"canary","expires_at":1.5}`}, credentials.ErrMalformed, "expires_at"},
		"negative":        {map[string]string{"PRONET_MAIN": `{"access_token":"canary","expires_at":-1}`}, credentials.ErrMalformed, "expires_at"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := environment(test.vars).Credential(t.Context(), "pronet:main")
			require.ErrorIs(t, err, test.kind)
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "canary")
			require.NotContains(t, err.Error(), "1234567890")
		})
	}
}

// No reference reaches a variable that is no credential of a known network.
func TestEnvironmentNamesNoOtherVariable(t *testing.T) {
	vars := map[string]string{
		"SVC_API_KEY": "x", "VAULT_TOKEN": "x", "PRONET": "x", "PRONET_API_URL": "x", "PRONET_CLIENT_SECRET": "x",
		"PRONET_MAIN_FILE": "x", "PRONET_REDIRECT_PORTS": "x", "PRONET_FILE": "x", "PRONET_CLIENT_SECRET_FILE": "x",
		"EMAIL_USER": "x", "EMAIL_MAIN_IMAP_URL": "x", "MICROBLOG_RATE_LIMIT": "x",
	}
	for _, ref := range []credentials.Ref{
		"svc:api-key", "svc:api_key", "vault:token", "pronet:api-url", "pronet:client_secret", "pronet:client-secret",
		"pronet:main-file", "pronet:redirect_ports", "pronet:file", "pronet:client-secret-file",
		"email:user", "email:main-imap-url", "microblog:rate-limit",
	} {
		_, err := environment(vars).Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrNotFound, ref)
		require.NoError(t, environment(vars).Delete(t.Context(), ref), ref)
	}
}

func TestEnvironmentList(t *testing.T) {
	infos, err := environment(map[string]string{
		"PRONET_MAIN": "x", "PRONET_TEAM_A": "x", "EMAIL_MAIN_FILE": secretFile(t, "x"), "MICROBLOG_BOT": "{bad",
		"WEBHOOK_EMPTY": "", "PRONET_API_URL": "x", "MICROBLOG_CLIENT_ID": "x", "PRONET_CLIENT_SECRET_FILE": "x",
		"PRONET__X": "x", "pronet_lower": "x", "PRONET": "x", "HOME": "x", "OTHER_MAIN": "x", "": "C:",
		"EMAIL_MAIN_USER": "x", "PRONET_USER": "x",
	}).List(t.Context())
	require.NoError(t, err)
	var refs []string
	for _, info := range infos {
		refs = append(refs, string(info.Ref))
	}
	require.Equal(t, []string{"email:main", "microblog:bot", "pronet:main", "pronet:team_a", "pronet:user"}, refs)
}

func FuzzEnvironment(f *testing.F) {
	f.Add("tok")
	f.Add(`{"access_token":"tok","refresh_token":"r","expires_at":1,"scope":"a b"}`)
	f.Add(`{"access_token":"tok","expires_at":"2030-01-02T13:00:00+01:00"}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := environment(map[string]string{"PRONET_MAIN": text}).Credential(t.Context(), "pronet:main")
		if err == nil {
			require.NotContains(t, c.Access.Reveal(), "\n")
			require.False(t, c.Access.IsZero())
			return
		}
		require.True(t, text == "" || strings.Contains(err.Error(), credentials.ErrMalformed.Error()))
		require.NotContains(t, err.Error(), "\n")
	})
}
