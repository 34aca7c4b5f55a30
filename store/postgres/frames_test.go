package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/storetest"
)

// testFramesReadOnce reads frames like a follower and checks that PostgreSQL fetches each frame
// only once.
func testFramesReadOnce(t *testing.T, s server) {
	url := s.migrated(t)
	opened, err := postgres.Open(t.Context(), url)
	require.NoError(t, err)
	runs, err := opened.Runs(t.Context(), postgres.RunOptions{})
	require.NoError(t, err)
	require.NoError(t, runs.Begin(t.Context(), storetest.RunStart(0), store.SharedLimits{}))
	taken, err := runs.Take(t.Context(), storetest.RunID(0), "d")
	require.NoError(t, err)
	const frames = 20
	read := 0
	for seq := 1; seq <= frames; seq += 2 {
		require.NoError(t, taken.Append(t.Context(), storetest.Frame(seq, "one"), storetest.Frame(seq+1, "two")))
		got, err := runs.Frames(t.Context(), storetest.RunID(0), seq-1, 1<<20)
		require.NoError(t, err)
		read += len(got)
	}
	require.Equal(t, frames, read)
	opened.Close() // connections report their statistics when they close, at the latest
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	var others, fetched int64
	require.Eventually(t, func() bool {
		err := c.QueryRow(t.Context(), `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`).Scan(&others)
		return err == nil && others == 0
	}, soon, 10*time.Millisecond)
	const query = `select sum(idx_tup_fetch + seq_tup_read)::bigint from pg_stat_user_tables where relname like 'svc_frames%'`
	require.NoError(t, c.QueryRow(t.Context(), query).Scan(&fetched))
	require.EqualValues(t, frames, fetched)
}
