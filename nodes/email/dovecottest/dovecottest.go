// Package dovecottest starts real mail servers for tests.
package dovecottest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Dir returns a folder for a server's files, which is removed after the test. Its path is
// short, because sockets require it. Other users may enter it, since the server stores mail
// as another user.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dovecot")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o777))
	return dir
}

// Start starts a Dovecot in a folder from [Dir], with testdata/dovecot.conf of the package
// under test. In this file @NAME@ is replaced by values and @DIR@ by the folder. Start
// waits until the server listens at address. The server ends with the test; if the test
// fails, the server's log is shown.
func Start(t testing.TB, dir, address string, values map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "dovecot.conf"))
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte("@DIR@"), []byte(dir))
	for name, v := range values {
		text = bytes.ReplaceAll(text, []byte("@"+name+"@"), []byte(v))
	}
	conf := filepath.Join(dir, "dovecot.conf")
	require.NoError(t, os.WriteFile(conf, text, 0o600))
	cmd := exec.Command("dovecot", "-F", "-c", conf)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait() // it was interrupted
		if log, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && t.Failed() {
			t.Logf("%s", log)
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	}, time.Minute, 20*time.Millisecond, "Dovecot does not start")
}
