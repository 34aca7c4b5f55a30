package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// scrape returns the metrics of a service.
func scrape(t *testing.T, s service) string {
	t.Helper()
	w := s.do("GET", "/metrics", "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Header().Get("Content-Type"), "text/plain")
	return w.Body.String()
}

func requireFigures(t *testing.T, s service, lines ...string) {
	t.Helper()
	text := scrape(t, s)
	for _, line := range lines {
		require.True(t, strings.Contains(text, line+"\n"), "%s is not in\n%s", line, ours(text))
	}
}

// ours returns the lines whose metrics begin with svc_.
func ours(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "svc_") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestMetrics(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) {
		c.Plugins(plugin{"test.fail", func(context.Context, map[string]any) (map[string]any, error) { return nil, errors.New("no") }})
	})
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	for range 2 {
		require.Equal(t, http.StatusOK, s.do("POST", "/workflows/greet/run", "").Code)
	}
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", alone("test.fail")).Code)
	inBody := `{"id":"b","nodes":[{"id":"each","type":"control.foreach","config":{"list":[1,2,3],"onItemError":"skip"},
		"body":{"nodes":[{"id":"n","type":"test.fail"}],"connections":[]}}],"connections":[]}`
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", inBody).Code)
	require.Equal(t, http.StatusUnprocessableEntity, s.do("POST", "/workflows/greet/run", `{"inputs":{"none":1}}`).Code)
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/nodes", "", "Authorization", "").Code)

	requireFigures(t, s,
		`svc_build_info{version="test"} 1`,
		`svc_runs_started_total{kind="sync"} 5`,
		`svc_runs_running{kind="sync"} 0`,
		`svc_runs_running{kind="async"} 0`,
		`svc_run_duration_seconds_count{kind="sync",status="completed"} 3`,
		`svc_run_duration_seconds_count{kind="sync",status="failed"} 1`,
		`svc_run_duration_seconds_count{kind="sync",status="invalid"} 1`,
		`svc_node_duration_seconds_count{status="failed",type="test.fail"} 4`,
		`svc_node_duration_seconds_count{status="succeeded",type="control.foreach"} 1`,
		`svc_node_calls_abandoned 0`,
		`svc_http_request_duration_seconds_count{method="POST",route="/workflows/{id}/run",status="200"} 2`,
		`svc_http_request_duration_seconds_count{method="GET",route="none",status="401"} 1`,
		`svc_http_problems_total{code="unauthorized"} 1`,
		`svc_http_problems_total{code="validation_failed"} 1`,
		`svc_event_subscribers 0`,
		`svc_journal_errors_total 0`,
	)
	require.Contains(t, scrape(t, s), "go_goroutines ")
	require.Contains(t, scrape(t, s), "process_cpu_seconds_total ")
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/metrics", "", "Authorization", "").Code)
}

func TestMetricsFollowTheConventions(t *testing.T) {
	s := newService(t, nil)
	s.do("POST", "/execute", greet)
	problems, err := promlint.New(strings.NewReader(scrape(t, s))).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// TestMetricsAreBounded sends many different requests and checks that they create no new series.
func TestMetricsAreBounded(t *testing.T) {
	s := newService(t, nil)
	requests := func(from, to int) {
		for i := from; i < to; i++ {
			s.do("GET", fmt.Sprintf("/workflows/w%d", i), "")
			s.do("GET", fmt.Sprintf("/nothing/%d", i), "")
			s.do(fmt.Sprintf("M%d", i), "/workflows", "")
			s.do("POST", "/execute", strings.ReplaceAll(greet, `"greet"`, fmt.Sprintf(`"greet%d"`, i)))
			s.do("POST", "/validate", alone(fmt.Sprintf("type.n%d", i)))
		}
	}
	requests(0, 1)
	scrape(t, s)
	before := strings.Count(ours(scrape(t, s)), "\n")
	requests(1, 50)
	require.Equal(t, before, strings.Count(ours(scrape(t, s)), "\n"))
}

func TestMetricsOfAsynchronousRuns(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	s := newService(t, func(c *httpapi.Config) {
		c.Plugins(plugin{"test.wait", func(context.Context, map[string]any) (map[string]any, error) {
			close(started)
			<-release
			return map[string]any{}, nil
		}})
	})
	runID := requireJSON(t, s.do("POST", "/executions", alone("test.wait")), http.StatusAccepted).(map[string]any)["runId"].(string)
	<-started
	requireFigures(t, s, `svc_runs_running{kind="async"} 1`, `svc_runs_started_total{kind="async"} 1`)
	close(release)
	require.Equal(t, http.StatusOK, s.do("GET", "/executions/"+runID+"/events", "").Code)
	require.NoError(t, s.Close(t.Context()))
	requireFigures(t, s, `svc_runs_running{kind="async"} 0`, `svc_run_duration_seconds_count{kind="async",status="completed"} 1`)
}

// brokenRuns is a store whose journals cannot be written.
type brokenRuns struct{ store.RunStore }

type brokenJournal struct{}

func (brokenRuns) Create(context.Context, run.Start) (store.Journal, error) {
	return brokenJournal{}, nil
}

func (brokenJournal) Append(run.Frame) error { return errors.New("broken") }

func TestMetricsOfJournals(t *testing.T) {
	c := testConfig(t)
	c.Runs = brokenRuns{&memstore.Runs{}}
	inner, err := httpapi.New(c)
	require.NoError(t, err)
	s := service{inner, t}
	require.Equal(t, http.StatusAccepted, s.do("POST", "/executions", greet).Code)
	require.ErrorContains(t, s.Close(t.Context()), "broken")
	require.NotContains(t, scrape(t, s), "svc_journal_errors_total 0\n")
}
