package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/httpapi"
)

// gate adds a plugin whose node waits until open is called.
func gate(c *httpapi.Config) (open func()) {
	ctx, open := context.WithCancel(context.Background())
	c.ExtraPlugins = append(c.ExtraPlugins, plugin{"test.wait", func(run context.Context, _ map[string]any) (map[string]any, error) {
		select {
		case <-ctx.Done():
			return map[string]any{"done": "yes"}, nil
		case <-run.Done():
			return nil, run.Err()
		}
	}})
	return open
}

// start starts a run and returns its id.
func (s service) start(body string, headers ...string) string {
	s.t.Helper()
	w := s.do("POST", "/executions", body, headers...)
	return requireJSON(s.t, w, http.StatusAccepted).(map[string]any)["runId"].(string)
}

// events returns the events of a run, once it has ended.
func (s service) events(runID string) []frame {
	s.t.Helper()
	w := s.do("GET", "/executions/"+runID+"/events", "")
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	require.True(s.t, w.Flushed)
	return framesIn(s.t, w.Body.String())
}

// frame is a server-sent event.
type frame struct {
	id, event string
	data      map[string]any
}

// framesIn parses a stream.
func framesIn(t testing.TB, text string) []frame {
	t.Helper()
	var frames []frame
	for block := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		if strings.HasPrefix(block, ":") {
			continue
		}
		lines := strings.Split(block, "\n")
		require.Len(t, lines, 3, block)
		f := frame{id: strings.TrimPrefix(lines[0], "id: "), event: strings.TrimPrefix(lines[1], "event: ")}
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(lines[2], "data: ")), &f.data))
		frames = append(frames, f)
	}
	return frames
}

// result returns the result in the last frame.
func result(t testing.TB, frames []frame) map[string]any {
	t.Helper()
	require.NotEmpty(t, frames)
	r, ok := frames[len(frames)-1].data["result"].(map[string]any)
	require.True(t, ok, frames)
	return r
}

func TestRunLimit(t *testing.T) {
	var open func()
	s := newService(t, func(c *httpapi.Config) { open = gate(c) })
	var ids []string
	for range runs.MaxAsync {
		ids = append(ids, s.start(alone("test.wait")))
	}
	for _, w := range []*httptest.ResponseRecorder{
		s.do("POST", "/executions", greet),
		s.do("POST", "/executions/"+ids[0]+"/resume", ""),
	} {
		if w.Code != http.StatusConflict { // not for resuming an unfinished run
			require.Equal(t, "1", w.Header().Get("Retry-After"))
			requireProblem(t, w, http.StatusServiceUnavailable, "run_limit")
		}
	}
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet).Code)
	open()
	for _, runID := range ids {
		require.Equal(t, "completed", result(t, s.events(runID))["status"])
	}
	require.Len(t, s.events(s.start(greet)), 5)
}

func TestCancelRun(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { gate(c) })
	runID := s.start(alone("test.wait"))
	for range 2 {
		w := s.do("POST", "/executions/"+runID+"/cancel", "")
		if w.Code != http.StatusConflict { // the second request may come too late
			require.Equal(t, http.StatusAccepted, w.Code)
			require.Empty(t, w.Body)
		}
	}
	frames := s.events(runID)
	require.Equal(t, "failed", frames[len(frames)-1].event)
	require.Equal(t, "cancelled", result(t, frames)["status"])
	requireProblem(t, s.do("POST", "/executions/"+runID+"/cancel", ""), http.StatusConflict, "run_ended")
}

