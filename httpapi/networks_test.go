package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/httpapi"
)

// TestNetworksAreListed checks that the list of networks says which settings are missing.
func TestNetworksAreListed(t *testing.T) {
	list := func(publicURL string, env map[string]string) map[string]credentials.Network {
		s := newService(t, func(c *httpapi.Config) { c.PublicURL, c.Getenv = publicURL, environment(env) })
		w := s.do("GET", "/credentials/networks", "")
		requireJSON(t, w, http.StatusOK)
		var all []credentials.Network
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &all))
		byName := map[string]credentials.Network{}
		for _, n := range all {
			byName[n.Name] = n
		}
		return byName
	}
	github := map[string]string{"GITHUB_CLIENT_ID": "svc", "GITHUB_CLIENT_SECRET": "canary"}
	require.Equal(t, credentials.Network{Name: "http", Label: list("", nil)["http"].Label}, list("", nil)["http"], "an account of it is set, not logged in")
	require.Contains(t, list("https://svc.example", nil)["github"].Note, "GITHUB_CLIENT_ID")
	require.Contains(t, list("", github)["github"].Note, "SVC_PUBLIC_URL")
	ready := list("https://svc.example", github)["github"]
	require.True(t, ready.Logins && ready.Ready)
	require.Empty(t, ready.Note)
	require.NotEmpty(t, ready.Hosts)
}

func TestTheServiceTellsWhereItsDataIs(t *testing.T) {
	dir := t.TempDir()
	w := newService(t, func(c *httpapi.Config) { c.DataDir = dir }).do("GET", "/service", "")
	requireJSON(t, w, http.StatusOK)
	var about struct{ Version, DataDirectory string }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &about))
	require.Equal(t, dir, about.DataDirectory)
	require.Equal(t, "test", about.Version)
}
