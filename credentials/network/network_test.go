package network_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/value"
)

func TestShipped(t *testing.T) {
	table := network.Shipped()
	require.Subset(t, table.Names(), []string{"email", "microblog", "pronet", "webhook"})
	require.Subset(t, table.WithLogins(), []string{"microblog", "pronet"})
	require.NotContains(t, table.WithLogins(), "email")
	_, ok := table.Lookup("svc")
	require.False(t, ok)
	_, ok = network.Table{}.Lookup("pronet")
	require.False(t, ok)
}

func TestVariable(t *testing.T) {
	for ref, want := range map[value.Credential]string{
		"pronet:main":     "PRONET_MAIN",
		"pronet:company":  "PRONET_COMPANY",
		"microblog:bot":   "MICROBLOG_BOT",
		"email:main":      "EMAIL_MAIN",
		"webhook:shop":    "WEBHOOK_SHOP",
		"microblog:a--b1": "MICROBLOG_A__B1",
		// HTTP_PROXY and GITHUB_TOKEN mean something else to other programs.
		"http:proxy":     "SVC_CRED_HTTP_PROXY",
		"github:token":   "SVC_CRED_GITHUB_TOKEN",
		"x1:team-a_2-b":  "SVC_CRED_X1_TEAM_A_2_B",
		"svc:cred-http1": "SVC_CRED_SVC_CRED_HTTP1",
	} {
		require.Equal(t, want, network.Variable(ref))
		require.Equal(t, want+"_FILE", network.FileVariable(ref))
		require.Equal(t, want+"_URN", network.AccountVariable(ref, "URN"))
	}
}

// withSample is the table with one entry more.
func withSample(t *testing.T) network.Table {
	t.Helper()
	table, err := network.Shipped().With(network.Network{Name: "sample", Settings: []string{"REGION"}, AccountSettings: []string{"USER"}})
	require.NoError(t, err)
	return table
}

// Only variables for credentials of the table's networks have a reference. Variables that
// configure a network have none.
func TestRef(t *testing.T) {
	table := withSample(t)
	for name, want := range map[string]value.Credential{
		"PRONET_MAIN": "pronet:main", "PRONET_TEAM_A": "pronet:team_a", "PRONET_MAIN_FILE": "pronet:main",
		"SVC_CRED_SAMPLE_MAIN": "sample:main", "SVC_CRED_SAMPLE_MAIN_FILE": "sample:main", "SVC_CRED_SAMPLE_CLIENT_SECRET": "sample:client_secret",
		"SVC_CRED_SAMPLE_REGION": "sample:region",
	} {
		ref, ok := table.Ref(name)
		require.True(t, ok, name)
		require.Equal(t, want, ref)
	}
	for _, name := range []string{
		"", "PATH", "PRONET", "PRONET_", "pronet_main", "SAMPLE_MAIN", "SVC_CRED_", "SVC_CRED_PRONET_MAIN", "SVC_CRED_OTHER_MAIN", "SVC_API_KEY",
		"SAMPLE_CLIENT_SECRET", "SAMPLE_REGION", "SVC_CRED_SAMPLE_MAIN_USER",
		"PRONET_CLIENT_ID", "PRONET_CLIENT_SECRET", "PRONET_CLIENT_SECRET_FILE", "PRONET_ROUTES", "PRONET_COMPANY_URN", "PRONET_FILE",
		"EMAIL_USER", "EMAIL_MAIN_USER", "EMAIL_IMAP_URL", "MICROBLOG_RATE_LIMIT", "HTTP_PROXY",
	} {
		_, ok := table.Ref(name)
		require.False(t, ok, name)
	}
}

func TestAllows(t *testing.T) {
	table := withSample(t)
	for _, ref := range []value.Credential{"pronet:main", "pronet:routes-1", "email:main", "sample:client-secret", "webhook:rate-limit"} {
		require.True(t, table.Allows(ref), ref)
	}
	for _, ref := range []value.Credential{
		"other:main", "pronet:client-secret", "pronet:client_id", "pronet:routes", "pronet:team-urn", "pronet:file", "pronet:a-file",
		"email:a-user", "sample:a-user", "pronet:x\nEMAIL_MAIN=y", "../x", "",
	} {
		require.False(t, table.Allows(ref), ref)
	}
}

