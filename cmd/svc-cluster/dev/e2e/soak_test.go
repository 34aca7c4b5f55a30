package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// remembered is the number of goroutines that a worker with runsOfKept slots may have for cached
// Temporal workflows: twice as many workflows as slots, with two goroutines each.
const (
	runsOfKept = 10
	remembered = 2 * runsOfKept * 2
)

// TestAnythingIsKilled kills instances, workers and both servers at random times while runs are
// started. No run is lost or stuck, and no process leaves anything behind. The two processes that
// survive do not use more resources in the end than before.
func TestAnythingIsKilled(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	probes := []string{"--probe-addr", "127.0.0.1:0"}
	kept := []*member{m.instance(probes...), m.drives(append(probes, "--runs", strconv.Itoa(runsOfKept))...)}
	instances, workers := []*member{m.instance()}, []*member{m.drives(), m.drives()}
	require.Equal(t, engine.EventCompleted, m.follow(kept[0], m.start(kept[0])).Name)
	before := []holdings{m.holds(kept[0]), m.holds(kept[1])}
	kills, random := trials.Of(t, 5, 180), trials.Random(t) // 180 kills take about 30 minutes
	starts := m.starting(func(ctx context.Context) (string, error) { return m.at(kept[0]).Start(ctx, delays(), run.Request{}) })
	for n := range kills {
		<-time.After(time.Duration(random.IntN(5000)) * time.Millisecond)
		switch away := time.Duration(random.IntN(8000)) * time.Millisecond; n % 5 {
		case 0, 2:
			require.NoError(t, workers[n/2%2].Process.Kill())
			workers[n/2%2] = m.drives()
		case 1:
			m.temporal.kill()
			<-time.After(away)
			m.startTemporal()
		case 3:
			m.postgres.Down()
			<-time.After(away)
			m.postgres.Up()
		case 4:
			require.NoError(t, instances[0].Process.Kill())
			instances[0] = m.instance()
		}
	}
	starts.stop()
	require.Empty(t, starts.others)
	for id, status := range m.endedWhenBack(starts.acknowledged) {
		require.Equal(t, engine.StatusCompleted, status, id)
	}
	last := starts.acknowledged[len(starts.acknowledged)-1]
	require.Equal(t, framesOfDelays, m.follow(instances[0], last).Seq)
	for i, p := range kept {
		t.Logf("process %d: behind all of it %+v", i, m.holds(p))
		m.until(2*time.Minute, fmt.Sprintf("process %d holds no more than before (%+v)", i, before[i]), func() bool {
			now := m.holds(p)
			return now.goroutines <= before[i].goroutines+20+remembered && now.files <= before[i].files+15 && now.bytes <= before[i].bytes*3/2+64<<20
		})
		t.Logf("process %d: at first %+v, at last %+v", i, before[i], m.holds(p))
	}
	m.bounded()
	t.Logf("%d kills, %d runs, all of which have completed", kills, len(starts.acknowledged))
}

// holdings are the resources of a process.
type holdings struct{ goroutines, files, bytes int }

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`) //nolint:gochecknoglobals // never changed

// holds returns the resources of a process that has probes.
func (m *members) holds(p *member) holdings {
	m.t.Helper()
	_, after, _ := strings.Cut(p.log.String(), "answering probes on ")
	url, _, _ := strings.Cut(after, "\n")
	found := goroutines.FindStringSubmatch(ask(m.t, &member{url: url}, "/metrics", http.StatusOK))
	require.NotNil(m.t, found)
	n, err := strconv.Atoi(found[1])
	require.NoError(m.t, err)
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
	require.NoError(m.t, err)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.Process.Pid))
	require.NoError(m.t, err)
	var size, resident int
	_, err = fmt.Sscan(string(text), &size, &resident)
	require.NoError(m.t, err)
	return holdings{n, len(files), resident * os.Getpagesize()}
}

// bounded applies retention, and checks that nothing is left of the removed runs.
func (m *members) bounded() {
	m.t.Helper()
	const keep = 3
	require.NoError(m.t, m.runs.Tidy(m.t.Context(), store.Retention{Runs: keep}))
	c, err := pgx.Connect(m.t.Context(), m.database)
	require.NoError(m.t, err)
	defer func() { require.NoError(m.t, c.Close(m.t.Context())) }()
	for table, most := range map[string]int{
		"svc_runs": keep, "svc_starts": keep, "svc_frames": keep * framesOfDelays, "svc_values": 0, "svc_documents": 1,
		"svc_calls": 0, "svc_callers": 0, "svc_resumed": 0, "svc_places where run is not null": 0,
	} {
		var rows int
		require.NoError(m.t, c.QueryRow(m.t.Context(), "select count(*) from "+table).Scan(&rows))
		require.LessOrEqual(m.t, rows, most, table)
	}
}
