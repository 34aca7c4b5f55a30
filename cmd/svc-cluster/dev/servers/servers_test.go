package servers_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/cmd/svc-cluster/dev/servers"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/storetest"
)

func TestWhatTheyRememberIsThereAgain(t *testing.T) {
	dir, err := os.MkdirTemp("", "servers")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // another user runs PostgreSQL, which refuses to run as root
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	first := start(t, servers.Config{Dir: dir, Hasty: true})
	_, err = servers.Start(t.Context(), servers.Config{Dir: dir, Hasty: true})
	require.ErrorIs(t, err, servers.ErrInUse)
	begin(t, first)
	require.NoError(t, save(t, first))
	require.NoError(t, first.Close())

	began := time.Now()
	second := start(t, servers.Config{Dir: dir, Hasty: true})
	t.Logf("ready after %s the second time", time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() { require.NoError(t, second.Close()) })
	c := dial(t, second)
	_, err = c.DescribeWorkflowExecution(t.Context(), "task", "")
	require.NoError(t, err)
	kept, err := postgres.Open(t.Context(), second.Database)
	require.NoError(t, err)
	defer kept.Close()
	_, err = kept.Load(t.Context(), "w")
	require.NoError(t, err)

	address, password, err := second.Public()
	require.NoError(t, err)
	require.NotContains(t, address, password)
	require.Contains(t, second.Database, password)
}

func start(t *testing.T, c servers.Config) *servers.Servers {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := servers.Start(ctx, c)
	require.NoError(t, err)
	return s
}

func dial(t *testing.T, s *servers.Servers) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func begin(t *testing.T, s *servers.Servers) {
	t.Helper()
	_, err := dial(t, s).ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "task", TaskQueue: "nobody"}, "nothing")
	require.NoError(t, err)
}

func save(t *testing.T, s *servers.Servers) error {
	t.Helper()
	kept, err := postgres.Open(t.Context(), s.Database)
	require.NoError(t, err)
	defer kept.Close()
	_, err = kept.Save(t.Context(), storetest.Definition("w", "W"))
	return err
}
