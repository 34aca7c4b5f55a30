package postgrestest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/store/postgres/private"
)

// Pooled starts a PgBouncer in transaction mode in front of the server at address, with a few
// connections per database, until the test ends. It returns a function that turns the address of a
// database into its address at the pooler. It skips the test if PgBouncer is not installed.
func Pooled(t *testing.T, address string) func(address string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed, so what goes through a pooler of transactions is not tested")
	}
	u, err := url.Parse(address)
	require.NoError(t, err)
	ports, err := private.FreePorts(1)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "pooler") // not the directory of the test, which other users cannot enter
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // another user must read it
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) //nolint:gosec // another user must read it
		return path
	}
	users := put("users", fmt.Sprintf("%q %q\n", "svc", Password))
	config := put("config", fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = transaction
default_pool_size = 4
server_idle_timeout = 1
`, u.Hostname(), u.Port(), ports[0], users))
	cmd := exec.Command(program, config) //nolint:gosec // started by a test
	if os.Getuid() == 0 {                // it refuses to run as root
		cmd.Args = []string{program, "-u", "nobody", config}
	}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // at once; may have ended
		_ = cmd.Wait()
	})
	own := net.JoinHostPort("127.0.0.1", fmt.Sprint(ports[0]))
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", own)
		return err == nil && c.Close() == nil
	}, time.Minute, 20*time.Millisecond, "it listens")
	return func(address string) string { return strings.Replace(address, u.Host, own, 1) }
}
