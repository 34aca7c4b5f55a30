//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slow is a workflow that takes a second and a half, and makes ten events.
const slow = `{"id":"slow","nodes":[
	{"id":"a","type":"control.delay","config":{"ms":500}},{"id":"b","type":"control.delay","config":{"ms":500}},
	{"id":"c","type":"control.delay","config":{"ms":500}},{"id":"d","type":"control.delay","config":{"ms":1}}],
	"connections":[{"fromNodeId":"a","fromPort":"value","toNodeId":"b","toPort":"value"},
	{"fromNodeId":"b","fromPort":"value","toNodeId":"c","toPort":"value"},
	{"fromNodeId":"c","fromPort":"value","toNodeId":"d","toPort":"value"}]}`

const slowEvents = 10

// heard is what a client has received of a run.
type heard struct {
	Seen []struct {
		ID, Name string
		Seq      int
	}
	Opened int
	Code   int
}

// requireWhole requires that a client has received every event once and in order, although it
// lost its connection.
func (h *heard) requireWhole(t *testing.T) {
	t.Helper()
	require.Len(t, h.Seen, slowEvents)
	for i, e := range h.Seen {
		require.Equal(t, strconv.Itoa(i+1), e.ID)
		require.Equal(t, i+1, e.Seq)
	}
	require.Equal(t, "completed", h.Seen[slowEvents-1].Name)
	require.Equal(t, 2, h.Opened, "before and after its connection was lost")
}

// cutter passes requests to a server, and cuts the connection of the first stream in the middle
// of its third event.
type cutter struct {
	*httptest.Server
	streams atomic.Int64
	seen    chan heard // what a page has told
}

func newCutter(t *testing.T, b *binary) *cutter {
	t.Helper()
	target, err := url.Parse(b.url)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	c := &cutter{seen: make(chan heard, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "testdata/eventsource/page.html")
	})
	mux.HandleFunc("POST /seen", func(_ http.ResponseWriter, r *http.Request) {
		var h heard
		if err := json.NewDecoder(r.Body).Decode(&h); err != nil {
			t.Error(err)
		}
		c.seen <- h
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") && c.streams.Add(1) == 1 {
			w = &cut{ResponseWriter: w}
		}
		proxy.ServeHTTP(w, r)
	})
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

// cut is an answer that breaks off.
type cut struct {
	http.ResponseWriter

	events int
}

func (c *cut) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cut) Write(p []byte) (int, error) {
	for i := range p {
		if bytes.HasPrefix(p[i:], []byte("data: ")) {
			if c.events++; c.events == 3 {
				_, _ = c.ResponseWriter.Write(p[:i+20])
				_ = http.NewResponseController(c.ResponseWriter).Flush()
				panic(http.ErrAbortHandler)
			}
		}
	}
	return c.ResponseWriter.Write(p)
}

// TestNodeEventSource follows a run with the EventSource of npm.
func TestNodeEventSource(t *testing.T) {
	program(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/eventsource")))
	run(t, dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	b := launch(t, start{})
	c := newCutter(t, b)
	out := run(t, dir, "node", "follow.mjs", c.URL+"/executions/"+b.start(slow)+"/events", binaryKey)
	var h heard
	require.NoError(t, json.Unmarshal(out, &h), string(out))
	h.requireWhole(t)
	require.Equal(t, http.StatusNoContent, h.Code)
	require.EqualValues(t, 3, c.streams.Load())
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s", name, stderr.String())
	return out
}

// TestChromiumEventSource follows a run with a browser, which cannot send
// the key.
func TestChromiumEventSource(t *testing.T) {
	program(t)
	b := launch(t, start{args: []string{"--allow-anonymous"}, env: []string{"SVC_API_KEY="}})
	c := newCutter(t, b)
	chromium := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), c.URL+"/page?run="+b.start(slow))
	var stderr bytes.Buffer
	chromium.Stderr = &stderr
	require.NoError(t, chromium.Start())
	t.Cleanup(func() {
		_ = chromium.Process.Kill()
		_ = chromium.Wait()
	})
	select {
	case h := <-c.seen:
		h.requireWhole(t)
	case <-time.After(time.Minute):
		require.Fail(t, "the page never told that it was done", stderr.String())
	}
	require.EqualValues(t, 3, c.streams.Load())
}

// TestCurl follows a run with curl.
func TestCurl(t *testing.T) {
	b := launch(t, start{})
	c := newCutter(t, b)
	events := c.URL + "/executions/" + b.start(slow) + "/events"
	follow := func(lastEventID string) (string, error) {
		args := []string{"-sSN", "-w", "%{http_code}", "-H", "Authorization: Bearer " + binaryKey, events}
		if lastEventID != "" {
			args = append(args, "-H", "Last-Event-ID: "+lastEventID)
		}
		out, err := exec.CommandContext(t.Context(), "curl", args...).Output()
		return string(out), err
	}
	frames := regexp.MustCompile(`(?m)^id: (\d+)\nevent: (\w+)\ndata: \{.*\}\n\n`)

	first, err := follow("")
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "the connection was lost: %v", err)
	whole := frames.FindAllStringSubmatch(first, -1)
	require.Len(t, whole, 2)
	rest, err := follow(whole[1][1])
	require.NoError(t, err)
	whole = append(whole, frames.FindAllStringSubmatch(rest, -1)...)
	require.Len(t, whole, slowEvents)
	for i, f := range whole {
		require.Equal(t, strconv.Itoa(i+1), f[1])
	}
	require.Equal(t, "completed", whole[slowEvents-1][2])
	after, err := follow(strconv.Itoa(slowEvents))
	require.NoError(t, err)
	require.Equal(t, "204", after)
}
