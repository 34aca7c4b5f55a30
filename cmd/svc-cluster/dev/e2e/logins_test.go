package e2e

import (
	"net/http"
	"net/url"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

// TestLoginsOfMembers begins a login at one instance and returns the browser to another.
func TestLoginsOfMembers(t *testing.T) {
	t.Parallel()
	names := []string{"PRONET_API_URL", "PRONET_AUTH_URL", "PRONET_TOKEN_URL", "PRONET_CLIENT_ID"}
	m := newMembers(t)
	for name, text := range simulate(t, "450/15m", names...) {
		m.env = append(m.env, name+"="+text)
	}
	one, other := m.instance("--public-url", "https://svc.example"), m.instance("--public-url", "https://svc.example")
	begun, err := m.at(one).BeginLogin(t.Context(), "pronet:team")
	require.NoError(t, err)
	query := comesBack(t, begun.AuthorizeURL)
	dump, err := exec.Command("pg_dump", "--data-only", "--table=svc_logins", m.database).CombinedOutput()
	if err == nil { // if pg_dump is installed
		require.Contains(t, string(dump), begun.LoginID)
		require.NotContains(t, string(dump), query.Get("state"))
		require.NotContains(t, string(dump), "pronet:team")
	}
	back := func(p *member) int {
		return first(m.send(p, "", http.MethodGet, "/auth/pronet/callback?"+query.Encode(), ""))
	}
	require.Equal(t, http.StatusOK, back(other))
	require.Equal(t, http.StatusBadRequest, back(one), "once only")
	outcome, err := m.at(one).LoginOutcome(t.Context(), "pronet", begun.LoginID)
	require.NoError(t, err)
	require.Equal(t, credentials.LoginOutcome{State: credentials.LoginComplete, Ref: "pronet:team"}, outcome)
}

// comesBack opens an address like a browser, and returns the query of the redirect.
func comesBack(t *testing.T, address string) url.Values {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	answer, err := browser.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	to, err := answer.Location()
	require.NoError(t, err)
	return to.Query()
}
