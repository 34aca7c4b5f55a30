package machine_test

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi/client"
)

func TestConnectKeepsAddressAndKey(t *testing.T) {
	u := newUser(t)
	first, second := serve(t, "", nil), serve(t, "/flow", nil)
	servers := u.open().Servers()
	require.Empty(t, servers.Known())
	for _, address := range []string{first, second + "/"} {
		place, err := servers.Connect(t.Context(), address, key+"\n")
		require.NoError(t, err)
		require.Equal(t, strings.TrimRight(address, "/"), place.URL)
		types, err := place.Backend.NodeTypes(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, types)
	}
	require.Equal(t, []string{second, first}, servers.Known(), "the last one first")

	again := u.open()
	_, err := again.Servers().Connect(t.Context(), strings.TrimPrefix(first, "http://"), "")
	require.NoError(t, err, "with the key that was kept, and http for this computer")
	require.Equal(t, []string{first, second}, servers.Known())
	list, err := again.Host().Accounts.Accounts(t.Context())
	require.NoError(t, err)
	require.Empty(t, list, "keys are no accounts")
	requireNowhere(t, u.dir, key)

	require.NoError(t, servers.Forget(t.Context(), first))
	require.Equal(t, []string{second}, servers.Known())
	_, err = servers.Connect(t.Context(), first, "")
	require.ErrorContains(t, err, "asks for an API key")
	require.Equal(t, []string{second}, servers.Known(), "what was not connected to is not kept")
}

// requireNowhere requires that no file below dir holds a secret.
func requireNowhere(t *testing.T, dir, secret string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NotContains(t, string(text), secret, path)
		return err
	}))
}

func TestConnectSaysWhyNot(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><p>Welcome"))
	}))
	t.Cleanup(page.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	svc := serve(t, "/flow", nil)
	tests := []struct{ name, address, key, want string }{
		{"no address", " ", key, "enter the address"},
		{"no URL", "http://[", key, "is not a URL"},
		{"a key in the address", "https://user:secret@example.org", key, "the key goes elsewhere"},
		{"unreachable", gone.URL, key, "the server cannot be reached: " + gone.URL},
		{"unreachable, what to do", gone.URL, key, "check the address, and whether the server runs"},
		{"a web page", page.URL, key, "there is no Svc server at " + page.URL},
		{"without its path", strings.TrimSuffix(svc, "/flow"), key, "there is no Svc server at"},
		{"no key", svc, "", "asks for an API key; enter the one"},
		{"wrong key", svc, "another-key-for-tests", "does not take this API key"},
	}
	servers := newUser(t).open().Servers()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := servers.Connect(t.Context(), test.address, test.key)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "secret@")
			require.NotContains(t, err.Error(), "another-key")
		})
	}
	require.Empty(t, servers.Known())
}

func TestConnectWithAKeyThatWasChanged(t *testing.T) {
	u := newUser(t)
	var service http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { service.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	answer := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				_, _ = w.Write([]byte(`{"status":"ok","service":"svc"}`))
				return
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(map[int]string{http.StatusOK: `{"items":[]}`, http.StatusUnauthorized: `{"code":"unauthorized"}`}[status]))
		})
	}
	service = answer(http.StatusOK)
	servers := u.open().Servers()
	_, err := servers.Connect(t.Context(), server.URL, key)
	require.NoError(t, err)
	service = answer(http.StatusUnauthorized)
	_, err = servers.Connect(t.Context(), server.URL, "")
	require.ErrorContains(t, err, "no longer takes the API key that was kept")
}

func TestConnectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	_, err := newUser(t).open().Servers().Connect(ctx, server.URL, key)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, client.ErrUnreachable)
}

// The server that the environment names is offered, with its key.
func TestServerOfTheEnvironment(t *testing.T) {
	u := newUser(t)
	address := serve(t, "", nil)
	u.env["SVC_SERVER"], u.env["SVC_API_KEY"] = address+"/", key
	servers := u.open().Servers()
	require.Equal(t, []string{address}, servers.Known())
	_, err := servers.Connect(t.Context(), address, "")
	require.NoError(t, err)
	require.Equal(t, []string{address}, servers.Known())

	u.env["SVC_API_KEY"] = ""
	_, err = u.open().Servers().Connect(t.Context(), address, "")
	require.ErrorContains(t, err, "asks for an API key", "the key of the environment was not kept")
}

func TestADamagedListOfServers(t *testing.T) {
	u := newUser(t)
	path := filepath.Join(u.dir, "user", "servers.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(`{"servers":["http://a`), 0o600))
	servers := u.open().Servers()
	require.Empty(t, servers.Known())
	address := serve(t, "", nil)
	_, err := servers.Connect(t.Context(), address, key)
	require.NoError(t, err)
	require.Equal(t, []string{address}, servers.Known())
}

// Without a keyring the key is good for this session.
func TestConnectWithoutAKeyring(t *testing.T) {
	u := newUser(t)
	u.ring.away = true
	address := serve(t, "", nil)
	servers := u.open().Servers()
	_, err := servers.Connect(t.Context(), address, key)
	require.NoError(t, err)
	_, err = servers.Connect(t.Context(), address, "")
	require.NoError(t, err)
	requireNowhere(t, u.dir, key)
	_, err = u.open().Servers().Connect(t.Context(), address, "")
	require.ErrorContains(t, err, "asks for an API key")
}
