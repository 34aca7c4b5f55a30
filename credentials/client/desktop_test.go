//go:build e2e

package client_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// session is a login session of a user with a home directory and the GNOME keyring on a
// separate D-Bus. It needs dbus-daemon and gnome-keyring-daemon.
type session struct {
	home string
	env  []string
}

// newSession starts a bus. It ends with the test.
func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{home: t.TempDir()}
	runtimeDir := filepath.Join(s.home, "run")
	require.NoError(t, os.Mkdir(runtimeDir, 0o700))
	s.env = append(os.Environ(), "HOME="+s.home, "XDG_RUNTIME_DIR="+runtimeDir, "XDG_DATA_HOME="+filepath.Join(s.home, "data"), "DISPLAY=")
	bus := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address")
	bus.Env = s.env
	address, err := bus.StdoutPipe()
	require.NoError(t, err)
	start(t, bus)
	line, err := bufio.NewReader(address).ReadString('\n')
	require.NoError(t, err)
	s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS="+strings.TrimSpace(line))
	return s
}

// start runs cmd until the test ends or stop is called.
func start(t *testing.T, cmd *exec.Cmd) (stop func()) {
	t.Helper()
	require.NoError(t, cmd.Start())
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it was ended by the signal
	})
	t.Cleanup(stop)
	return stop
}

// keyring starts the keyring daemon, unlocked with the password, or locked without one.
func (s *session) keyring(t *testing.T, password string) (stop func()) {
	t.Helper()
	args := []string{"--foreground", "--components=secrets"}
	if password != "" {
		args = append(args, "--unlock")
	}
	daemon := exec.Command("gnome-keyring-daemon", args...)
	daemon.Env = s.env
	daemon.Stdin = strings.NewReader(password)
	stop = start(t, daemon)
	owner := func() bool {
		ask := exec.Command("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
			"org.freedesktop.DBus.GetNameOwner", "string:org.freedesktop.secrets")
		ask.Env = s.env
		return ask.Run() == nil
	}
	require.Eventually(t, owner, time.Minute, 50*time.Millisecond, "the daemon is on the bus")
	return stop
}

// driver returns a driver in this session, with the real keyring.
func (s *session) driver(t *testing.T, network *oauthtest.Network, base string) *desktop {
	t.Helper()
	d := newDesktop(t, network, base)
	d.env = append(d.env, s.env...)
	d.env = append(d.env, "DRIVER_KEYRING=", "DRIVER_DIR="+filepath.Join(s.home, "svc"))
	return d
}

func TestDesktopKeyringSuite(t *testing.T) {
	s := newSession(t)
	s.keyring(t, "password")
	for _, variable := range s.env {
		if name, text, _ := strings.Cut(variable, "="); name == "DBUS_SESSION_BUS_ADDRESS" {
			t.Setenv(name, text)
		}
	}
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		p := client.Open(t.Context(), client.Options{Dir: t.TempDir(), Service: "com.example.svc-" + t.Name()})
		require.Equal(t, client.Status{Storage: client.InKeyring}, p.Status())
		return fill(t, p, held)
	}, credentialstest.Options{})

	p := client.Open(t.Context(), client.Options{Dir: t.TempDir(), Service: service})
	require.NoError(t, p.SetCredential(t.Context(), ref, secret(big("x"))))
	requireAccess(t, p, big("x"))
}

func TestDesktopKeyring(t *testing.T) {
	network := &oauthtest.Network{Lifetime: time.Hour}
	base := serveAt(t, network)
	s := newSession(t)
	stop := s.keyring(t, "password")
	d := s.driver(t, network, base)
	require.Equal(t, "keyring", d.run(t, "status")[0])
	d.put(t, network.Issue(time.Time{}))

	d.getByMany(t)
	requireOneRefresh(t, network)
	kept := d.run(t, "get", string(ref))

	stop()
	stop = s.keyring(t, "password")
	require.Equal(t, kept, d.run(t, "get", string(ref)), "it outlives the session")

	stop()
	stop = s.keyring(t, "")
	status := d.run(t, "status")
	require.Equal(t, "memory", status[0], "nobody unlocks it")
	t.Log(strings.Join(status, " "))
	require.Contains(t, d.refuse(t, "get", string(ref)), "unavailable: pronet:main is in the keyring of this computer")

	stop()
	s.keyring(t, "password")
	require.Equal(t, kept, d.run(t, "get", string(ref)))
	d.run(t, "logout", string(ref))
	require.Contains(t, d.refuse(t, "get", string(ref)), "unknown_credential")
	require.Empty(t, d.run(t, "list"))
}

func TestDesktopWithoutKeyring(t *testing.T) {
	s := newSession(t)
	d := s.driver(t, &oauthtest.Network{}, "http://127.0.0.1:1")
	d.env = append(d.env, "DBUS_SESSION_BUS_ADDRESS=", "PATH=/nowhere")
	status := d.run(t, "status")
	require.Equal(t, "memory", status[0])
	t.Log(strings.Join(status, " "))
}

// TestDesktopWholeWay uses a real provider, a real browser and a real keyring.
func TestDesktopWholeWay(t *testing.T) {
	provider := oauthtest.StartProvider(t, time.Minute)
	s := newSession(t)
	s.keyring(t, "password")
	d := s.driver(t, &oauthtest.Network{}, provider.Issuer)
	d.env = append(d.env, "PATH="+provider.Bin()+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, text := range provider.Settings("pronet") {
		d.env = append(d.env, name+"="+text)
	}
	d.run(t, "login", string(ref))
	require.Equal(t, []string{"pronet:main", "keyring", "[openid]"}, d.run(t, "list"))
	before := d.run(t, "get", string(ref))[0]
	d.run(t, "expire", string(ref))
	after := d.getByMany(t)
	require.NotEqual(t, before, after)
	require.NotEqual(t, after, d.run(t, "renew", string(ref))[0], "the provider saw no token twice")
	for name, text := range filesIn(t, filepath.Join(s.home, "svc")) {
		require.NotContains(t, text, "token", name)
	}
	d.run(t, "logout", string(ref))
	require.Empty(t, d.run(t, "list"))

	d.env = append(d.env, "SVC_BROWSE=cancel")
	require.Contains(t, d.refuse(t, "login", string(ref)), "denied: access was denied")
}
