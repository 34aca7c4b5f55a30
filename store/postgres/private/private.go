// Package private runs a PostgreSQL server of one's own from the programs that are installed:
// on the loopback, in a directory, for one user. It is for trying, developing and testing.
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

// ErrNotInstalled says that there are no programs to run.
var ErrNotInstalled = errors.New("PostgreSQL is not installed; install it (on Debian: apt-get install postgresql), or name a server that there is")

// owner is the only one of the server.
const owner = "svc"

// Config says what a [Server] is.
type Config struct {
	// Dir has everything that the server remembers, and its log; an absolute path. It is
	// made if it is not there.
	Dir string
	// Port is where it listens; 0 means one that is free, another one at each start.
	Port int
	// Password is that of its user, svc, from its first start on.
	Password string
	// Hasty servers do not wait for the disk, and may lose everything with the power.
	Hasty bool
}

// Server is a server, be it up or down. Make one with [New].
type Server struct {
	config Config
	bin    string
	as     *account // not nil if root starts it, since it refuses to run as root
}

// New returns the server in a directory. It is down, unless a process that was killed has
// left it behind.
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

// setUp makes the server's files, which are in their place once they are complete.
func (s *Server) setUp(ctx context.Context) error {
	if err := os.MkdirAll(s.config.Dir, 0o755); err != nil { //nolint:gosec // whoever the server runs as has to get in
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
	defer os.Remove(secret) //nolint:errcheck // nobody else gets at it
	err := s.run(ctx, "initdb", "-D", unfinished, "-U", owner, "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync")
	if err != nil {
		return err
	}
	return os.Rename(unfinished, s.data())
}

// writeSecret writes the password for whoever the server runs as.
func (s *Server) writeSecret(file string) error {
	if err := os.WriteFile(file, []byte(s.config.Password), 0o600); err != nil || s.as == nil {
		return err
	}
	return os.Chown(file, s.as.uid, s.as.gid)
}

// Up starts the server, anew if it is up.
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

// startAnywhere starts the server at a port that is free, of which somebody else may be quicker
// to take one.
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

// Down ends the server, and with it all connections.
func (s *Server) Down(ctx context.Context) error { return s.stop(ctx, "fast") }

// Crash ends the server at once, as a crash of it does.
func (s *Server) Crash(ctx context.Context) error { return s.stop(ctx, "immediate") }

func (s *Server) stop(ctx context.Context, how string) error {
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-m", how, "-w", "stop")
}

// Create makes an empty database, unless there is one of that name, and returns its address.
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

// Address returns the address of a database, whether or not there is one. It has the password.
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
	log, err := os.CreateTemp("", program) // no pipe, which the server would keep open
	if err != nil {
		return err
	}
	defer os.Remove(log.Name()) //nolint:errcheck // a temporary file
	defer log.Close()           //nolint:errcheck // what is in it is only read
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(text))
	}
	return nil
}

// programs returns where the programs of the newest PostgreSQL are, which Debian keeps out
// of PATH.
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

// account is a user of the system.
type account struct{ uid, gid int }

// serverAccount returns the account that runs the server if root starts it; otherwise nil.
func serverAccount() (*account, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // the server runs as whoever starts it
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

// Ports that systems do not give to those who connect: such a port may be somebody's by the time
// that a program listens there again which was away for a moment.
const lowestPort, highestPort = 15_000, 32_000

// triedPorts is how often it is tried to find a port that is free.
const triedPorts = 1000

// FreePorts returns n ports of the loopback that nobody listens at, for programs that have to
// be told theirs. Somebody else may take one before they do.
func FreePorts(n int) (ports []int, err error) {
	for try := 0; len(ports) < n; try++ {
		port := lowestPort + rand.IntN(highestPort-lowestPort) //nolint:gosec // nobody has to guess it
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
