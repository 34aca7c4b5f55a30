package machine_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/machine"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes"
)

const key = "a-key-for-tests-only"

// ring is a keyring in memory, or none at all.
type ring struct {
	mu      sync.Mutex
	entries map[string]string
	away    bool
}

var errAway = errors.New("nobody has unlocked it")

func (r *ring) do(call func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		return errAway
	}
	return call()
}

func (r *ring) Get(service, user string) (secret string, err error) {
	err = r.do(func() error {
		var ok bool
		if secret, ok = r.entries[service+" "+user]; !ok {
			return keyring.ErrNotFound
		}
		return nil
	})
	return secret, err
}

func (r *ring) Set(service, user, secret string) error {
	return r.do(func() error {
		if r.entries == nil {
			r.entries = map[string]string{}
		}
		r.entries[service+" "+user] = secret
		return nil
	})
}

func (r *ring) Delete(service, user string) error {
	return r.do(func() error {
		if _, ok := r.entries[service+" "+user]; !ok {
			return keyring.ErrNotFound
		}
		delete(r.entries, service+" "+user)
		return nil
	})
}

func (r *ring) setAway(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}

// user is a user with a computer.
type user struct {
	t    *testing.T
	dir  string
	env  map[string]string
	ring *ring
}

func newUser(t *testing.T) *user {
	return &user{t: t, dir: t.TempDir(), env: map[string]string{}, ring: &ring{}}
}

func (u *user) config() machine.Config {
	return machine.Config{
		Folders: machine.Folders{Data: filepath.Join(u.dir, "data"), User: filepath.Join(u.dir, "user")},
		Getenv:  func(name string) (string, bool) { v, ok := u.env[name]; return v, ok },
		Environ: func() []string {
			var all []string
			for name, value := range u.env {
				all = append(all, name+"="+value)
			}
			return all
		},
		OpenURL: browse, Keyring: u.ring, Version: "v0.0.0-test", Server: u.env["SVC_SERVER"],
	}
}

// open starts the machine until the test ends.
func (u *user) open() *machine.Machine {
	u.t.Helper()
	m, err := machine.Open(u.t.Context(), u.config())
	require.NoError(u.t, err)
	u.t.Cleanup(func() { closeNow(u.t, m) })
	return m
}

func closeNow(t *testing.T, m *machine.Machine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	require.NoError(t, m.Close(ctx))
}

// browse is a browser whose user consents: it follows every redirect.
func browse(address string) error {
	for address != "" {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return err
		}
		address = answer.Header.Get("Location")
		_ = answer.Body.Close()
	}
	return nil
}

// network starts a network that the environment sets up as pronet.
func (u *user) network() *oauthtest.Network {
	n := &oauthtest.Network{Lifetime: time.Hour}
	server := httptest.NewServer(n)
	u.t.Cleanup(server.Close)
	maps.Copy(u.env, n.Settings("pronet", server.URL))
	return n
}

// serve starts a Svc server with that environment, and returns its address.
func serve(t *testing.T, prefix string, env map[string]string) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := "http://" + server.Listener.Addr().String() + prefix
	service, err := httpapi.New(httpapi.Config{
		APIKey: key, RoutePrefix: prefix, DataDir: t.TempDir(), PublicURL: address,
		Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		EnvPlugins: func(has nodes.Env) []node.Plugin {
			return program.Plugins(has, func(name string) string { return env[name] }, nil)
		},
	})
	require.NoError(t, err)
	server.Config.Handler = service
	server.Start()
	t.Cleanup(func() {
		require.NoError(t, service.Close(context.WithoutCancel(t.Context())))
		server.Close()
	})
	return address
}
