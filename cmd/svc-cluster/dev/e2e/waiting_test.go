package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// waitings returns runs that wait for ms milliseconds, each in another way.
func waitings(ms int64) []string {
	delay := fmt.Sprintf(`{"id":"d","type":"control.delay","config":{"ms":%d}}`, ms)
	loop := func(body string) string {
		return `{"id":"l","type":"control.foreach","config":{"list":[1,2]},"body":{"nodes":[` + body + `],"connections":[]}}`
	}
	again := fmt.Sprintf(`{"id":"f","type":"here.flaky","config":{"again":%d},"retry":{"maxAttempts":2,"maxMs":%d}}`, ms, 2*ms)
	return []string{delay, loop(loop(delay)), again}
}

// TestRunsThatWait has many runs wait. Meanwhile no process drives them, the database gets no more
// queries than without them, and they end in time.
func TestRunsThatWait(t *testing.T) {
	t.Parallel()
	const quiet = 10 * time.Second
	many, waits := trials.Of(t, 48, 2000), time.Minute
	if many > 500 {
		waits = 5 * time.Minute // starting them takes longer
	}
	w := newWorld(t)
	w.maxRuns = many
	w.member(20, "")
	w.member(20, "")
	a := w.instance()
	none := w.asked(quiet)
	ids, began := make([]string, many), make([]time.Time, many)
	for i := range ids {
		all := waitings(waits.Milliseconds())
		ids[i], began[i] = w.started(a, all[i%len(all)]), time.Now()
	}
	parked := func() (n int) {
		for _, c := range w.changes(ids) {
			if !c.Parked.IsZero() && c.Driver == "" {
				n++
			}
		}
		return n
	}
	w.until(waits, "all of them are parked", func() bool { return parked() == many })
	within := time.Since(began[many-1])
	asked := w.asked(quiet)
	require.Equal(t, many, parked(), "none has been woken while what was asked was counted")
	require.LessOrEqual(t, asked, none+none/4+5, "what PostgreSQL is asked, with and without runs that wait")
	for id, status := range w.ended(ids, waits+3*time.Minute) {
		require.Equal(t, engine.StatusCompleted, status, id)
	}
	var late time.Duration
	for i, id := range ids {
		ended, err := a.Record(t.Context(), id)
		require.NoError(t, err)
		took := ended.FinishedAt.Sub(ended.StartedAt)
		require.GreaterOrEqual(t, took, waits, i)
		late = max(late, took-waits)
	}
	t.Logf("%d runs that wait %s: parked within %s of the last start; PostgreSQL was asked %d times in %s, and %d times without them; none ended more than %s after its time",
		many, waits, within.Round(time.Millisecond), asked, quiet, none, late.Round(time.Millisecond))
	for key, by := range w.noted("begin") {
		require.Len(t, by, 1, key)
	}
}

// countedLate is the time after which PostgreSQL counts the queries of a connection that has become
// idle.
const countedLate = 11 * time.Second

// asked returns the number of queries in some time.
func (w *world) asked(during time.Duration) int {
	w.t.Helper()
	c, err := pgx.Connect(w.t.Context(), w.database)
	require.NoError(w.t, err)
	defer func() { require.NoError(w.t, c.Close(w.t.Context())) }()
	counted := func() (n int) {
		require.NoError(w.t, c.QueryRow(w.t.Context(), `select xact_commit + xact_rollback from pg_stat_database where datname = current_database()`).Scan(&n))
		return n
	}
	<-time.After(countedLate)
	before := counted()
	<-time.After(during)
	return counted() - before
}
