package postgres_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
	"github.com/svcflow/svc/store/storetest"
)

// runs returns a new database for the suite of shared runs.
func (s server) runs(t *testing.T, runBytes int64) storetest.SharedStore {
	t.Helper()
	return s.shared(t, s.migrated(t), runBytes)
}

func (s server) shared(t *testing.T, url string, runBytes int64) storetest.SharedStore {
	t.Helper()
	shared := storetest.SharedStore{
		Open: func() store.SharedRuns { return s.openRuns(t, url, postgres.RunOptions{RunBytes: runBytes}) },
		Cut: func() {
			s.exec(t, url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
		},
		Damage: map[string]func(string){},
	}
	for name, query := range map[string]string{
		"frame edited":      `update svc_frames set data = replace(data, 'succeeded', 'skipped') where run = '$' and seq = 1`,
		"no JSON":           `update svc_frames set data = 'x' where run = '$' and seq = 2`,
		"about edited":      `update svc_frames set about = '-' where run = '$' and seq = 1`,
		"frame missing":     `delete from svc_frames where run = '$' and seq = 1`,
		"last frame gone":   `delete from svc_frames f using svc_runs r where f.run = r.id and f.seq = r.frames and run = '$'`,
		"frame too many":    `update svc_runs set frames = frames - 1 where id = '$'`,
		"piece missing":     `delete from svc_values where run = '$' and piece = 1`,
		"piece edited":      `update svc_values set data = replace(data, 'large', 'small') where run = '$' and piece = 0`,
		"start missing":     `delete from svc_starts where id = '$'`,
		"start edited":      `update svc_starts set summary = replace(summary, '0000-7000', '0001-7000') where id = '$'`,
		"inputs edited":     `update svc_starts set inputs = '[' where id = '$'`,
		"document missing":  `update svc_starts set document = '\\x00' where id = '$'`,
		"unknown status":    `update svc_runs set status = 'asleep' where id = '$'`,
		"ended and not":     `update svc_runs set status = case status when 'running' then 'failed' else 'running' end where id = '$'`,
		"trigger no record": `update svc_runs set started_by = '[]' where id = '$'`,
	} {
		shared.Damage[name] = func(runID string) { s.exec(t, url, strings.ReplaceAll(query, "$", runID)) }
	}
	return shared
}

func (s server) openRuns(t *testing.T, url string, o postgres.RunOptions) *postgres.Runs {
	t.Helper()
	o.Patience = cmp.Or(o.Patience, soon)
	runs, err := s.open(t, url).Runs(t.Context(), o)
	require.NoError(t, err)
	return runs
}

// testPooled runs the suites through a pooler, where each transaction may use another connection.
func testPooled(t *testing.T, s server) {
	pooled := postgrestest.Pooled(t, s.Address("postgres"))
	storetest.Run(t, func(t *testing.T) store.WorkflowStore { return s.open(t, pooled(s.migrated(t))) })
	storetest.Shared(t, func(t *testing.T, runBytes int64) storetest.SharedStore {
		shared := s.shared(t, pooled(s.migrated(t)), runBytes)
		shared.Cut, shared.Damage = nil, nil // the pooler makes no difference to these tests
		return shared
	})
}

func testClusters(t *testing.T, s server) {
	url := s.migrated(t)
	s.openRuns(t, url, postgres.RunOptions{Cluster: "one"})
	s.openRuns(t, url, postgres.RunOptions{Cluster: "one"})
	_, err := s.open(t, url).Runs(t.Context(), postgres.RunOptions{Cluster: "other"})
	require.ErrorIs(t, err, postgres.ErrOtherCluster)
	require.NotErrorIs(t, err, store.ErrUnavailable)
	require.ErrorContains(t, err, `"one"`)

	var wg sync.WaitGroup
	names := make(chan error, 10)
	url = s.migrated(t)
	for n := range cap(names) {
		wg.Go(func() {
			_, err := s.open(t, url).Runs(t.Context(), postgres.RunOptions{Cluster: fmt.Sprint("cluster", n)})
			names <- err
		})
	}
	wg.Wait()
	refused := 0
	for range cap(names) {
		if errors.Is(<-names, postgres.ErrOtherCluster) {
			refused++
		}
	}
	require.Equal(t, cap(names)-1, refused, "one of them has it")
}

// idAt returns the id of run n with a start time.
func idAt(at time.Time, n int) string {
	ms := fmt.Sprintf("%012x", at.UnixMilli())
	return fmt.Sprintf("%s-%s-7000-8000-%012d", ms[:8], ms[8:], n)
}

func startAt(at time.Time, n int) run.Start {
	start := storetest.RunStart(n)
	start.RunID, start.StartedAt = idAt(at, n), at
	return start
}

// endAt ends a run a minute after its start.
func endAt(t *testing.T, runs *postgres.Runs, at time.Time, n int) {
	t.Helper()
	taken, err := runs.Take(t.Context(), idAt(at, n), "d")
	require.NoError(t, err)
	e := engine.Event{Name: engine.EventCompleted, Seq: 1, RunID: idAt(at, n), Time: at, Result: &engine.Result{
		RunID: idAt(at, n), WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: at, FinishedAt: at.Add(time.Minute),
	}}
	require.NoError(t, taken.Append(t.Context(), run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision))))
}