func TestDeleteRun(t *testing.T) {
	dir := t.TempDir()
	var open func()
	s := newService(t, func(c *httpapi.Config) { c.DataDir, open = dir, gate(c) })
	runID := s.start(alone("test.wait"), "Idempotency-Key", "k")
	requireProblem(t, s.do("DELETE", "/executions/"+runID, ""), http.StatusConflict, "run_running")
	open()
	s.events(runID)
	w := s.do("DELETE", "/executions/"+runID, "")
	require.Equal(t, http.StatusNoContent, w.Code, w.Body)
	for _, path := range []string{"", "/events", "/workflow"} {
		requireProblem(t, s.do("GET", "/executions/"+runID+path, ""), http.StatusNotFound, "not_found")
	}
	requireProblem(t, s.do("DELETE", "/executions/"+runID, ""), http.StatusNotFound, "not_found")
	require.Equal(t, runID, s.start(alone("test.wait"), "Idempotency-Key", "k"), "nothing is run twice because its record is gone")
}

func TestRetention(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.Keep.Runs = 2 })
	for range 4 {
		s.events(s.start(greet))
	}
	list := requireJSON(t, s.do("GET", "/executions", ""), http.StatusOK).(map[string]any)
	require.Len(t, list["items"], 2)
}

func TestAsyncRunOfAStoredWorkflow(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	run := func(body string) string {
		w := s.do("POST", "/workflows/greet/run", body, "Idempotency-Key", "")
		return requireJSON(t, w, http.StatusAccepted).(map[string]any)["runId"].(string)
	}
	frames := s.events(run(`{"inputs":{"who":"Ada"},"async":true}`))
	require.Equal(t, map[string]any{"greeting": "Hello, Ada!"}, result(t, frames)["outputs"])

	runID := run(`{"async":true,"overrides":{"fmt":{"template":"{name}?"}}}`)
	require.Equal(t, map[string]any{"greeting": "World?"}, result(t, s.events(runID))["outputs"])
	require.Contains(t, s.do("GET", "/executions/"+runID+"/workflow", "").Body.String(), "{name}?", "the workflow as it ran")

	requireProblem(t, s.do("POST", "/workflows/none/run", `{"async":true}`), http.StatusNotFound, "not_found")
	requireProblem(t, s.do("POST", "/workflows/greet/run", `{"async":true,"inputs":{"no":1}}`), http.StatusUnprocessableEntity, "validation_failed")
}

// TestIdempotencyKey repeats requests with the same key, also after a restart.
func TestIdempotencyKey(t *testing.T) {
	dir := t.TempDir()
	restart := func() service { return newService(t, func(c *httpapi.Config) { c.DataDir = dir }) }
	s := restart()
	first := s.start(greet, "Idempotency-Key", "once")
	require.Equal(t, first, s.start(greet, "Idempotency-Key", "once"))
	require.NotEqual(t, first, s.start(greet, "Idempotency-Key", "twice"))
	require.NotEqual(t, first, s.start(greet))
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	requireProblem(t, s.do("POST", "/workflows/greet/run", `{"async":true}`, "Idempotency-Key", "once"), http.StatusUnprocessableEntity, "idempotency_key_reused")

	requireProblem(t, s.do("POST", "/executions", alone("no.such"), "Idempotency-Key", "failed"), http.StatusUnprocessableEntity, "validation_failed")
	s.start(greet, "Idempotency-Key", "failed") // the refused request was not remembered
	requireProblem(t, s.do("POST", "/executions", greet, "Idempotency-Key", strings.Repeat("k", 256)), http.StatusBadRequest, "invalid_parameter")
	require.NoError(t, s.Close(t.Context()))

	s = restart()
	require.Equal(t, first, s.start(greet, "Idempotency-Key", "once"))
	requireProblem(t, s.do("POST", "/executions", alone("test.wait"), "Idempotency-Key", "once"), http.StatusUnprocessableEntity, "idempotency_key_reused")
	w := httptest.NewRecorder()
	r := newRequest("POST", "/executions", greet)
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	s.ServeHTTP(w, r)
	requireProblem(t, w, http.StatusBadRequest, "invalid_parameter")
}

