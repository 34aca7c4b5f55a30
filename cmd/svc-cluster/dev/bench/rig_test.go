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

// apiKey is that of all servers.
const apiKey = "for-the-benchmark-only"

// patience is how long anything may take that is waited for.
const patience = time.Minute

// rig is a cluster: its two servers, and the programs to start others with.
type rig struct {
	b        *testing.B
	bin      string // where the programs are
	dir      string // where all is remembered
	postgres *private.Server
	database string
	port     int // of Temporal
	temporal *process
	client   temporal.Client
	begun    int
}

// build makes the programs, as they are shipped, and returns where they are.
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

// newRig starts the two servers, which end with the benchmark.
func newRig(b *testing.B, bin string) *rig {
	b.Helper()
	dir, err := os.MkdirTemp("", "bench")
	require.NoError(b, err)
	require.NoError(b, os.Chmod(dir, 0o755)) //nolint:gosec // PostgreSQL refuses to be root's, and has to get in
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

// startTemporal starts Temporal, with what it remembers, and makes the tables.
func (r *rig) startTemporal() {
	r.b.Helper()
	r.temporal = r.start("dev", "--servers-only", "--dir", filepath.Join(r.dir, "dev"), "--postgres", r.database, "--temporal-port", strconv.Itoa(r.port))
	r.temporal.said("the servers are ready")
}

// process is one of the rig.
type process struct {
	*exec.Cmd

	b   *testing.B
	log string // the file
	url string // where it serves, if it does
}

// start starts a program, which ends with the benchmark.
func (r *rig) start(program string, args ...string) *process {
	r.b.Helper()
	r.begun++
	p := &process{b: r.b, Cmd: exec.Command(filepath.Join(r.bin, program), args...), log: filepath.Join(r.dir, fmt.Sprint(program, r.begun, ".log"))}
	p.begin("SVC_API_KEY=" + apiKey)
	return p
}

// begin starts the process, which ends with the benchmark.
func (p *process) begin(variables ...string) {
	p.b.Helper()
	log, err := os.Create(p.log)
	require.NoError(p.b, err)
	defer log.Close()
	p.Stderr, p.Env = log, append(os.Environ(), variables...)
	require.NoError(p.b, p.Start())
	p.b.Cleanup(p.kill)
}

// kill ends a process as a crash does, if it has not ended.
func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// said waits until a process has said something, and returns the rest of that line.
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

// member starts svc-cluster, as one of the cluster.
func (r *rig) member(args ...string) *process {
	r.b.Helper()
	return r.start("svc-cluster", append(args, "--postgres", r.database, "--temporal", r.address(), "--data", filepath.Join(r.dir, "data"), "--grace", "5s")...)
}

// instance starts one that serves, and waits until it does.
func (r *rig) instance(flags ...string) *process {
	r.b.Helper()
	p := r.member(append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
	p.url = p.said("listening on ")
	return p
}

// worker starts one that drives runs, and waits until it does.
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

// at returns a client of a server, with connections enough for many who use it.
func (p *process) at() *client.Client {
	p.b.Helper()
	c, err := client.New(client.Config{URL: p.url, APIKey: apiKey, Transport: &http.Transport{MaxIdleConnsPerHost: 100}})
	require.NoError(p.b, err)
	return c
}

// holds returns a client of a server that has workflows.
func (p *process) holds(defs ...*workflow.Definition) *client.Client {
	p.b.Helper()
	c := p.at()
	for _, def := range defs {
		_, err := c.Save(p.b.Context(), def, workflow.Condition{})
		require.NoError(p.b, err)
	}
	return c
}

// runs returns what the database knows of runs.
func (r *rig) runs() *postgres.Runs {
	r.b.Helper()
	kept, err := postgres.Open(r.b.Context(), r.database)
	require.NoError(r.b, err)
	r.b.Cleanup(kept.Close)
	runs, err := kept.Runs(r.b.Context(), postgres.RunOptions{})
	require.NoError(r.b, err)
	return runs
}
