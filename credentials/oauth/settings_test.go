package oauth_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

// getenv returns a lookup function for these variables.
func getenv(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

// with returns the variables that configure pronet, overridden by more.
func with(more map[string]string) map[string]string {
	all := map[string]string{
		"PRONET_CLIENT_ID": "id", "PRONET_AUTH_URL": "https://pronet.example/authorize", "PRONET_TOKEN_URL": "https://pronet.example/token",
	}
	maps.Copy(all, more)
	return all
}

func TestSettings(t *testing.T) {
	c, err := oauth.NewClients(networks(), getenv(with(nil)), nil).Client("pronet")
	require.NoError(t, err)
	require.Equal(t, "id", c.ClientID)
	require.True(t, c.ClientSecret.IsZero())
	require.Equal(t, "openid profile email r_basicprofile r_organization_social w_organization_social", strings.Join(c.Scopes, " "))
	require.Equal(t, network.PKCERequired, c.PKCE)
	require.Empty(t, c.RedirectPorts)

	c, err = oauth.NewClients(networks(), getenv(with(map[string]string{
		"PRONET_CLIENT_SECRET": "canary", "PRONET_REVOKE_URL": "http://127.0.0.1:1/revoke",
		"PRONET_ISSUER": "https://pronet.example", "PRONET_SCOPES": " one  two ", "PRONET_PKCE": "never", "PRONET_AUTH_STYLE": "basic",
		"PRONET_REDIRECT_PORTS": "8085, 8086", "PRONET_AUTH_URL": " https://other.example/a?b=c ",
	})), nil).Client("pronet")
	require.NoError(t, err)
	require.Equal(t, "canary", c.ClientSecret.Reveal())
	require.Equal(t, "https://other.example/a?b=c", c.AuthURL)
	require.Equal(t, "http://127.0.0.1:1/revoke", c.RevokeURL)
	require.Equal(t, "https://pronet.example", c.Issuer)
	require.Equal(t, []string{"one", "two"}, c.Scopes)
	require.Equal(t, network.PKCENever, c.PKCE)
	require.Equal(t, network.AuthBasic, c.AuthStyle)
	require.Equal(t, []int{8085, 8086}, c.RedirectPorts)
}

func TestSettingsMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		variables map[string]string
		says      string
	}{
		"nothing":        {nil, "pronet: set PRONET_CLIENT_ID, PRONET_AUTH_URL, PRONET_TOKEN_URL"},
		"blank":          {with(map[string]string{"PRONET_CLIENT_ID": " "}), "set PRONET_CLIENT_ID"},
		"no address":     {with(map[string]string{"PRONET_AUTH_URL": "canary"}), "PRONET_AUTH_URL is no address"},
		"plain http":     {with(map[string]string{"PRONET_TOKEN_URL": "http://canary.example"}), "PRONET_TOKEN_URL does not begin with https://"},
		"with password":  {with(map[string]string{"PRONET_REVOKE_URL": "https://u:canary@pronet.example"}), "PRONET_REVOKE_URL is no address"},
		"other scheme":   {with(map[string]string{"PRONET_AUTH_URL": "file:///canary"}), "PRONET_AUTH_URL is no address"},
		"PKCE":           {with(map[string]string{"PRONET_PKCE": "canary"}), "PRONET_PKCE is neither required nor never"},
		"style":          {with(map[string]string{"PRONET_AUTH_STYLE": "canary"}), "PRONET_AUTH_STYLE is neither basic nor body"},
		"port":           {with(map[string]string{"PRONET_REDIRECT_PORTS": "1,canary"}), "PRONET_REDIRECT_PORTS is no list of ports"},
		"port 0":         {with(map[string]string{"PRONET_REDIRECT_PORTS": "0"}), "PRONET_REDIRECT_PORTS is no list of ports"},
		"big port":       {with(map[string]string{"PRONET_REDIRECT_PORTS": "65536"}), "PRONET_REDIRECT_PORTS is no list of ports"},
		"never, no key":  {with(map[string]string{"PRONET_PKCE": "never"}), "PRONET_CLIENT_SECRET must be set when PRONET_PKCE is never"},
		"all at once, 1": {map[string]string{"PRONET_PKCE": "canary"}, "set PRONET_CLIENT_ID"},
		"all at once, 2": {map[string]string{"PRONET_PKCE": "canary"}, "PRONET_PKCE is neither"},
	} {
		t.Run(name, func(t *testing.T) {
			clients := oauth.NewClients(networks(), getenv(test.variables), nil)
			_, err := clients.Client("pronet")
			require.ErrorIs(t, err, oauth.ErrNotConfigured)
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "canary")
			require.Equal(t, "not_configured", oauth.Code(err))
		})
	}
}

func TestUnknownNetwork(t *testing.T) {
	_, err := oauth.NewClients(networks(), getenv(nil), nil).Client("email")
	require.ErrorIs(t, err, oauth.ErrUnknownNetwork)
}
