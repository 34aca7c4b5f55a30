//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/built"
)

const binaryKey = "for-tests-of-the-binary-only"

// binary is a running `svc serve`.
type binary struct {
	t      testing.TB
	url    string
	local  string // where it is without a proxy, if there is one
	data   string // its data directory
	log    string // the file with what it prints
	cmd    *exec.Cmd
	ended  chan error
	client *http.Client
}

// start has the options of a server that differ from the defaults.
type start struct {
	data  string              // "" for a new one
	args  []string            // of svc serve
	env   []string            // NAME=value
	files int                 // maximum number of open files; 0 for no limit
	mb    int                 // of memory that it may have; 0 for as much as there is
	user  *syscall.Credential // who runs it
}

// program returns the built svc.
func program(t testing.TB) string {
	t.Helper()
	return built.Program(t, "svc")
}

// launch starts a server and waits until it answers.
func launch(t testing.TB, s start) *binary {
	t.Helper()
	b := tryLaunch(t, s)
	if !assert.Eventually(t, b.ready, time.Minute, 2*time.Millisecond) {
		require.FailNow(t, "it never answered", b.logged())
	}
	return b
}

// tryLaunch starts a server.
func tryLaunch(t testing.TB, s start) *binary {
	t.Helper()
	path := program(t)
	b := &binary{t: t, data: s.data, log: filepath.Join(t.TempDir(), "log"), ended: make(chan error, 1), client: newClient()}
	if b.data == "" {
		b.data = filepath.Join(t.TempDir(), "data")
	}
	args := append([]string{path, "serve", "--addr", "127.0.0.1:0", "--data", b.data, "--log-format", "json"}, s.args...)
	limit := "ulimit -n $(ulimit -H -n)"
	if s.files > 0 {
		limit = fmt.Sprintf("ulimit -n %d", s.files)
	}
	if s.mb > 0 {
		limit += fmt.Sprintf("; ulimit -d %d", s.mb<<10) // RLIMIT_DATA: past it the program gets no memory, and dies
	}
	b.cmd = exec.Command("sh", append([]string{"-c", limit + `; exec "$@"`, "sh"}, args...)...)
	b.cmd.Env = append(append(os.Environ(), "SVC_API_KEY="+binaryKey), s.env...)
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	log, err := os.Create(b.log)
	require.NoError(t, err)
	b.cmd.Stderr = log
	require.NoError(t, b.cmd.Start())
	require.NoError(t, log.Close())
	go func() { b.ended <- b.cmd.Wait() }()
	t.Cleanup(b.kill)
	return b
}

// newClient returns a client that shares no connections.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}}
}

var listening = regexp.MustCompile(`listening on (http://[0-9.:]+)`)

// ready reports whether the server answers.
func (b *binary) ready() bool {
	m := listening.FindStringSubmatch(b.logged())
	if m == nil {
		return false
	}
	b.url = m[1]
	return healthy(b.url + "/")
}

// logged returns what the server has printed.
func (b *binary) logged() string {
	text, _ := os.ReadFile(b.log)
	return string(text)
}

// kill ends the server as a crash does.
func (b *binary) kill() {
	b.client.CloseIdleConnections()
	_ = b.cmd.Process.Kill()
	b.ended <- <-b.ended // later readers get the error, too
}

// stop ends the server by SIGTERM and requires exit status 0.
func (b *binary) stop() {
	b.t.Helper()
	require.NoError(b.t, b.cmd.Process.Signal(syscall.SIGTERM))
	err := <-b.ended
	b.ended <- err
	require.NoError(b.t, err, b.logged())
}

// request makes a request with the key. Headers are given as name, value, ….
func (b *binary) request(ctx context.Context, method, path, body string, headers ...string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	r.Header.Set("Authorization", "Bearer "+binaryKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// reply is a whole answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// try sends a request.
func (b *binary) try(method, path, body string, headers ...string) (reply, error) {
	answer, err := b.client.Do(b.request(b.t.Context(), method, path, body, headers...))
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, text}, err
}

// do sends a request that has to be answered with this status.
func (b *binary) do(status int, method, path, body string, headers ...string) reply {
	b.t.Helper()
	r, err := b.try(method, path, body, headers...)
	require.NoError(b.t, err)
	require.Equal(b.t, status, r.status, "%s %s: %s", method, path, r.body)
	return r
}

// refuses requires that a body is refused with a problem of this status, and
// returns its code.
func (b *binary) refuses(status int, path, body string) (code string) {
	b.t.Helper()
	r := b.do(status, "POST", path, body)
	require.Equal(b.t, "application/problem+json", r.header.Get("Content-Type"))
	return field(b.t, r, "code")
}

// start starts a run and returns its id.
func (b *binary) start(body string) string {
	b.t.Helper()
	return field(b.t, b.do(http.StatusAccepted, "POST", "/executions", body), "runId")
}

// status returns the state of a run.
func (b *binary) status(runID string) string {
	b.t.Helper()
	return field(b.t, b.do(http.StatusOK, "GET", "/executions/"+runID, ""), "status")
}

// waitFor waits until a run has a state.
func (b *binary) waitFor(runID, status string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.status(runID) == status }, time.Minute, 5*time.Millisecond, runID)
}

// field returns a text of a JSON object.
func field(t testing.TB, r reply, name string) string {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal(r.body, &object), string(r.body))
	text, ok := object[name].(string)
	require.True(t, ok, "%s: %s", name, r.body)
	return text
}

// host returns host and port of the server.
func (b *binary) host() string { return strings.TrimPrefix(b.url, "http://") }

// dial opens a connection to the server.
func (b *binary) dial() net.Conn {
	b.t.Helper()
	conn, err := net.Dial("tcp", b.host())
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// resident returns the resident memory of the server, in bytes.
func (b *binary) resident() int { return b.memory("VmRSS:") }

// peak returns the peak resident memory of the server, in bytes.
func (b *binary) peak() int { return b.memory("VmHWM:") }

func (b *binary) memory(name string) int {
	b.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	require.NoError(b.t, err)
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
			require.NoError(b.t, err)
			return kb << 10
		}
	}
	require.FailNow(b.t, "no "+name)
	return 0
}

// cpu returns the CPU time of the server, to a hundredth of a second.
func (b *binary) cpu() time.Duration {
	b.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.cmd.Process.Pid))
	require.NoError(b.t, err)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // behind the name of the program
	user, err := strconv.Atoi(fields[11])
	require.NoError(b.t, err)
	system, err := strconv.Atoi(fields[12])
	require.NoError(b.t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// descriptors returns how many files and connections the server has open.
func (b *binary) descriptors() int {
	b.t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.cmd.Process.Pid))
	require.NoError(b.t, err)
	return len(list)
}

// waiting is a workflow whose run lasts until it is cancelled.
const waiting = `{"id":"waiting","nodes":[{"id":"wait","type":"control.delay","config":{"ms":3600000}}],"connections":[]}`

// quick is a workflow that ends at once.
const quick = `{"id":"quick","nodes":[{"id":"out","type":"io.output","config":{"name":"n","value":1}}],"connections":[]}`
