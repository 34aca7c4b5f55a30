package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/engine/enginetest/golden"
)

// TestOneEntryMakesANetwork adds a network to the table of a data directory and does
// nothing else: accounts are logged in, found, renewed and logged out, its variables are
// read or reserved, and the manual describes it.
func TestOneEntryMakesANetwork(t *testing.T) {
	sample := &oauthtest.Network{Secret: "s3cret", Lifetime: time.Hour}
	server := httptest.NewServer(sample)
	t.Cleanup(server.Close)
	data := t.TempDir()
	entry, err := json.Marshal([]map[string]any{{
		"name": "sample", "label": "Sample | one", "authUrl": server.URL + "/authorize", "tokenUrl": server.URL + "/token", "revokeUrl": server.URL + "/revoke",
		"scopes": []string{"read", "write"}, "hosts": []string{"api.sample.example"}, "accountSettings": []string{"REGION"},
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(data, network.File), entry, 0o600))
	env := map[string]string{"SVC_DATA": data, "SAMPLE_CLIENT_ID": oauthtest.ClientID}
	must := func(args ...string) string {
		t.Helper()
		var errs watched
		status, out := svc(t, env, &errs, args...)
		require.Zero(t, status, errs.String())
		return out
	}

	require.Regexp(t, `(?m)^sample +Sample \| one +ready +api.sample.example$`, must("credentials", "networks"))
	require.Contains(t, must("credentials", "networks", "--markdown"),
		"| `sample` | Sample \\| one | `SVC_CRED_SAMPLE_MAIN` | `SAMPLE_CLIENT_ID` … | `read` `write` | `api.sample.example` |\n")

	env["SAMPLE_CLIENT_SECRET"] = "s3cret"
	errs := watched{wants: regexp.MustCompile(`log in at the network: (http\S+)\n`), found: make(chan string, 1)}
	var browser sync.WaitGroup
	browser.Go(func() { visit(t, <-errs.found) })
	status, out := svc(t, env, &errs, "credentials", "login", "sample", "--no-browser")
	require.Zero(t, status, errs.String())
	browser.Wait()
	require.Equal(t, "connected sample:main\n", out)
	stored, err := os.ReadFile(filepath.Join(data, "credentials.env"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(stored), "SVC_CRED_SAMPLE_MAIN="), "its variable has the prefix")

	require.Regexp(t, `(?m)^sample:main +valid +file`, must("credentials", "list"))
	expired := regexp.MustCompile(`"expires_at":"2\d{3}`).ReplaceAll(stored, []byte(`"expires_at":"2001`))
	require.NoError(t, os.WriteFile(filepath.Join(data, "credentials.env"), expired, 0o600))
	require.Regexp(t, `(?m)^sample:main +expired +file`, must("credentials", "list"))
	require.Contains(t, must("credentials", "test", "sample:main"), "sample:main can be used")
	renewed, _ := sample.Refreshes()
	require.Positive(t, renewed, "a token that has expired is renewed")
	before := sample.AliveTokens()
	must("credentials", "logout", "sample:main")
	require.Equal(t, before-2, sample.AliveTokens(), "both tokens are revoked")
	require.NotContains(t, must("credentials", "list"), "sample")

	for name, text := range map[string]string{"SVC_CRED_SAMPLE_OTHER": "secret", "SVC_CRED_SAMPLE_OTHER_REGION": "eu", "SAMPLE_THIRD": "x"} {
		env[name] = text
		t.Setenv(name, text) // lists look at the environment of the process
	}
	out = must("credentials", "list")
	require.Regexp(t, `(?m)^sample:other +valid +environment`, out)
	require.NotContains(t, out, "region")
	require.NotContains(t, out, "third")
	status, _ = svc(t, env, &errs, "credentials", "login", "sample:other-region")
	require.Equal(t, exitInvalid, status)
	require.Contains(t, errs.String(), "no account can be called sample:other-region")
}

// All mistakes in the table are reported at once, before anything else happens.
func TestMistakesInNetworks(t *testing.T) {
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, network.File), []byte(`[{"name":"a","scope":"x"},{"name":"github","tokenURL":"x"}]`), 0o600))
	var errs watched
	status, _ := svc(t, map[string]string{"SVC_DATA": data}, &errs, "credentials", "list")
	require.Equal(t, exitInvalid, status)
	require.Contains(t, errs.String(), "network 1: scope: there is no such field")
}

// TestNetworkTable keeps docs/credentials.md in step with the table.
func TestNetworkTable(t *testing.T) {
	const file, begin, end = "../../docs/credentials.md", "`svc credentials networks --markdown`; do not edit. -->\n", "<!-- end -->"
	manual, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(manual), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := before + begin + "\n" + networkTable(network.Shipped()) + "\n" + end + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o600))
		return
	}
	golden.Match(t, file, manual, []byte(want))
}
