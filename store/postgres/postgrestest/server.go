// Package postgrestest starts PostgreSQL servers for tests.
package postgrestest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Password is that of the only user, svc.
const Password = "s3cret"

// Server is a PostgreSQL of a test's own, in a temporary directory. Make one with [Start].
type Server struct {
	t         *testing.T
	bin, data string
	port      int
	as        *syscall.Credential // it refuses to be root's
	databases int
}

// Start starts a server that ends with the test, or skips the test where the programs of
// PostgreSQL are not installed.
func Start(t *testing.T) *Server {
	t.Helper()
	s := &Server{t: t, bin: programs(t), as: somebody(t), port: freePort(t)}
	dir, err := os.MkdirTemp("", "pg") // the path to a socket is bounded
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	if s.as != nil {
		require.NoError(t, os.Chown(dir, int(s.as.Uid), int(s.as.Gid)))
	}
	s.data = filepath.Join(dir, "data")
	secret := filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(secret, []byte(Password), 0o644)) //nolint:gosec // whoever the server runs as has to read it
	s.must("initdb", "-D", s.data, "-U", "svc", "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync")
	s.Up()
	t.Cleanup(func() { _ = s.run("pg_ctl", "-D", s.data, "-m", "immediate", "-w", "stop") }) // it may be down
	return s
}

// Up starts the server again after [Server.Down].
func (s *Server) Up() {
	s.t.Helper()
	options := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c fsync=off -c unix_socket_directories=%s", s.port, filepath.Dir(s.data))
	s.must("pg_ctl", "-D", s.data, "-w", "-l", filepath.Join(filepath.Dir(s.data), "log"), "-o", options, "start")
}

// Down stops the server at once, as a crash of it does.
func (s *Server) Down() {
	s.t.Helper()
	s.must("pg_ctl", "-D", s.data, "-m", "immediate", "-w", "stop")
}

// Database makes an empty database and returns its address.
func (s *Server) Database() string {
	s.t.Helper()
	s.databases++
	name := fmt.Sprint("test", s.databases)
	c, err := pgx.Connect(s.t.Context(), s.Address("postgres"))
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, c.Close(context.Background())) }()
	_, err = c.Exec(s.t.Context(), "create database "+name)
	require.NoError(s.t, err)
	return s.Address(name)
}

// Address returns the address of a database, whether or not there is one.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://svc:%s@127.0.0.1:%d/%s?sslmode=disable&connect_timeout=5", Password, s.port, database)
}

func (s *Server) must(program string, args ...string) {
	s.t.Helper()
	require.NoError(s.t, s.run(program, args...))
}

func (s *Server) run(program string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, program), args...) //nolint:gosec // the test's own
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	log, err := os.CreateTemp(s.t.TempDir(), program) // no pipe, which the server would keep open
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", program, err, text)
	}
	return log.Close()
}

// programs returns where the programs of the newest PostgreSQL are, which Debian keeps out
// of PATH.
func programs(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skip("PostgreSQL is not installed, so what it keeps is not tested")
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
}

func version(path string) int {
	n, _ := strconv.Atoi(strings.Split(path, "/")[4])
	return n
}

// somebody is who runs the server if root runs the tests.
func somebody(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	require.NoError(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}
