package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
	"github.com/svcflow/svc/store/postgres/private"
	"github.com/svcflow/svc/store/storetest"
)

// world is a cluster: its servers, its workers, and an instance that starts runs.
type world struct {
	t        *testing.T
	dir      string
	database string
	postgres *postgrestest.Server
	port     int
	temporal *process
	client   client.Client
	runs     *postgres.Runs
	starts   *cluster.Starts
	workers  int
	atOnce   int   // concurrent nodes of a queue per member; 0 means 20
	runBytes int64 // size limit of a run; 0 means the default
	maxRuns  int   // number of run slots; 0 means the default
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), postgres: postgrestest.Start(t), port: freePort(t)}
	w.database = w.postgres.Database()
	_, err := postgres.Migrate(t.Context(), w.database)
	require.NoError(t, err)
	kept, err := postgres.Open(t.Context(), w.database)
	require.NoError(t, err)
	t.Cleanup(kept.Close)
	w.runs, err = kept.Runs(t.Context(), postgres.RunOptions{})
	require.NoError(t, err)
	w.startTemporal()
	log := slog.New(slog.DiscardHandler)
	w.client, err = cluster.Dial(t.Context(), cluster.Connection{Address: w.address(), Log: log})
	require.NoError(t, err)
	t.Cleanup(w.client.Close)
	holder := cluster.NewHolder(cluster.HolderConfig{Runs: w.runs, Player: &steps{}, Name: "instance", Log: log})
	t.Cleanup(func() { _ = holder.Close(context.Background()) }) // the database may be down
	w.starts = cluster.NewStarts(w.client, holder, log)
	t.Cleanup(w.starts.Close)
	return w
}

func (w *world) address() string { return net.JoinHostPort("127.0.0.1", itoa(w.port)) }

// startTemporal starts Temporal with its data.
func (w *world) startTemporal() {
	w.t.Helper()
	w.temporal = start(w.t, "temporal", portVariable+"="+itoa(w.port), fileVariable+"="+filepath.Join(w.dir, "temporal.db"))
}

// worker starts a worker with a new name.
func (w *world) worker() *process {
	w.t.Helper()
	w.workers++
	name := fmt.Sprint("worker", w.workers)
	p := start(w.t, "worker", nameVariable+"="+name, databaseVariable+"="+w.database, temporalVariable+"="+w.address(), fileVariable+"="+w.noteFile())
	p.name = name
	return p
}

func (w *world) noteFile() string { return filepath.Join(w.dir, "notes") }

// begin starts a run like an instance.
func (w *world) begin() string {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	def := storetest.Definition("w", "W")
	begun := run.Start{RunID: id, StartedAt: time.Now().UTC().Truncate(time.Microsecond), Definition: def, Document: run.NewDocument(def, nil)}
	require.NoError(w.t, w.runs.Begin(w.t.Context(), begun, store.SharedLimits{}))
	w.starts.Offer(cluster.Begun{RunID: id, WorkflowID: "w"})
	return id
}

// ended waits until runs have ended, and returns their statuses.
func (w *world) ended(ids []string, within time.Duration) map[string]engine.Status {
	w.t.Helper()
	var last map[string]engine.Status
	w.until(within, "all runs have ended", func() bool {
		changes, err := w.runs.Changes(w.t.Context(), ids)
		if err != nil {
			return false
		}
		last = map[string]engine.Status{}
		for _, c := range changes {
			if c.Status != engine.StatusRunning {
				last[c.RunID] = c.Status
			}
		}
		return len(last) == len(ids)
	})
	return last
}

// changes returns the progress of runs.
func (w *world) changes(ids []string) map[string]store.Change {
	w.t.Helper()
	all, err := w.runs.Changes(w.t.Context(), ids)
	require.NoError(w.t, err)
	byID := map[string]store.Change{}
	for _, c := range all {
		byID[c.RunID] = c
	}
	return byID
}

// until waits for a condition.
func (w *world) until(within time.Duration, what string, met func() bool) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(within)
	for !met() {
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("after %s it is still not so that %s", within, what)
		}
	}
}

// dense checks that the frames of a run have no gaps, and that their number is that of an
// undisturbed run.
func (w *world) dense(id string) {
	w.t.Helper()
	seq := 0
	for {
		frames, err := w.runs.Frames(w.t.Context(), id, seq, 1<<20)
		require.NoError(w.t, err)
		if len(frames) == 0 {
			break
		}
		for _, f := range frames {
			seq++
			require.Equal(w.t, seq, f.Seq)
		}
	}
	require.Equal(w.t, stepsOfRun+1, seq)
}

// begins returns how often each step of each run has begun.
func (w *world) begins() map[string]map[int]int {
	w.t.Helper()
	text, err := os.ReadFile(w.noteFile())
	require.NoError(w.t, err)
	times := map[string]map[int]int{}
	for line := range strings.Lines(string(text)) {
		var id, name string
		var seq int
		var at int64
		_, err := fmt.Sscan(line, &id, &seq, &name, &at)
		require.NoError(w.t, err, line)
		if times[id] == nil {
			times[id] = map[int]int{}
		}
		times[id][seq]++
	}
	return times
}

// process is a process of the cluster.
type process struct {
	*exec.Cmd

	t     *testing.T
	name  string
	ended chan struct{} // closed when the process has ended
}

// start starts a process in a role and waits until it is ready.
func start(t *testing.T, role string, variables ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0]), t: t, ended: make(chan struct{})}
	p.Env = append(os.Environ(), append(variables, asVariable+"="+role)...)
	p.Stderr = t.Output()
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() }) // if the test has not
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "the %s did not start", role)
	require.Equal(t, "ready\n", said)
	go func() {
		defer close(p.ended)
		_, _ = io.Copy(io.Discard, out) // nothing more is expected
	}()
	return p
}

// kill kills the process.
func (p *process) kill() {
	p.t.Helper()
	require.NoError(p.t, p.Process.Kill())
	require.Error(p.t, p.Wait())
}

// end asks the process to stop, and waits.
func (p *process) end() {
	p.t.Helper()
	require.NoError(p.t, p.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, p.Wait())
}

func freePort(t *testing.T) int {
	t.Helper()
	ports, err := private.FreePorts(1)
	require.NoError(t, err)
	return ports[0]
}

func itoa(n int) string { return strconv.Itoa(n) }
