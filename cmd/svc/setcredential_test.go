package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// setSecret runs svc credentials set with the secret on standard input.
func setSecret(t *testing.T, secret string, env map[string]string, args ...string) (status int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = execute(t.Context(), append([]string{"credentials", "set"}, args...), strings.NewReader(secret), &stdout, &stderr,
		func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	return status, stdout.String(), stderr.String()
}

func TestSetCredential(t *testing.T) {
	data := t.TempDir()
	env := map[string]string{"SVC_DATA": data}
	for _, args := range []string{
		"http:slack --kind bearer --host slack.com --host *.slack.com",
		"http:crm --kind basic --username ann --host crm.example.com",
		"http:key --kind header --name X-Api-Key --host http://127.0.0.1:8080",
		"http:maps --kind query --name key --host maps.example.com",
		"http:bank --kind client_credentials --token-url https://bank.example/token --client-id me --scope a --scope b --host api.bank.example",
		"webhook:shop --kind hmac",
		"github:main --kind bearer",
	} {
		status, out, errs := setSecret(t, "canary-secret\n", env, strings.Fields(args)...)
		require.Zero(t, status, errs)
		require.Contains(t, out, "stored ")
		require.NotContains(t, out+errs, "canary")
	}
	file, err := os.ReadFile(filepath.Join(data, "credentials.env"))
	require.NoError(t, err)
	require.Contains(t, string(file), `SVC_CRED_HTTP_SLACK='{"access_token":"canary-secret","hosts":["slack.com","*.slack.com"],"kind":"bearer"}'`)
	_, out := svc(t, env, &watched{}, "credentials", "list")
	require.Regexp(t, `(?m)^http:slack +valid +file +- +bearer +slack\.com \*\.slack\.com$`, out)
	require.Regexp(t, `(?m)^webhook:shop +valid +file +- +hmac +-$`, out)
	require.NotContains(t, out, "canary")
	_, out = svc(t, env, &watched{}, "credentials", "test", "http:crm")
	require.Equal(t, "http:crm can be used\n", out)

	for args, says := range map[string]string{
		"http:x --kind bearer":                                 "hosts: name those",
		"http:x --kind bearer --host https://a.example":        "hosts: one is no host",
		"http:x --kind bearer --host a.example --username ann": "--username is not for a credential of the kind bearer",
		"http:x --kind basic --username a:b --host a.example":  "username",
		"nowhere:x --kind bearer --host a.example":             "there is no network nowhere",
		"pronet:client-secret --kind bearer":                   "no account can be called",
		"http:x --kind secret --host a.example":                "--kind must be one of",
		"http:x --kind key --host a.example":                   "pem",
	} {
		status, _, errs := setSecret(t, "canary", env, strings.Fields(args)...)
		require.Equal(t, exitInvalid, status, args)
		require.Contains(t, errs, says, args)
		require.NotContains(t, errs, "canary")
	}
}

func TestSetCredentialOnAServer(t *testing.T) {
	data := t.TempDir()
	service, err := httpapi.New(httpapi.Config{APIKey: testServerKey, DataDir: data, Getenv: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	server := httptest.NewServer(http.Handler(service))
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, service.Close(t.Context()))
	})
	env := map[string]string{"SVC_SERVER": server.URL, "SVC_API_KEY": testServerKey}
	status, out, errs := setSecret(t, "canary-secret", env, "http:slack", "--kind", "bearer", "--host", "slack.com")
	require.Zero(t, status, errs)
	require.Equal(t, "stored http:slack\n", out)
	_, out = svc(t, env, &watched{}, "credentials", "list")
	require.Regexp(t, `(?m)^http:slack +valid +file +- +bearer +slack\.com$`, out)
	_, out = svc(t, env, &watched{}, "credentials", "test", "http:slack")
	require.Equal(t, "http:slack can be used\n", out)
	status, _, errs = setSecret(t, "canary-secret", env, "http:slack", "--kind", "bearer")
	require.Equal(t, exitFailed, status)
	require.Contains(t, errs, "malformed_credential")
	require.NotContains(t, errs, "canary")
}

// TestSetCredentialSaysThatABareHostMeansHTTPS stores credentials for hosts that often speak plain
// HTTP: those with a port, and addresses.
func TestSetCredentialSaysThatABareHostMeansHTTPS(t *testing.T) {
	env := map[string]string{"SVC_DATA": t.TempDir()}
	for host, noted := range map[string]bool{
		"127.0.0.1:22401": true, "10.0.0.7": true, "localhost": true, "crm.local:8080": true,
		"slack.com": false, "*.slack.com": false, "http://127.0.0.1:22401": false,
	} {
		status, _, errs := setSecret(t, "canary-secret", env, "http:crm", "--kind", "bearer", "--host", host)
		require.Zero(t, status, "%s: %s", host, errs)
		if noted {
			require.Contains(t, errs, "svc: --host "+host+" means https://"+host+"; if the server there speaks plain HTTP, use --host http://"+host)
		} else {
			require.NotContains(t, errs, "means https")
		}
	}
}
