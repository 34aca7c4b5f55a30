package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// apiKey is the key of the instances.
const apiKey = "canary-4711-canary-4711"

// members is a world whose processes run the program svc-cluster, as users start it.
type members struct {
	*world

	program string
	key     string // of the instances
	env     []string
}

// member is a process of the cluster.
type member struct {
	*exec.Cmd

	url string // address of an instance
	log lockedBuffer
}

// lockedBuffer can be read while a process writes to it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newMembers(t *testing.T) *members {
	t.Helper()
	return &members{world: newWorld(t), key: apiKey, program: os.Getenv(programVariable)}
}

// begin starts the program until the test ends.
func (m *members) begin(args ...string) *member {
	m.t.Helper()
	args = append(args, "--postgres", m.database, "--temporal", m.address(), "--data", filepath.Join(m.dir, "data"), "--grace", "5s")
	p := &member{Cmd: exec.Command(m.program, args...)}
	p.Env, p.Stderr = append(append(os.Environ(), "SVC_API_KEY="+m.key), m.env...), &p.log
	require.NoError(m.t, p.Start())
	m.t.Cleanup(func() {
		_ = p.Process.Kill() // if the test has not
		_ = p.Wait()
		require.NotContains(m.t, p.log.String(), apiKey)
		if m.t.Failed() {
			m.t.Log(strings.Join(args[:1], " "), p.log.String())
		}
	})
	return p
}

// instance starts an instance with some flags and waits until it serves.
func (m *members) instance(flags ...string) *member {
	m.t.Helper()
	var p *member
	m.until(2*time.Minute, "an instance serves", func() bool {
		p = m.again(p, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
		_, after, found := strings.Cut(p.log.String(), "listening on ")
		p.url, _, _ = strings.Cut(after, "\n")
		return found && p.url != ""
	})
	return p
}

// drives starts a worker with some flags and waits until it is ready.
func (m *members) drives(flags ...string) *member {
	m.t.Helper()
	var p *member
	m.until(2*time.Minute, "a worker works", func() bool {
		p = m.again(p, append([]string{"worker"}, flags...)...)
		return strings.Contains(p.log.String(), ": working\n")
	})
	return p
}

// again starts the program on the first call, and restarts it, as systemd does, if Temporal was too
// slow for it.
func (m *members) again(p *member, args ...string) *member {
	m.t.Helper()
	if p != nil && !strings.Contains(p.log.String(), "svc-cluster: --temporal: ") {
		return p
	}
	return m.begin(args...)
}

// at returns a client of an instance.
func (m *members) at(p *member) *client.Client {
	m.t.Helper()
	c, err := client.New(client.Config{URL: p.url, APIKey: apiKey})
	require.NoError(m.t, err)
	return c
}

// delays returns a workflow of five nodes in a row that take a second each.
func delays() *workflow.Definition {
	def := &workflow.Definition{ID: "delays", Name: "Delays"}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		def.Nodes = append(def.Nodes, workflow.Node{ID: id, Type: "control.delay", Config: map[string]any{"ms": 1000}})
		if n := len(def.Nodes); n > 1 {
			def.Connections = append(def.Connections, workflow.Connection{FromNodeID: def.Nodes[n-2].ID, FromPort: "value", ToNodeID: id, ToPort: "value"})
		}
	}
	def.Nodes[0].Config["value"] = "x"
	return def
}

// framesOfDelays is the number of frames of an undisturbed run of delays.
const framesOfDelays = 12

// follow follows a run at an instance to its end, and reconnects while the database is unavailable.
// It requires events without gaps.
func (m *members) follow(p *member, id string) (last engine.Event) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*time.Minute)
	defer cancel()
	m.until(2*time.Minute, "the run has been followed to its end", func() bool {
		for e, err := range m.at(p).Events(ctx, id, last.Seq) {
			if problem, told := errors.AsType[*client.Error](err); told && problem.Code == "unavailable" {
				return false
			}
			require.NoError(m.t, err)
			require.Equal(m.t, last.Seq+1, e.Seq)
			last = e
		}
		return true
	})
	return last
}

// start starts a run at an instance.
func (m *members) start(p *member) string {
	m.t.Helper()
	id, err := m.at(p).Start(m.t.Context(), delays(), run.Request{})
	require.NoError(m.t, err)
	return id
}

// underWay waits until a run is driven, and returns the driver.
func (m *members) underWay(id string) (driver string) {
	m.t.Helper()
	m.until(time.Minute, "the run is under way", func() bool {
		c := m.changes([]string{id})[id]
		driver = c.Driver
		return c.Frames >= 3 && driver != ""
	})
	return driver
}