func (s server) partitions(t *testing.T, url string) (names []string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	rows, err := c.Query(t.Context(), `select relname::text from pg_inherits join pg_class on oid = inhrelid where relkind = 'r' order by 1`)
	require.NoError(t, err)
	names, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return names
}

// testDays checks that partitions are created when runs start, and dropped when none of their runs
// are kept.
func testDays(t *testing.T, s server) {
	url := s.migrated(t)
	runs, other := s.openRuns(t, url, postgres.RunOptions{}), s.openRuns(t, url, postgres.RunOptions{})
	require.Len(t, s.partitions(t, url), 10, "today and tomorrow, of five tables")
	const day = 24 * time.Hour
	now := time.Now().UTC().Truncate(day).Add(time.Hour)
	for n, days := range []int{90, 60, 60, 31, 10} {
		at := now.Add(-time.Duration(days) * day)
		require.NoError(t, runs.Begin(t.Context(), startAt(at, n), store.SharedLimits{}))
		if n != 1 { // run 1 does not end
			endAt(t, other, at, n)
		}
	}
	require.Len(t, s.partitions(t, url), 30)
	require.NoError(t, other.Tidy(t.Context(), store.Retention{Age: 30 * day}))
	require.Len(t, s.partitions(t, url), 20, "without those of 90 and 31 days ago")
	page, err := runs.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.Equal(t, idAt(now.Add(-60*day), 1), page.Items[1].RunID)

	at := now.Add(-90 * day)
	require.NoError(t, runs.Begin(t.Context(), startAt(at, 9), store.SharedLimits{}), "its day comes back, which somebody else has dropped")
	endAt(t, other, at, 9)
	require.NoError(t, runs.Tidy(t.Context(), store.Retention{Age: 30 * day, Runs: 1}))
	require.Len(t, s.partitions(t, url), 20)
}

func testDaysAtOnce(t *testing.T, s server) {
	url := s.migrated(t)
	var wg sync.WaitGroup
	for n := range 8 {
		runs := s.openRuns(t, url, postgres.RunOptions{})
		wg.Go(func() {
			at := storetest.Epoch().Add(time.Duration(n%2) * 24 * time.Hour)
			assert.NoError(t, runs.Begin(t.Context(), startAt(at, n), store.SharedLimits{}))
		})
	}
	wg.Wait()
	require.Len(t, s.partitions(t, url), 20)
}

// testMigrateCut checks that an interrupted migration leaves a complete version, and that the next
// migration finishes.
func testMigrateCut(t *testing.T, s server) {
	for n := range 5 {
		url := s.Database()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n*n)*8*time.Millisecond)
		_, _ = postgres.Migrate(ctx, url) // may have succeeded
		cancel()
		_, err := postgres.Migrate(t.Context(), url)
		require.NoError(t, err)
		s.open(t, url)
	}
}

// testRunsAway stops the server. Acknowledged starts are there when it is back, and calls in
// between fail with ErrUnavailable.
func testRunsAway(t *testing.T, s server) {
	url := s.migrated(t)
	runs := s.openRuns(t, url, postgres.RunOptions{Patience: soon})
	frames := 0
	require.NoError(t, runs.Begin(t.Context(), storetest.RunStart(0), store.SharedLimits{}))
	taken, err := runs.Take(t.Context(), storetest.RunID(0), "d")
	require.NoError(t, err)
	for round := 1; round <= 3; round++ {
		began := make(chan int, 1000)
		var wg sync.WaitGroup
		wg.Go(func() { // until the server stops
			for n := round * 1000; ; n++ {
				err := runs.Begin(t.Context(), storetest.RunStart(n), store.SharedLimits{Unfinished: 1000})
				if err != nil {
					assert.ErrorIs(t, err, store.ErrUnavailable)
					close(began)
					return
				}
				began <- n
			}
		})
		wg.Go(func() {
			for {
				err := taken.Append(t.Context(), storetest.Frame(frames+1, "one"), storetest.Frame(frames+2, "two"))
				if err != nil {
					assert.ErrorIs(t, err, store.ErrUnavailable)
					return
				}
				frames += 2
			}
		})
		first := <-began
		s.Down()
		wg.Wait()
		_, err := runs.Changes(t.Context(), []string{storetest.RunID(0)})
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.ErrorIs(t, runs.Check(t.Context()), store.ErrUnavailable)
		require.ErrorIs(t, runs.Renew(t.Context(), "d"), store.ErrUnavailable)
		s.Up()
		deadline := time.Now().Add(soon)
		for err = store.ErrUnavailable; errors.Is(err, store.ErrUnavailable) && time.Now().Before(deadline); {
			err = taken.Append(t.Context(), storetest.Frame(frames+1, "one"), storetest.Frame(frames+2, "two"))
		}
		require.NoError(t, err)
		frames += 2
		for n := first; n > 0; n = <-began {
			_, err := runs.Start(t.Context(), storetest.RunID(n))
			require.NoError(t, err)
		}
		all, err := runs.Frames(t.Context(), storetest.RunID(0), 0, 1<<30)
		require.NoError(t, err)
		require.Len(t, all, frames)
	}
}
