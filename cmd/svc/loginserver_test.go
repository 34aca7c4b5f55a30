package main

import (
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// TestLoginOnAServer connects an account that a server stores: the command shows the
// address, a browser logs in at the network and comes back to the server, and the
// command gets the result.
func TestLoginOnAServer(t *testing.T) {
	_, _, settings := simulated(t)
	delete(settings, "MICROBLOG_BOT")
	server := httptest.NewUnstartedServer(nil)
	service, err := httpapi.New(httpapi.Config{
		APIKey: testServerKey, DataDir: t.TempDir(), PublicURL: "http://" + server.Listener.Addr().String(),
		Getenv: func(name string) (string, bool) { v, ok := settings[name]; return v, ok },
	})
	require.NoError(t, err)
	server.Config.Handler = service
	server.Start()
	t.Cleanup(func() {
		require.NoError(t, service.Close(t.Context()))
		server.Close()
	})
	user := map[string]string{"SVC_SERVER": server.URL, "SVC_API_KEY": testServerKey}
	errs := watched{wants: regexp.MustCompile(`log in at the network: (http\S+)\n`), found: make(chan string, 1)}
	var browser sync.WaitGroup
	browser.Go(func() { visit(t, <-errs.found) })
	status, out := svc(t, user, &errs, "credentials", "login", "microblog:bot", "--no-browser")
	require.Zero(t, status, errs.String())
	browser.Wait()
	require.Equal(t, "connected microblog:bot\n", out)
	_, out = svc(t, user, &watched{}, "credentials", "list")
	require.Regexp(t, `(?m)^microblog:bot +valid +file +20`, out)

	status, _ = svc(t, user, &errs, "credentials", "login", "pronet:main", "--no-browser")
	require.Equal(t, exitFailed, status)
	require.Contains(t, errs.String(), "read_only", "the environment of the server owns it")
}

// testServerKey is the API key of the services of these tests.
const testServerKey = "only for tests of svc"
