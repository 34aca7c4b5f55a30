package bench

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	temporal "go.temporal.io/sdk/client"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/private"
)

// apiKey is the key of all servers.
const apiKey = "for-the-benchmark-only"

// patience is the time limit for everything.
const patience = time.Minute

// rig is a cluster: its two servers, and the programs for other processes.
type rig struct {
	b        *testing.B
	bin      string // directory of the programs
	dir      string // directory of all data
	postgres *private.Server
	database string
	port     int // of Temporal
	temporal *process
	client   temporal.Client
	begun    int
}

// build builds the programs as they are shipped, and returns their directory.
func build(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for module, programs := range map[string][]string{"../../../..": {"./cmd/svc", "./cmd/svc-cluster"}, "..": {"."}} {
		made := exec.Command("go", append([]string{"build", "-ldflags", "-s -w", "-o", dir + "/"}, programs...)...)
		made.Dir, made.Env = module, append(os.Environ(), "CGO_ENABLED=0")
		out, err := made.CombinedOutput()
		require.NoError(b, err, string(out))
	}
	return dir
}

// newRig starts the two servers until the benchmark ends.
func newRig(b *testing.B, bin string) *rig {
	b.Helper()
	dir, err := os.MkdirTemp("", "bench")
	require.NoError(b, err)
	require.NoError(b, os.Chmod(dir, 0o755)) //nolint:gosec // another user runs PostgreSQL, which refuses to run as root
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
	r := &rig{b: b, bin: bin, dir: dir}
	r.postgres, err = private.New(b.Context(), private.Config{Dir: filepath.Join(dir, "postgres"), Password: "s3cret"})
	require.NoError(b, err)
	require.NoError(b, r.postgres.Up(b.Context()))
	b.Cleanup(func() { require.NoError(b, r.postgres.Crash(context.Background())) })
	r.database, err = r.postgres.Create(b.Context(), "svc")
	require.NoError(b, err)
	ports, err := private.FreePorts(1)
	require.NoError(b, err)
	r.port = ports[0]
	r.startTemporal()
	r.client, err = cluster.Dial(b.Context(), cluster.Connection{Address: r.address(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(r.client.Close)
	return r
}

func (r *rig) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

// startTemporal starts Temporal with its data, and creates the tables.
func (r *rig) startTemporal() {
	r.b.Helper()
	r.temporal = r.start("dev", "--servers-only", "--dir", filepath.Join(r.dir, "dev"), "--postgres", r.database, "--temporal-port", strconv.Itoa(r.port))
	r.temporal.said("the servers are ready")
}

// process is a process of the rig.
type process struct {
	*exec.Cmd

	b   *testing.B
	log string // path of the log file
	url string // address, if it serves HTTP
}

// start starts a program until the benchmark ends.
func (r *rig) start(program string, args ...string) *process {
	r.b.Helper()
	r.begun++
	p := &process{b: r.b, Cmd: exec.Command(filepath.Join(r.bin, program), args...), log: filepath.Join(r.dir, fmt.Sprint(program, r.begun, ".log"))}
	p.begin("SVC_API_KEY=" + apiKey)
	return p
}

// begin starts the process until the benchmark ends.
func (p *process) begin(variables ...string) {
	p.b.Helper()
	log, err := os.Create(p.log)
	require.NoError(p.b, err)
	defer log.Close()
	p.Stderr, p.Env = log, append(os.Environ(), variables...)
	require.NoError(p.b, p.Start())
	p.b.Cleanup(p.kill)
}

// kill kills the process, unless it has ended.
func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// said waits until the process has logged a text, and returns the rest of the line.
func (p *process) said(what string) (rest string) {
	p.b.Helper()
	var text []byte
	defer func() {
		if p.b.Failed() {
			p.b.Log(string(text))
		}
	}()
	until(p.b, "a process says: "+what, func() (done bool) {
		var err error
		text, err = os.ReadFile(p.log)
		_, after, found := strings.Cut(string(text), what)
		line, _, ends := strings.Cut(after, "\n")
		rest = line
		return err == nil && found && ends
	})
	return rest
}

// until waits for a condition.
func until(b *testing.B, what string, met func() bool) {
	b.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !met() {
		select {
		case <-tick.C:
		case <-deadline:
			b.Fatal("waited in vain until ", what)
		}
	}
}

// member starts svc-cluster as a process of the cluster.
func (r *rig) member(args ...string) *process {
	r.b.Helper()
	return r.start("svc-cluster", append(args, "--postgres", r.database, "--temporal", r.address(), "--data", filepath.Join(r.dir, "data"), "--grace", "5s")...)
}

// instance starts an instance and waits until it serves.
func (r *rig) instance(flags ...string) *process {
	r.b.Helper()
	p := r.member(append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
	p.url = p.said("listening on ")
	return p
}

// worker starts a worker and waits until it is ready.
func (r *rig) worker(flags ...string) *process {
	r.b.Helper()
	p := r.member(append([]string{"worker"}, flags...)...)
	p.said(": working")
	return p
}

// single starts svc serve, and waits until it serves.
func (r *rig) single() *process {
	r.b.Helper()
	p := r.start("svc", "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(r.dir, "single"))
	p.url = p.said("listening on ")
	return p
}

// at returns a client of a server. It keeps enough connections for many users.
func (p *process) at() *client.Client {
	p.b.Helper()
	c, err := client.New(client.Config{URL: p.url, APIKey: apiKey, Transport: &http.Transport{MaxIdleConnsPerHost: 100}})
	require.NoError(p.b, err)
	return c
}

// holds stores workflows on a server and returns a client of it.
func (p *process) holds(defs ...*workflow.Definition) *client.Client {
	p.b.Helper()
	c := p.at()
	for _, def := range defs {
		_, err := c.Save(p.b.Context(), def, workflow.Condition{})
		require.NoError(p.b, err)
	}
	return c
}

// runs opens the runs in the database.
func (r *rig) runs() *postgres.Runs {
	r.b.Helper()
	kept, err := postgres.Open(r.b.Context(), r.database)
	require.NoError(r.b, err)
	r.b.Cleanup(kept.Close)
	runs, err := kept.Runs(r.b.Context(), postgres.RunOptions{})
	require.NoError(r.b, err)
	return runs
}