func TestShared(t *testing.T) {
	require.Empty(t, network.Shared("pronet:main", nil))
	require.Empty(t, network.Shared("pronet:main", []value.Credential{"pronet:main", "microblog:main", "pronet:ab"}))
	require.EqualValues(t, "pronet:a_b", network.Shared("pronet:a-b", []value.Credential{"pronet:a-b", "pronet:main", "pronet:a_b"}))
}

// Everything that is wrong with a table is said at once.
func TestMistakes(t *testing.T) {
	for text, says := range map[string][]string{
		`{}`: {"expected an array"},
		`[{"name":"a","nome":1,"b":2,"scopes":"x","hosts":[1]}]`: {"network 1: nome: there is no such field", "network 1: b: there", "scopes: expected a []string", "hosts: expected a string"},
		`[{"name":"Bad Name"},{"name":"pronet"},{"name":"ok","kind":"other","pkce":"perhaps","authStyle":"x"}]`: {
			`network "Bad Name": name`, "network pronet: it is in the table already; its addresses and scopes are set by variables such as PRONET_AUTH_URL",
			`network "ok": kind`, `network "ok": pkce`, `network "ok": authStyle`,
		},
		`[{"name":"ok","authUrl":"http://x.example","tokenUrl":"file:///x","revokeUrl":"https://u@x","apiUrl":"x","profileUrl":"https://x#y"}]`: {
			"authUrl does not begin with https://", "tokenUrl is no address", "revokeUrl is no address", "apiUrl is no address", "profileUrl is no address",
		},
		`[{"name":"ok","scopes":["a b"],"authorizeParams":{"state":"x"},"settings":["lower"]}]`: {"scopes", "may not have state", "settings"},
		`[{"name":"twice"},{"name":"twice"}]`:                                                   {"network twice: it is in the table already"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, network.File), []byte(text), 0o600))
		_, err := network.Open(dir)
		for _, part := range says {
			require.ErrorContains(t, err, part, text)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	table, err := network.Open(dir)
	require.NoError(t, err)
	require.Equal(t, network.Shipped(), table)
	require.NoError(t, os.WriteFile(filepath.Join(dir, network.File), []byte(`[{"name":"one","tokenUrl":"https://one.example/t"}]`), 0o600))
	table, err = network.Open(dir, network.Network{Name: "two"})
	require.NoError(t, err)
	one, ok := table.Lookup("one")
	require.True(t, ok)
	require.Equal(t, network.Network{
		Name: "one", Label: "one", Kind: network.KindOAuth, TokenURL: "https://one.example/t", PKCE: network.PKCERequired, AuthStyle: network.AuthBody, ScopeSeparator: " ", TokenType: "bearer",
	}, one)
	two, ok := table.Lookup("two")
	require.True(t, ok)
	require.False(t, two.Logins())
	_, err = network.Open(dir, network.Network{Name: "one"})
	require.ErrorContains(t, err, "network one: it is in the table already")
}

func TestCheckAddress(t *testing.T) {
	for _, address := range []string{"https://network.example/login?x=y", "http://127.0.0.1:8080/", "http://localhost/a", "http://[::1]:1/"} {
		require.NoError(t, network.CheckAddress(address), address)
	}
	for _, address := range []string{
		"", "canary", "file:///canary", "http://canary.example", "https://canary@network.example", "https://network.example/#canary", "javascript:canary()",
		"https:///canary", "//canary", "ftp://canary", "\x00canary", "http://127.0.0.1.canary.example", "HTTPS//canary",
	} {
		err := network.CheckAddress(address)
		require.Error(t, err, address)
		require.False(t, strings.Contains(err.Error(), "canary"), address)
	}
}
