package httpapi_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// TestRebinding checks that a service without a key refuses requests of pages whose name was made
// to resolve to this machine.
func TestRebinding(t *testing.T) {
	anonymous := newService(t, func(c *httpapi.Config) {
		c.APIKey, c.AllowAnonymous, c.PublicURL = "", true, "https://svc.example.com/flow"
	})
	keyed := newService(t, nil)
	ask := func(s service, host, local string) int {
		r := newRequest("GET", "/nodes", "")
		r.Host = host
		addr, err := net.ResolveTCPAddr("tcp", local)
		require.NoError(t, err)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr))))
		return w.Code
	}
	for _, local := range []string{"127.0.0.1:8080", "[::1]:8080", "[::ffff:127.0.0.1]:8080"} {
		for _, host := range []string{"localhost", "localhost:8080", "127.0.0.1:8080", "127.8.9.1", "[::1]:8080", "app.localhost:1", "SVC.example.com", "svc.example.com:443"} {
			require.Equal(t, http.StatusOK, ask(anonymous, host, local), host)
		}
		for _, host := range []string{"evil.example.com", "evil.example.com:8080", "127.0.0.1.evil.example.com", "localhost.evil.example.com", "10.0.0.1", "0.0.0.0", "", "example.com"} {
			require.Equal(t, http.StatusMisdirectedRequest, ask(anonymous, host, local), host)
			require.Equal(t, http.StatusOK, ask(keyed, host, local), "it has a key")
		}
	}
	require.Equal(t, http.StatusOK, ask(anonymous, "evil.example.com", "192.0.2.1:8080"), "it is reached from elsewhere, too")
}
