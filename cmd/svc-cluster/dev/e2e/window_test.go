package e2e

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// simulator is svc-sim, behind a proxy that counts its requests.
type simulator struct {
	settings []string

	mu     sync.Mutex
	counts []time.Time
	others int // answers other than 200
}

// startSimulator starts svc-sim with a rate limit, and the settings that direct processes to it.
func startSimulator(t *testing.T, limit string) *simulator {
	t.Helper()
	s := &simulator{settings: []string{"MICROBLOG_RATE_LIMIT=" + limit}}
	said := simulate(t, limit, "MICROBLOG_MAIN", "MICROBLOG_API_URL")
	s.settings = append(s.settings, "MICROBLOG_MAIN="+said["MICROBLOG_MAIN"], "MICROBLOG_API_URL="+s.before(t, said["MICROBLOG_API_URL"]))
	return s
}

// simulate starts svc-sim with a rate limit until the test ends, and returns some of the variables
// that it prints.
func simulate(t *testing.T, limit string, variables ...string) map[string]string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "svc-sim")
	out, err := exec.Command("go", "build", "-C", "../../../..", "-o", program, "./cmd/svc-sim").CombinedOutput()
	require.NoError(t, err, string(out))
	p := exec.Command(program, "--addr", "127.0.0.1:0", "--limit", limit)
	said, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	settings := map[string]string{}
	for lines := bufio.NewScanner(said); len(settings) < len(variables) && lines.Scan(); {
		name, text, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "=")
		if slices.Contains(variables, name) {
			settings[name] = strings.Trim(text, "'")
		}
	}
	require.Len(t, settings, len(variables))
	return settings
}

// before starts a proxy in front of a server that counts requests, and returns its address.
func (s *simulator) before(t *testing.T, server string) string {
	t.Helper()
	there, err := url.Parse(server)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.counts = append(s.counts, time.Now())
			r.Out.URL.Scheme, r.Out.URL.Host = there.Scheme, there.Host
		},
		ModifyResponse: func(r *http.Response) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if r.StatusCode != http.StatusOK {
				s.others++
			}
			return nil
		},
	}
	here := httptest.NewServer(proxy)
	t.Cleanup(here.Close)
	return here.URL + there.Path
}

// TestWindowOfMembers has four workers send requests for one account of a network. Together they
// never exceed its rate limit in any window, and use nearly all of it.
func TestWindowOfMembers(t *testing.T) {
	t.Parallel()
	const (
		limit, per, spans = 450, 40 * time.Second, 3
		workers, perRun   = 4, 200
	)
	s := startSimulator(t, "450/40s")
	m := newMembers(t)
	m.env = s.settings
	instance := m.instance()
	for range workers {
		m.drives("--runs", "2")
	}
	def, err := workflow.Decode([]byte(`{"id":"asks","name":"Asks","nodes":[
		{"id":"each","type":"control.foreach","config":{"list":[`+strings.Repeat("0,", perRun-1)+`0],"concurrency":20},"body":{
			"nodes":[{"id":"search","type":"microblog.search_tweets","config":{"credential":"microblog:main","query":"go"},"timeoutMs":600000}],"connections":[]}}],
		"connections":[]}`), workflow.Limits{})
	require.NoError(t, err)
	var ids []string
	for len(ids)*perRun < limit*spans+perRun {
		id, err := m.at(instance).Start(t.Context(), def, run.Request{})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	for id, status := range m.ended(ids, 6*time.Minute) {
		require.Equal(t, engine.StatusCompleted, status, id)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	most, used := servicetest.MostIn(s.counts, per), 0
	for _, at := range s.counts { // while more requests were waiting
		if at.Before(s.counts[0].Add(spans * per)) {
			used++
		}
	}
	t.Logf("%d requests of %d runs; at most %d in %s; %d in the first %d windows, which is %d %%", len(s.counts), len(ids), most, per, used, spans, used*100/limit/spans)
	require.Zero(t, s.others, "the network has to refuse nothing")
	require.LessOrEqual(t, most, limit)
	require.GreaterOrEqual(t, used*100, 95*limit*spans)
}