// TestCloseAndResume closes a service during a run, and resumes the run in the next service.
func TestCloseAndResume(t *testing.T) {
	dir := t.TempDir()
	var open func()
	restart := func() service {
		return newService(t, func(c *httpapi.Config) { c.DataDir, open = dir, gate(c) })
	}
	s := restart()
	require.Equal(t, http.StatusOK, s.do("GET", "/readyz", "").Code)
	runID := s.start(alone("test.wait"))
	require.NoError(t, s.Close(ended()))
	requireProblem(t, s.do("GET", "/readyz", ""), http.StatusServiceUnavailable, "stopping")
	require.Equal(t, http.StatusOK, s.do("GET", "/healthz", "").Code)
	for _, target := range []string{"/executions", "/execute"} {
		w := s.do("POST", target, greet)
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		requireProblem(t, w, http.StatusServiceUnavailable, "stopping")
	}
	frames := s.events(runID)
	require.Equal(t, "interrupted", frames[len(frames)-1].data["error"].(map[string]any)["code"], "its followers hear of it")

	s = restart()
	require.Equal(t, frames, s.events(runID))
	open()
	w := s.do("POST", "/executions/"+runID+"/resume", "")
	next := requireJSON(t, w, http.StatusAccepted).(map[string]any)["runId"].(string)
	require.Equal(t, "/executions/"+next, w.Header().Get("Location"))
	require.Equal(t, "completed", result(t, s.events(next))["status"])
	record := requireJSON(t, s.do("GET", "/executions/"+next, ""), http.StatusOK).(map[string]any)
	require.Equal(t, runID, record["resumedFrom"])
	requireProblem(t, s.do("POST", "/executions/"+next+"/resume", ""), http.StatusConflict, "not_resumable")
}

// TestElisionOfRuns checks a long node output in a stream and in a record.
func TestElisionOfRuns(t *testing.T) {
	s := newService(t, nil)
	for length, whole := range map[int]bool{64<<10 - 2: true, 64<<10 - 1: false} { // with its quotes
		long := strings.Repeat("x", length)
		var want any = long
		if !whole {
			want = map[string]any{"$elided": map[string]any{"bytes": float64(length + 2)}}
		}
		runID := s.start(strings.Replace(greet, `"World"`, `"`+long+`"`, 1))
		frames := s.events(runID)
		require.Equal(t, want, frames[1].data["outputs"].(map[string]any)["value"])
		require.Equal(t, "Hello, "+long+"!", result(t, frames)["outputs"].(map[string]any)["greeting"], "the run's own outputs are whole")

		shown := func(query string) any {
			var record struct {
				Result struct {
					Nodes map[string]struct{ Outputs map[string]any }
				}
			}
			require.NoError(t, json.Unmarshal(s.do("GET", "/executions/"+runID+query, "").Body.Bytes(), &record))
			return record.Result.Nodes["who"].Outputs["value"]
		}
		require.Equal(t, want, shown(""))
		require.Equal(t, long, shown("?full=true"))
	}
}

func TestPublicURL(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.PublicURL = "https://svc.example/flow/" })
	require.True(t, strings.HasPrefix(s.do("POST", "/executions", greet).Header().Get("Location"), "https://svc.example/flow/executions/"))
	require.Equal(t, "https://svc.example/flow/workflows/greet", s.do("POST", "/workflows", greet).Header().Get("Location"))
	for _, url := range []string{"svc.example", "/flow", "ftp://svc.example", "https://", "https://me:secret@svc.example", "https://svc.example?x=1", "https://svc.example/#x", "http://%zz"} {
		c := testConfig(t)
		c.PublicURL = url
		_, err := httpapi.New(c)
		require.ErrorContains(t, err, "public URL", url)
		require.NotContains(t, err.Error(), "secret")
	}
}

// TestRunsInUse opens runs that another service has open.
func TestRunsInUse(t *testing.T) {
	c := testConfig(t)
	first, err := httpapi.New(c)
	require.NoError(t, err)
	_, err = httpapi.New(c)
	require.ErrorContains(t, err, "in use")
	c.RoutePrefix = "/flow"
	second, err := httpapi.New(c)
	require.NoError(t, err, "another prefix, another place")
	require.NoError(t, second.Close(t.Context()))
	require.NoError(t, first.Close(t.Context()))
}
