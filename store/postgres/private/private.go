// Package private runs a private PostgreSQL server from the installed programs: on the loopback
// interface, with its data in a directory, for one user. It is for trials, development and tests.
package private

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNotInstalled says that the programs of PostgreSQL were not found.
var ErrNotInstalled = errors.New("PostgreSQL is not installed; install it (on Debian: apt-get install postgresql), or name a server that there is")

// owner is the only user of the server.
const owner = "svc"

// Config configures a [Server].
type Config struct {
	// Dir is the absolute path of the directory for the data and the log. It is created if
	// necessary.
	Dir string
	// Port is the port to listen on; 0 means a free one, which may differ at each start.
	Port int
	// Password is the password of the user svc. It is set at the first start.
	Password string
	// Hasty turns off syncs: a power loss may destroy the data.
	Hasty bool
}

// Server is a server that may be up or down. Make one with [New].
type Server struct {
	config Config
	bin    string
	as     *account // nil unless started by root, as which PostgreSQL refuses to run
}

// New returns the server of a directory. It is down, unless a killed process has left it running.
func New(ctx context.Context, c Config) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	as, err := serverAccount()
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, bin: bin, as: as}
	if _, err := os.Stat(s.data()); err == nil {
		return s, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return s, s.setUp(ctx)
}

func (s *Server) data() string { return filepath.Join(s.config.Dir, "data") }

// setUp creates the files of the server. They are renamed into place once they are complete.
func (s *Server) setUp(ctx context.Context) error {
	if err := os.MkdirAll(s.config.Dir, 0o755); err != nil { //nolint:gosec // the account of the server must enter it
		return err
	}
	if s.as != nil {
		if err := os.Chown(s.config.Dir, s.as.uid, s.as.gid); err != nil {
			return err
		}
	}
	unfinished, secret := s.data()+".new", filepath.Join(s.config.Dir, "password.new")
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	if err := s.writeSecret(secret); err != nil {
		return err
	}
	defer os.Remove(secret) //nolint:errcheck // nobody else can read it
	err := s.run(ctx, "initdb", "-D", unfinished, "-U", owner, "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync")
	if err != nil {
		return err
	}
	return os.Rename(unfinished, s.data())
}

// writeSecret writes the password to a file that the account of the server can read.
func (s *Server) writeSecret(file string) error {
	if err := os.WriteFile(file, []byte(s.config.Password), 0o600); err != nil || s.as == nil {
		return err
	}
	return os.Chown(file, s.as.uid, s.as.gid)
}

// Up starts the server, and restarts it if it is up.
func (s *Server) Up(ctx context.Context) error {
	if s.run(ctx, "pg_ctl", "-D", s.data(), "status") == nil {
		if err := s.Down(ctx); err != nil {
			return err
		}
	}
	if s.config.Port == 0 {
		return s.startAnywhere(ctx)
	}
	return s.start(ctx)
}

// startAnywhere starts the server on a free port. It tries again if another process takes the port
// first.
func (s *Server) startAnywhere(ctx context.Context) error {
	const tries = 3
	var all []error
	for range tries {
		ports, err := FreePorts(1)
		if err != nil {
			return err
		}
		s.config.Port = ports[0]
		if err = s.start(ctx); err == nil {
			return nil
		}
		s.config.Port, all = 0, append(all, err)
	}
	return errors.Join(all...)
}

func (s *Server) start(ctx context.Context) error {
	options := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=", s.config.Port)
	if s.config.Hasty {
		options += " -c fsync=off"
	}
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.config.Dir, "log"), "-o", options, "start")
}

// Down stops the server and closes all connections.
func (s *Server) Down(ctx context.Context) error { return s.stop(ctx, "fast") }

// Crash stops the server immediately, like a crash.
func (s *Server) Crash(ctx context.Context) error { return s.stop(ctx, "immediate") }

func (s *Server) stop(ctx context.Context, how string) error {
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-m", how, "-w", "stop")
}

// Create creates an empty database, unless it exists, and returns its address.
func (s *Server) Create(ctx context.Context, database string) (string, error) {
	c, err := pgx.Connect(ctx, s.Address("postgres"))
	if err != nil {
		return "", err
	}
	_, err = c.Exec(ctx, "create database "+pgx.Identifier{database}.Sanitize())
	const duplicateDatabase = "42P04"
	if told, ok := errors.AsType[*pgconn.PgError](err); ok && told.Code == duplicateDatabase {
		err = nil
	}
	return s.Address(database), errors.Join(err, c.Close(ctx))
}

// Address returns the address of a database, which need not exist. The address contains the
// password.
func (s *Server) Address(database string) string {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(owner, s.config.Password), Path: "/" + database,
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.config.Port)), RawQuery: "sslmode=disable&connect_timeout=60",
	}
	return address.String()
}

func (s *Server) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...) //nolint:gosec // a program of PostgreSQL
	cmd.Dir = "/"
	cmd.SysProcAttr = attributes(s.as)
	log, err := os.CreateTemp("", program) // not a pipe, which the server would keep open
	if err != nil {
		return err
	}
	defer os.Remove(log.Name()) //nolint:errcheck // a temporary file
	defer log.Close()           //nolint:errcheck // only read
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(text))
	}
	return nil
}

// programs returns the directory with the programs of the newest PostgreSQL. Debian does not put
// them into PATH.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.Join(ErrNotInstalled, err)
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
}

func version(path string) int {
	n, _ := strconv.Atoi(strings.Split(path, "/")[4])
	return n
}

// account is a system user.
type account struct{ uid, gid int }

// serverAccount returns the account that runs the server if root starts it; otherwise nil.
func serverAccount() (*account, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // the server runs as the current user
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	a := &account{}
	if a.uid, err = strconv.Atoi(u.Uid); err != nil {
		return nil, err
	}
	a.gid, err = strconv.Atoi(u.Gid)
	return a, err
}

// Range of the ports that FreePorts tries. It lies below the ports that systems assign to outgoing
// connections: another process could be assigned such a port while a server restarts.
const lowestPort, highestPort = 15_000, 32_000

// triedPorts is the number of attempts to find a free port.
const triedPorts = 1000

// FreePorts returns n free ports of the loopback interface, for programs that need their port as a
// setting. Another process may take one before they listen.
func FreePorts(n int) (ports []int, err error) {
	for try := 0; len(ports) < n; try++ {
		port := lowestPort + rand.IntN(highestPort-lowestPort) //nolint:gosec // need not be unpredictable
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		switch {
		case err == nil:
			defer l.Close() //nolint:errcheck // nobody has connected
			ports = append(ports, port)
		case try >= triedPorts:
			return nil, err
		}
	}
	return ports, nil
}
