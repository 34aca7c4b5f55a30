package main

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

// simulated starts both networks until the test ends, and returns the environment
// that leads svc to them.
func simulated(t *testing.T) (pronet, microblog *sim.Network, settings map[string]string) {
	t.Helper()
	settings = map[string]string{}
	begin := func(newNetwork func(sim.Config) (*sim.Network, error)) *sim.Network {
		n, err := newNetwork(sim.Config{})
		require.NoError(t, err)
		server := httptest.NewServer(n)
		t.Cleanup(server.Close)
		maps.Copy(settings, n.Settings(server.URL))
		return n
	}
	return begin(sim.NewPronet), begin(sim.NewMicroblog), settings
}

// svc runs svc in a data directory and returns its exit status and its output.
func svc(t *testing.T, settings map[string]string, stderr *watched, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	status := execute(t.Context(), args, nil, &out, stderr, func(name string) (string, bool) { v, ok := settings[name]; return v, ok })
	return status, out.String()
}

// watched is standard error, at which somebody looks for a line meanwhile.
type watched struct {
	mu    sync.Mutex
	text  string
	wants *regexp.Regexp
	found chan string // gets the first group
}

// Write implements [io.Writer].
func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text += string(p)
	if w.wants == nil {
		return len(p), nil
	}
	if m := w.wants.FindStringSubmatch(w.text); m != nil {
		w.found <- m[1]
		w.wants = nil
	}
	return len(p), nil
}

// String returns what was written.
func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

// TestNetworkNodes posts to both networks with tokens from the environment.
func TestNetworkNodes(t *testing.T) {
	pronet, microblog, settings := simulated(t)
	var errs watched
	status, out := svc(t, settings, &errs, "run", "template:cross-post", "-q", "--input", "text=Hello, networks", "--data", t.TempDir())
	require.Zero(t, status, errs.String())
	require.Contains(t, out, "Professional network: posted.")
	require.Contains(t, out, "Microblogging network: posted.")
	require.Equal(t, "Hello, networks", pronet.Posts()[5].Text)
	require.Equal(t, "Hello, networks", microblog.Posts()[6].Text)
	require.NotContains(t, out+errs.String(), "sim-pronet-main")
}

// TestExamplesOfNetworks runs the examples of the network nodes.
func TestExamplesOfNetworks(t *testing.T) {
	_, _, settings := simulated(t)
	data, ran := t.TempDir(), 0
	types, err := openForTest(t).NodeTypes(t.Context())
	require.NoError(t, err)
	for _, spec := range types {
		if spec.Plugin() != "pronet" && spec.Plugin() != "microblog" {
			continue
		}
		ran++
		_, def := svc(t, settings, &watched{}, "nodes", spec.Type, "--example")
		var out, errs bytes.Buffer
		status := execute(t.Context(), []string{"run", "-", "-q", "--data", data}, strings.NewReader(def), &out, &errs,
			func(name string) (string, bool) { v, ok := settings[name]; return v, ok })
		require.Zero(t, status, "%s: %s", spec.Type, &errs)
		require.NotContains(t, out.String(), "success: false", spec.Type)
	}
	require.Equal(t, 15, ran)
}

// TestNetworkLogin connects an account and posts with it.
func TestNetworkLogin(t *testing.T) {
	_, microblog, settings := simulated(t)
	delete(settings, "MICROBLOG_MAIN")
	data := t.TempDir()
	errs := watched{wants: regexp.MustCompile(`log in at the network: (http\S+)\n`), found: make(chan string, 1)}
	var browser sync.WaitGroup
	browser.Go(func() { visit(t, <-errs.found) })
	status, out := svc(t, settings, &errs, "credentials", "login", "microblog:main", "--no-browser", "--data", data)
	require.Zero(t, status, errs.String())
	browser.Wait()
	require.Equal(t, "connected microblog:main\n", out)

	status, out = svc(t, settings, &watched{}, "run", "template:cross-post", "-q", "--input", "text=Logged in", "--data", data)
	require.Zero(t, status)
	require.Contains(t, out, "Microblogging network: posted.")
	require.Equal(t, "Logged in", microblog.Posts()[6].Text)

	status, _ = svc(t, settings, &watched{}, "credentials", "logout", "microblog:main", "--data", data)
	require.Zero(t, status)
	require.Len(t, microblog.Requests("revoke"), 2)
}

// visit opens an address as a browser does.
func visit(t *testing.T, address string) {
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, address, nil)
	if err == nil {
		var answer *http.Response
		if answer, err = new(http.Client).Do(r); err == nil {
			err = answer.Body.Close()
		}
	}
	if err != nil {
		t.Error(err)
	}
}
