package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine"
	wfrun "github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/private"
	"github.com/svcflow/svc/store/storetest"
)

// asProgram makes the test binary act as svc-cluster-dev.
const asProgram = "SVC_TEST_AS_PROGRAM"

// printed is the number of variables that the program prints.
const printed = 6

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" || program.Apart(os.Args[1:]) {
		os.Exit(run(program.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// process is a running svc-cluster-dev.
type process struct {
	*exec.Cmd

	variables map[string]string // as printed
	log       bytes.Buffer
	took      time.Duration
}

func begin(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...), variables: map[string]string{}}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = &p.log
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	began := time.Now()
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() }) // if the test has not
	lines := bufio.NewScanner(out)
	for len(p.variables) < printed && lines.Scan() {
		name, value, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "=")
		p.variables[name] = strings.Trim(value, "'")
	}
	p.took = time.Since(began)
	if len(p.variables) < printed {
		require.Error(t, p.Wait())
		t.Fatalf("it did not start: %s", p.log.String())
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // nothing more is expected
	return p
}

// database returns the address of the database with its password.
func (p *process) database() string {
	return strings.Replace(p.variables["SVC_POSTGRES"], "svc@", "svc:"+p.variables["PGPASSWORD"]+"@", 1)
}

// client returns a client of the instance, once it serves.
func (p *process) client(t *testing.T) *client.Client {
	t.Helper()
	var c *client.Client
	require.Eventually(t, func() bool {
		key, err := os.ReadFile(p.variables["SVC_API_KEY_FILE"])
		if err != nil {
			return false
		}
		c, err = client.New(client.Config{URL: p.variables["SVC_SERVER"], APIKey: strings.TrimSpace(string(key))})
		if err == nil {
			_, err = c.Health(t.Context())
		}
		return err == nil
	}, time.Minute, 20*time.Millisecond, "the instance serves")
	return c
}

// start starts a run that takes a while, and returns its id once it is driven.
func (p *process) start(t *testing.T) string {
	t.Helper()
	c := p.client(t)
	def := &workflow.Definition{ID: "slow", Name: "Slow", Nodes: []workflow.Node{{ID: "a", Type: "control.delay", Config: map[string]any{"ms": 3000, "value": 1}}}}
	id, err := c.Start(t.Context(), def, wfrun.Request{})
	require.NoError(t, err)
	for e, err := range c.Events(t.Context(), id, 0) {
		require.NoError(t, err)
		if e.NodeID == "a" {
			break
		}
	}
	return id
}

// end waits for the end of a run, and returns its status.
func (p *process) end(t *testing.T, runID string) (status engine.Status) {
	t.Helper()
	c := p.client(t)
	require.Eventually(t, func() bool {
		r, err := c.Run(t.Context(), runID)
		status = r.Status
		return err == nil && status != engine.StatusRunning
	}, 2*time.Minute, 50*time.Millisecond, "the run ends")
	return status
}

func TestItIsBackAfterAKill(t *testing.T) {
	dir := folder(t)
	t.Cleanup(func() { endDatabase(filepath.Join(dir, "data", "postgres")) })
	args := []string{"--dir", filepath.Join(dir, "data"), "--temporal-port", port(t), "--postgres-port", port(t), "--addr", "127.0.0.1:" + port(t)}
	first := begin(t, args...)
	save(t, first.database())
	runID := first.start(t)
	require.NoError(t, first.Process.Kill())
	require.Error(t, first.Wait())

	second := begin(t, args...)
	t.Logf("ready after %s the first time, %s after a kill", first.took.Round(time.Millisecond), second.took.Round(time.Millisecond))
	require.Equal(t, first.variables, second.variables)
	kept, err := postgres.Open(t.Context(), second.database())
	require.NoError(t, err)
	_, err = kept.Load(t.Context(), "w")
	kept.Close()
	require.NoError(t, err)
	c, err := grpc.NewClient(second.variables["TEMPORAL_ADDRESS"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer c.Close()
	_, err = workflowservice.NewWorkflowServiceClient(c).DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: second.variables["TEMPORAL_NAMESPACE"]})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, second.end(t, runID), "the run goes on")

	require.NoError(t, second.Process.Signal(syscall.SIGTERM))
	require.NoError(t, second.Wait(), "it ends cleanly: %s", second.log.String())
	require.NotContains(t, second.log.String(), second.variables["PGPASSWORD"])
	_, err = postgres.Open(t.Context(), second.database())
	require.Error(t, err, "and takes PostgreSQL with it")
}

func TestWhatItCannotDo(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--dir", t.TempDir(), "--postgres", "postgres://svc:s3cret-7@127.0.0.1:1/svc?connect_timeout=2"}, program.ExitFailed, "127.0.0.1"},
		{[]string{"--dir", t.TempDir(), "--postgres", "postgres://svc:s3cret-7@%zz/svc"}, program.ExitFailed, "cannot be understood"},
		{[]string{"--ports"}, program.ExitInvalid, "--help"},
	} {
		var out, log bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.Equal(t, c.status, run(ctx, c.args, strings.NewReader(""), &out, &log))
		require.Contains(t, log.String(), c.says)
		require.NotContains(t, log.String(), "s3cret-7")
		require.Equal(t, 1, strings.Count(log.String(), "\n"), "one line: %s", log.String())
	}
}

// endDatabase stops a PostgreSQL server that a failed test has left running.
func endDatabase(dir string) {
	if left, err := private.New(context.Background(), private.Config{Dir: dir}); err == nil {
		_ = left.Crash(context.Background()) // usually already down
	}
}

func save(t *testing.T, database string) {
	t.Helper()
	kept, err := postgres.Open(t.Context(), database)
	require.NoError(t, err)
	defer kept.Close()
	_, err = kept.Save(t.Context(), storetest.Definition("w", "W"))
	require.NoError(t, err)
}

func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
