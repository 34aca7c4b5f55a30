package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/private"
)

// databaseName is the name of Svc's database.
const databaseName = "svc"

// ErrInUse means that another process runs the servers of a directory.
var ErrInUse = errors.New("another process has the servers of this directory; stop it, or choose another directory")

// Config says which servers to start.
type Config struct {
	// Dir has the data of the servers. It is created if necessary.
	Dir string
	// Postgres is the URL of an existing database. If it is empty, a PostgreSQL server is
	// started.
	Postgres string
	// TemporalPort and PostgresPort are the ports to listen on; 0 means free ones.
	TemporalPort, PostgresPort int
	// Hasty servers may lose data when the power fails.
	Hasty bool
}

// Servers are the two servers. Make them with [Start], and close them.
type Servers struct {
	// Temporal is Temporal's.
	Temporal *Temporal
	// Database is the address of the database, with its password.
	Database string

	postgres *private.Server // nil if Config.Postgres was set
	lock     *flock.Flock
}

// Start starts the servers and makes the tables of this version.
func Start(ctx context.Context, c Config) (*Servers, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // another user runs PostgreSQL, which refuses to run as root
		return nil, err
	}
	s := &Servers{Database: c.Postgres, lock: flock.New(filepath.Join(dir, ".lock"))}
	if got, err := s.lock.TryLock(); err != nil || !got {
		return nil, errors.Join(ErrInUse, err)
	}
	if err := s.start(ctx, dir, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Servers) start(ctx context.Context, dir string, c Config) (err error) {
	if c.Postgres == "" {
		if err := s.ownDatabase(ctx, dir, c); err != nil {
			return err
		}
	}
	if _, err := postgres.Migrate(ctx, s.Database); err != nil {
		return err
	}
	s.Temporal, err = StartTemporal(ctx, TemporalConfig{
		File: filepath.Join(dir, "temporal.db"), Log: filepath.Join(dir, "temporal.log"), Port: c.TemporalPort,
	})
	return err
}

// Close stops the servers and keeps their data.
func (s *Servers) Close() error {
	var errs []error
	if s.Temporal != nil {
		errs = append(errs, s.Temporal.Stop())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Down(context.Background()))
	}
	return errors.Join(append(errs, s.lock.Unlock())...)
}

// ownDatabase starts a PostgreSQL server with a generated password.
func (s *Servers) ownDatabase(ctx context.Context, dir string, c Config) error {
	password, err := secret(filepath.Join(dir, "postgres-password"))
	if err != nil {
		return err
	}
	server, err := private.New(ctx, private.Config{Dir: filepath.Join(dir, "postgres"), Port: c.PostgresPort, Password: password, Hasty: c.Hasty})
	if err != nil {
		return err
	}
	if err := server.Up(ctx); err != nil {
		return err
	}
	s.postgres = server
	s.Database, err = server.Create(ctx, databaseName)
	return err
}

// secret returns the content of a file. If the file does not exist, it is created with random text.
func secret(file string) (string, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text())
		err = os.WriteFile(file, text, 0o600)
	}
	return strings.TrimSpace(string(text)), err
}

// Public returns the address of the database without its password, and the password.
func (s *Servers) Public() (address, password string, err error) {
	u, err := url.Parse(s.Database)
	if err != nil {
		return "", "", fmt.Errorf("the address of the database: %w", postgres.ErrAddress)
	}
	password, _ = u.User.Password()
	u.User = url.User(u.User.Username())
	return u.String(), password, nil
}
