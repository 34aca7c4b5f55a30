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

// Server is a PostgreSQL server for one test, in a temporary directory. Make one with [Start].
type Server struct {
	t         *testing.T
	server    *private.Server
	databases atomic.Int64
}

// Start starts a server until the test ends. It skips the test if PostgreSQL is not installed.
func Start(t *testing.T) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "pg") // not the directory of the test, which other users cannot enter
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	server, err := private.New(t.Context(), private.Config{Dir: dir, Password: Password, Hasty: true})
	if errors.Is(err, private.ErrNotInstalled) {
		t.Skip("PostgreSQL is not installed, so what it keeps is not tested")
	}
	require.NoError(t, err)
	s := &Server{t: t, server: server}
	s.Up()
	t.Cleanup(func() { _ = server.Crash(context.Background()) }) // may already be down
	return s
}

// Up starts the server again after [Server.Down].
func (s *Server) Up() {
	s.t.Helper()
	require.NoError(s.t, s.server.Up(s.t.Context()))
}

// Down stops the server immediately, like a crash.
func (s *Server) Down() {
	s.t.Helper()
	require.NoError(s.t, s.server.Crash(s.t.Context()))
}

// Database creates an empty database and returns its address. It is safe for concurrent use.
func (s *Server) Database() string {
	s.t.Helper()
	address, err := s.server.Create(s.t.Context(), fmt.Sprint("test", s.databases.Add(1)))
	require.NoError(s.t, err)
	return address
}

// Address returns the address of a database, which need not exist.
func (s *Server) Address(database string) string { return s.server.Address(database) }
