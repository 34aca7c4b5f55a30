package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/client"
)

func TestLoginOnAServer(t *testing.T) {
	network := &oauthtest.Network{}
	provider := httptest.NewServer(network)
	t.Cleanup(provider.Close)
	settings := network.Settings("pronet", provider.URL)
	server := httptest.NewUnstartedServer(nil)
	service, err := httpapi.New(httpapi.Config{
		APIKey: key, DataDir: t.TempDir(), PublicURL: "http://" + server.Listener.Addr().String(),
		Getenv: func(name string) (string, bool) { v, ok := settings[name]; return v, ok },
	})
	require.NoError(t, err)
	server.Config.Handler = service
	server.Start()
	t.Cleanup(func() {
		require.NoError(t, service.Close(t.Context()))
		server.Close()
	})
	c, err := client.New(client.Config{URL: server.URL, APIKey: key})
	require.NoError(t, err)

	login, err := c.BeginLogin(t.Context(), "pronet:work")
	require.NoError(t, err)
	outcome, err := c.LoginOutcome(t.Context(), "pronet", login.LoginID)
	require.NoError(t, err)
	require.Equal(t, credentials.LoginOutcome{State: "pending", Ref: "pronet:work"}, outcome)
	answer, err := http.Get(login.AuthorizeURL) // like a browser, which follows the redirect to the server
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	outcome, err = c.LoginOutcome(t.Context(), "pronet", login.LoginID)
	require.NoError(t, err)
	require.Equal(t, credentials.LoginComplete, outcome.State)

	list, err := c.Credentials(t.Context())
	require.NoError(t, err)
	require.Equal(t, "work", list[0].Account)
	require.Equal(t, "file", list[0].Source)
	require.NoError(t, c.DeleteCredential(t.Context(), "pronet:work"))
	list, err = c.Credentials(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)

	_, err = c.BeginLogin(t.Context(), "nobody:main")
	require.ErrorIs(t, err, &client.Error{Code: "unknown_network"})
	_, err = c.LoginOutcome(t.Context(), "pronet", "x")
	require.ErrorIs(t, err, &client.Error{Code: client.CodeNotFound})
}