// TestMembers uses a cluster of two instances and two workers, as users start them.
func TestMembers(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	one, other := m.instance(), m.instance()
	workers := []*member{m.drives(), m.drives()}

	t.Run("nothing is wrong", func(t *testing.T) {
		check := exec.Command(m.program, "check", "--postgres", m.database, "--temporal", m.address())
		text, err := check.CombinedOutput()
		require.NoError(t, err, string(text))
		require.Regexp(t, `2 of \d+ processes drive runs`, string(text))
		require.Contains(t, string(text), "4, which fit together")
	})
	t.Run("what one starts, the other one tells", func(t *testing.T) {
		id := m.start(one)
		last := m.follow(other, id)
		require.Equal(t, engine.EventCompleted, last.Name)
		require.Equal(t, framesOfDelays, last.Seq)
		id = m.start(one)
		m.underWay(id)
		require.NoError(t, m.at(other).Cancel(t.Context(), id))
		require.Equal(t, engine.StatusCancelled, m.follow(one, id).Result.Status)
		page, err := m.at(other).Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 2)
	})
	t.Run("a driver is killed", func(t *testing.T) {
		ids := []string{m.start(one), m.start(other), m.start(one), m.start(other)}
		for _, id := range ids {
			m.underWay(id)
		}
		require.NoError(t, workers[0].Process.Kill())
		workers[0] = m.drives()
		for _, id := range ids {
			last := m.follow(other, id)
			require.Equal(t, engine.EventCompleted, last.Name)
			require.Equal(t, framesOfDelays, last.Seq)
		}
	})
	t.Run("each is restarted in turn", func(t *testing.T) {
		for i := range workers {
			ids := []string{m.start(one), m.start(one)}
			for _, id := range ids {
				m.underWay(id)
			}
			require.NoError(t, workers[i].Process.Signal(syscall.SIGTERM))
			require.NoError(t, workers[i].Wait(), "it ends with 0")
			workers[i] = m.drives()
			for _, id := range ids {
				require.Equal(t, engine.EventCompleted, m.follow(other, id).Name)
			}
		}
		id := m.start(one)
		require.NoError(t, one.Process.Signal(syscall.SIGTERM))
		require.NoError(t, one.Wait())
		require.Equal(t, engine.EventCompleted, m.follow(other, id).Name, "runs outlive the instance that has started them")
		one = m.instance()
	})
	t.Run("PostgreSQL is away", func(t *testing.T) {
		id := m.start(one)
		m.underWay(id)
		m.postgres.Down()
		for range 10 {
			_, err := m.at(one).Start(t.Context(), delays(), run.Request{})
			problem, told := errors.AsType[*client.Error](err)
			require.True(t, told, "%v", err)
			require.Equal(t, http.StatusServiceUnavailable, problem.Status)
			require.Equal(t, "unavailable", problem.Code)
		}
		m.postgres.Up()
		require.Equal(t, engine.EventCompleted, m.follow(other, id).Name, "what has happened meanwhile is written afterwards")
		m.until(time.Minute, "runs are started again", func() bool {
			_, err := m.at(one).Start(t.Context(), delays(), run.Request{})
			return err == nil
		})
	})
}

// TestProbesOfMembers uses the probes of an instance and a worker.
func TestProbesOfMembers(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	instance, worker := m.probed("serve", "--addr", "127.0.0.1:0"), m.probed("worker")
	for _, p := range []*member{instance, worker} {
		require.Contains(t, ask(t, p, "/readyz", http.StatusOK), `"status":"ok"`)
		require.Contains(t, ask(t, p, "/healthz", http.StatusOK), `"status":"ok"`)
		figures := ask(t, p, "/metrics", http.StatusOK)
		for _, name := range []string{
			"svc_cluster_runs_driven", "svc_cluster_parked_total", "svc_cluster_takes_total", "svc_cluster_oldest_waiting_seconds",
			"svc_cluster_commits_total", `svc_cluster_server_up{server="temporal"} 1`, `svc_cluster_server_up{server="postgres"} 1`,
			`svc_cluster_server_seconds{server="temporal"}`,
		} {
			require.Contains(t, figures, name)
		}
	}
	m.temporal.kill()
	m.until(time.Minute, "a worker says that Temporal is away", func() bool {
		return strings.Contains(ask(t, worker, "/metrics", http.StatusOK), `svc_cluster_server_up{server="temporal"} 0`)
	})
	require.Contains(t, ask(t, instance, "/readyz", http.StatusOK), `"ok"`, "runs can be started all the same")
	m.postgres.Down()
	for _, p := range []*member{instance, worker} {
		require.Contains(t, ask(t, p, "/readyz", http.StatusServiceUnavailable), "unavailable")
	}
	m.postgres.Up()
}

// probed starts a process with a listener for probes.
func (m *members) probed(args ...string) *member {
	m.t.Helper()
	p := m.begin(append(args, "--probe-addr", "127.0.0.1:0")...)
	m.until(time.Minute, "probes are answered", func() bool {
		_, after, found := strings.Cut(p.log.String(), "answering probes on ")
		p.url, _, _ = strings.Cut(after, "\n")
		return found && p.url != ""
	})
	return p
}

// ask requests a probe and requires a status.
func ask(t *testing.T, p *member, path string, status int) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody)
	require.NoError(t, err)
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, status, answer.StatusCode, string(text))
	return string(text)
}

// TestMembersThatAnswer places nodes on a queue that no worker answers at first.
func TestMembersThatAnswer(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	instance := m.instance()
	m.drives("--place", "control.delay=slow")
	id := m.start(instance)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	told, last := false, engine.Event{}
	for e, err := range m.at(instance).Events(ctx, id, 0) {
		require.NoError(t, err)
		if last = e; e.Message == "no worker has answered the queue slow yet; start one that does" {
			told = true
			m.drives("--runs", "0", "--answer", "slow")
		}
	}
	require.True(t, told, "a node says that it waits for a worker")
	require.Equal(t, engine.EventCompleted, last.Name, "%+v", last.Error)
}
