// Package postgrestest starts PostgreSQL servers for tests.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/postgres/private"
)

// Password is that of the only user, svc.
const Password = "s3cret"

// Server is a PostgreSQL of a test's own, in a temporary directory. Make one with [Start].
type Server struct {
	t         *testing.T
	server    *private.Server
	databases atomic.Int64
}

// Start starts a server that ends with the test, or skips the test where the programs of
// PostgreSQL are not installed.
func Start(t *testing.T) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "pg") // not that of the test, which nobody else may enter
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	server, err := private.New(t.Context(), private.Config{Dir: dir, Password: Password, Hasty: true})
	if errors.Is(err, private.ErrNotInstalled) {
		t.Skip("PostgreSQL is not installed, so what it keeps is not tested")
	}
	require.NoError(t, err)
	s := &Server{t: t, server: server}
	s.Up()
	t.Cleanup(func() { _ = server.Crash(context.Background()) }) // it may be down
	return s
}

// Up starts the server again after [Server.Down].
func (s *Server) Up() {
	s.t.Helper()
	require.NoError(s.t, s.server.Up(s.t.Context()))
}

// Down stops the server at once, as a crash of it does.
func (s *Server) Down() {
	s.t.Helper()
	require.NoError(s.t, s.server.Crash(s.t.Context()))
}

// Database makes an empty database and returns its address. Several goroutines may call it.
func (s *Server) Database() string {
	s.t.Helper()
	address, err := s.server.Create(s.t.Context(), fmt.Sprint("test", s.databases.Add(1)))
	require.NoError(s.t, err)
	return address
}

// Address returns the address of a database, whether or not there is one.
func (s *Server) Address(database string) string { return s.server.Address(database) }
