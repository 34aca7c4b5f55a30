package httpapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	flowKey = "Bearer the-key-of-flow-0123456789"
	member  = "Basic bWU6dGhlLXBhc3N3b3JkLW9mLXRoZS1ob3N0" // me:the-password-of-the-host
	shout   = `{"id":"shout","nodes":[
		{"id":"in","type":"io.input","config":{"name":"text","type":"string","default":"hello"}},
		{"id":"it","type":"host.shout"},
		{"id":"out","type":"io.output","config":{"name":"loud"}}],
		"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"it","toPort":"text"},
		{"fromNodeId":"it","fromPort":"loud","toNodeId":"out","toPort":"value"}]}`
)

// TestHost builds an application in a separate module that embeds the service, and uses it.
func TestHost(t *testing.T) {
	program := buildHost(t)
	t.Run("two services", func(t *testing.T) {
		data := t.TempDir()
		h := startHost(t, program, nil, "serve", data)
		h.keepsItsRoutes(t)
		h.usesItsStore(t)
		runID := h.runsItsPlugin(t)
		h.sharesNothing(t, runID)
		h.stop(t)

		h = startHost(t, program, nil, "serve", data)
		h.want(t, http.StatusOK, "GET", "/flow/executions/"+runID, "", flowKey)
		h.want(t, http.StatusNotFound, "GET", "/flow/workflows/shout", "", flowKey)
		h.stop(t)
	})
	t.Run("defaults", func(t *testing.T) {
		h := startHost(t, program, []string{"SVC_API_KEY=" + testKey}, "defaults")
		require.Equal(t, "the host", h.want(t, http.StatusOK, "GET", "/about", "", ""))
		h.want(t, http.StatusUnauthorized, "GET", "/nodes", "", "")
		h.want(t, http.StatusCreated, "POST", "/workflows", greet, "Bearer "+testKey)
		require.DirExists(t, filepath.Join(h.dir, "workflows"))
		h.want(t, http.StatusNotFound, "GET", "/nodes/host.shout", "", "Bearer "+testKey)
		h.stop(t)
	})
	t.Run("without a key", func(t *testing.T) {
		require.Contains(t, failHost(t, program, "defaults"), "no API key: set Config.APIKey or the environment variable SVC_API_KEY")
	})
	t.Run("taken pattern", func(t *testing.T) {
		require.Contains(t, failHost(t, program, "taken"), "choose another RoutePrefix")
	})
}

func (h *host) keepsItsRoutes(t *testing.T) {
	require.Equal(t, "the host", h.want(t, http.StatusOK, "GET", "/about", "", ""))
	h.want(t, http.StatusNotFound, "GET", "/workflows", "", flowKey)
	require.Contains(t, h.want(t, http.StatusOK, "GET", "/flow", "", ""), `"status":"ok"`)
	h.want(t, http.StatusUnauthorized, "GET", "/flow/workflows", "", "")
	h.want(t, http.StatusForbidden, "GET", "/team/two/workflows", "", "")
	require.JSONEq(t, `[]`, h.want(t, http.StatusOK, "GET", "/team/two/workflows", "", member))
}

// usesItsStore saves and loads with conditions, although the store of the host supports neither
// conditions nor revisions.
func (h *host) usesItsStore(t *testing.T) {
	h.want(t, http.StatusCreated, "POST", "/flow/workflows", shout, flowKey, "If-None-Match", "*")
	h.want(t, http.StatusPreconditionFailed, "POST", "/flow/workflows", shout, flowKey, "If-None-Match", "*")
	h.want(t, http.StatusPreconditionFailed, "POST", "/flow/workflows", shout, flowKey, "If-Match", `"another"`)
	header := h.header(t, "/flow/workflows/shout")
	require.Equal(t, "yes", header.Get("X-Host"), "the middleware")
	etag := header.Get("ETag")
	h.want(t, http.StatusNotModified, "GET", "/flow/workflows/shout", "", flowKey, "If-None-Match", etag)
	h.want(t, http.StatusCreated, "POST", "/flow/workflows", shout, flowKey, "If-Match", etag)
	require.Contains(t, h.want(t, http.StatusOK, "GET", "/flow/workflows", "", flowKey), `"valid":true`)
	for _, path := range []string{"/revisions", "/revisions/1"} {
		require.Contains(t, h.want(t, http.StatusNotFound, "GET", "/flow/workflows/shout"+path, "", flowKey), `"code":"no_revisions"`)
	}
	h.want(t, http.StatusCreated, "POST", "/flow/workflows", greet, flowKey)
	h.want(t, http.StatusPreconditionFailed, "DELETE", "/flow/workflows/greet", "", flowKey, "If-Match", `"another"`)
	h.want(t, http.StatusNoContent, "DELETE", "/flow/workflows/greet", "", flowKey)
	h.want(t, http.StatusNotFound, "GET", "/flow/workflows/greet", "", flowKey)
}

