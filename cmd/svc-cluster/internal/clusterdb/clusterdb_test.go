package clusterdb_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/httpapi/keys/ring/ringtest"
	"github.com/svcflow/svc/nodes/service/servicetest"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestClusterDB uses one server, since starting it takes longest.
func TestClusterDB(t *testing.T) {
	s := server{postgrestest.Start(t)}
	t.Run("windows", func(t *testing.T) {
		servicetest.Windows(t, func(t *testing.T, test func(*testing.T, servicetest.Passing)) { test(t, s.windows(t)) })
	})
	t.Run("keys", func(t *testing.T) {
		ringtest.Run(t, func(t *testing.T, test func(*testing.T, ringtest.World)) { test(t, s.keys(t)) })
	})
	t.Run("audit", func(t *testing.T) { testAudit(t, s) })
	t.Run("logins", func(t *testing.T) {
		oauthtest.Logins(t, func(t *testing.T, test func(*testing.T, oauthtest.Passing)) {
			url := s.migrated(t)
			test(t, oauthtest.Passing{LoginStore: clusterdb.NewLogins(s.open(t, url).DB()), Pass: func(d time.Duration) {
				s.exec(t, url, fmt.Sprintf(`update svc_logins set until = until - interval '%d us'`, d.Microseconds()))
			}})
		})
	})
	t.Run("windows of processes", func(t *testing.T) { testWindowsOfProcesses(t, s) })
	t.Run("tidied with the runs", func(t *testing.T) { testTidiedWithRuns(t, s) })
}

// testTidiedWithRuns checks that Tidy of the runs calls AlsoTidy.
func testTidiedWithRuns(t *testing.T, s server) {
	url, tidied := s.migrated(t), 0
	kept := s.open(t, url)
	runs, err := kept.Runs(t.Context(), postgres.RunOptions{AlsoTidy: func(ctx context.Context) error {
		tidied++
		return clusterdb.Tidy(ctx, kept.DB())
	}})
	require.NoError(t, err)
	require.NoError(t, runs.Tidy(t.Context(), store.Retention{}))
	require.Equal(t, 1, tidied)
}

type server struct{ *postgrestest.Server }

// migrated returns the address of a new database with tables.
func (s server) migrated(t *testing.T) string {
	t.Helper()
	url := s.Database()
	_, err := postgres.Migrate(t.Context(), url)
	require.NoError(t, err)
	return url
}

func (s server) open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	opened, err := postgres.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(opened.Close)
	return opened
}

func (s server) openRuns(t *testing.T, url string) *postgres.Runs {
	t.Helper()
	runs, err := s.open(t, url).Runs(t.Context(), postgres.RunOptions{})
	require.NoError(t, err)
	return runs
}

func (s server) exec(t *testing.T, url, query string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	_, err = c.Exec(t.Context(), query)
	require.NoError(t, err)
}
