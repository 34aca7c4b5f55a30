package server_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// manual returns the blocks of code of one kind in the manual.
func manual(t *testing.T, kind string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/credentials.md")
	require.NoError(t, err)
	var code []string
	for _, block := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		code = append(code, block[1])
	}
	require.NotEmpty(t, code)
	return code
}

func TestManualFile(t *testing.T) {
	text := strings.ReplaceAll(strings.Join(manual(t, "env"), ""), "/run/secrets/pronet-company", secretFile(t, "tok\n"))
	f := newFile(credentialsFile(t, text))
	infos, err := f.List(t.Context())
	require.NoError(t, err)
	require.Len(t, infos, 4)
	for _, info := range infos {
		_, err := f.Credential(t.Context(), info.Ref)
		require.NoError(t, err)
	}
	requireSecret(t, f, "email:main", "a password with spaces and a # in it")
}

func TestManualJSON(t *testing.T) {
	c, err := environment(map[string]string{"PRONET_MAIN": strings.TrimSpace(manual(t, "json")[0])}).Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.Equal(t, credentials.Credential{
		Access: credentials.NewSecret("…"), Refresh: credentials.NewSecret("…"),
		ExpiresAt: time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC), Scopes: []string{"read", "write"},
	}, c)
}

// The networks of the manual can be added.
func TestManualNetworks(t *testing.T) {
	for _, block := range manual(t, "json") {
		if !strings.HasPrefix(block, "[") {
			continue
		}
		networks, err := network.Parse([]byte(block))
		require.NoError(t, err)
		_, err = network.Shipped().With(networks...)
		require.NoError(t, err)
		return
	}
	t.Error("the manual has no example of networks.json")
}

// The manual names every state and every variable.
func TestManualIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/credentials.md")
	require.NoError(t, err)
	for _, state := range []credentials.State{
		credentials.StateValid, credentials.StateExpiring, credentials.StateExpired, credentials.StateReauthorize, credentials.StateMalformed, credentials.StateUnavailable,
	} {
		require.Contains(t, string(text), "| `"+string(state)+"` |")
	}
	source, err := os.ReadFile("vaultenv.go")
	require.NoError(t, err)
	for _, name := range regexp.MustCompile(`env\.(?:get|secret|number|duration)\("([A-Z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		require.Contains(t, string(text), "`VAULT_"+name[1]+"`")
	}
}