// runsItsPlugin runs a workflow with the host's node type in all ways, and returns the id of an
// asynchronous run.
func (h *host) runsItsPlugin(t *testing.T) string {
	require.JSONEq(t, `[]`, h.want(t, http.StatusOK, "POST", "/flow/validate", shout, flowKey))
	require.Contains(t, h.want(t, http.StatusOK, "POST", "/flow/execute", shout, flowKey), `"outputs":{"loud":"HELLO!"}`)
	require.Contains(t, h.want(t, http.StatusOK, "POST", "/flow/workflows/shout/run", `{"inputs":{"text":"hey"}}`, flowKey), `"loud":"HEY!"`)
	var started struct{ RunID string }
	require.NoError(t, json.Unmarshal([]byte(h.want(t, http.StatusAccepted, "POST", "/flow/executions", shout, flowKey)), &started))
	events := h.want(t, http.StatusOK, "GET", "/flow/executions/"+started.RunID+"/events", "", flowKey)
	require.Contains(t, events, "event: completed\n")
	return started.RunID
}

// sharesNothing checks that one service has nothing of the other.
func (h *host) sharesNothing(t *testing.T, runID string) {
	h.want(t, http.StatusUnauthorized, "GET", "/flow/workflows", "", member)
	require.JSONEq(t, `[]`, h.want(t, http.StatusOK, "GET", "/team/two/workflows", "", member))
	h.want(t, http.StatusNotFound, "GET", "/team/two/executions/"+runID, "", member)
	h.want(t, http.StatusNotFound, "GET", "/team/two/nodes/host.shout", "", member)
	require.Contains(t, h.want(t, http.StatusOK, "POST", "/team/two/validate", shout, member), "unknown_node_type")
	require.Contains(t, h.want(t, http.StatusOK, "GET", "/flow/metrics", "", flowKey), `svc_runs_started_total{kind="async"} 1`)
	require.Contains(t, h.want(t, http.StatusOK, "GET", "/team/two/metrics", "", member), `svc_runs_started_total{kind="async"} 0`)
}

// buildHost builds the host from a copy outside the tree, with the dependency versions of this
// module.
func buildHost(t *testing.T) (program string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/host")))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600))
	program = filepath.Join(dir, "program")
	for _, args := range [][]string{
		{"mod", "edit", "-replace", "github.com/svcflow/svc=" + root},
		{"build", "-mod=mod", "-o", program, "."},
	} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %v: %s", args, out)
	}
	return program
}

// host is a running host.
type host struct {
	cmd    *exec.Cmd
	dir    string // working directory
	url    string
	client http.Client
	stderr bytes.Buffer
}

func hostCommand(t *testing.T, program string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = t.TempDir(), env
	return cmd
}

// failHost runs a host that must fail to start, and returns its output.
func failHost(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := hostCommand(t, program, nil, args...).CombinedOutput()
	require.Error(t, err)
	return string(out)
}

func startHost(t *testing.T, program string, env []string, args ...string) *host {
	t.Helper()
	h := &host{cmd: hostCommand(t, program, env, args...)}
	h.dir, h.cmd.Stderr = h.cmd.Dir, &h.stderr
	stdout, err := h.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, h.cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = h.cmd.Wait()
		require.NoError(t, err, h.stderr.String())
	}
	h.url = strings.TrimSpace(line)
	return h
}

// stop stops the host and requires that it has closed everything.
func (h *host) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, h.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, h.cmd.Wait(), h.stderr.String())
}

// want requires an answer with a status and returns its body.
func (h *host) want(t *testing.T, status int, method, path, body, authorization string, headers ...string) string {
	t.Helper()
	got, _, text := h.ask(t, method, path, body, append([]string{"Authorization", authorization}, headers...)...)
	require.Equal(t, status, got, "%s %s: %s", method, path, text)
	return text
}

// header returns the header of an answer.
func (h *host) header(t *testing.T, path string) http.Header {
	t.Helper()
	_, header, _ := h.ask(t, http.MethodGet, path, "", "Authorization", flowKey)
	return header
}

func (h *host) ask(t *testing.T, method, path, body string, headers ...string) (status int, header http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.url+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header = newRequest(method, "/", body, headers...).Header
	w, err := h.client.Do(r)
	require.NoError(t, err)
	defer w.Body.Close()
	whole, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.StatusCode, w.Header, string(whole)
}
