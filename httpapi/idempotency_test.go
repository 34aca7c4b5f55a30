package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// paid adds a node that counts its calls.
func paid(c *httpapi.Config, calls *atomic.Int64, wait func(context.Context)) {
	c.ExtraPlugins = append(c.ExtraPlugins, plugin{"test.pay", func(ctx context.Context, _ map[string]any) (map[string]any, error) {
		calls.Add(1)
		wait(ctx)
		return map[string]any{"done": "yes"}, ctx.Err()
	}})
}

// TestWaitedRunsUnderAKey sends the same request six times. The node is called once, and every
// answer is the same.
func TestWaitedRunsUnderAKey(t *testing.T) {
	for _, target := range []string{"/execute", "/workflows/pay/run"} {
		t.Run(target, func(t *testing.T) {
			var calls atomic.Int64
			release := make(chan struct{})
			dir := t.TempDir()
			restart := func() service {
				return newService(t, func(c *httpapi.Config) {
					c.DataDir = dir
					paid(c, &calls, func(context.Context) { <-release })
				})
			}
			s := restart()
			const pay = `{"id":"pay","nodes":[{"id":"pay","type":"test.pay"}],"connections":[]}`
			require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", pay).Code)
			body, other := pay, `{"id":"pay","nodes":[],"connections":[]}`
			if target != "/execute" {
				body, other = `{}`, `{"overrides":{"pay":{}}}`
			}
			answers := make([]*httptest.ResponseRecorder, 6)
			var sent sync.WaitGroup
			for i := range answers {
				sent.Go(func() { answers[i] = s.do("POST", target, body, "Idempotency-Key", "order-1") })
			}
			require.Eventually(t, func() bool { return calls.Load() == 1 }, time.Minute, time.Millisecond)
			requireProblem(t, s.do("POST", target, other, "Idempotency-Key", "order-1"), http.StatusUnprocessableEntity, "idempotency_key_reused")
			close(release)
			sent.Wait()
			for _, w := range answers {
				require.Equal(t, "completed", requireJSON(t, w, http.StatusOK).(map[string]any)["status"])
				require.Equal(t, answers[0].Body.String(), w.Body.String())
			}
			require.NoError(t, s.Close(t.Context()))

			s = restart()
			again := s.do("POST", target, body, "Idempotency-Key", "order-1")
			require.Equal(t, answers[0].Body.String(), again.Body.String(), "after a restart, too")
			require.Equal(t, int64(1), calls.Load())
			runID := requireJSON(t, again, http.StatusOK).(map[string]any)["runId"].(string)
			require.Equal(t, http.StatusNoContent, s.do("DELETE", "/executions/"+runID, "").Code)
			requireProblem(t, s.do("POST", target, body, "Idempotency-Key", "order-1"), http.StatusConflict, "result_gone")
			require.Equal(t, int64(1), calls.Load())
			require.Equal(t, http.StatusOK, s.do("POST", target, body, "Idempotency-Key", "order-2").Code)
			require.Equal(t, int64(2), calls.Load())
		})
	}
}

// TestWaitedRunsThatAreCutOff checks that a run with a key continues when its caller disconnects,
// and that an interrupted run is reported.
func TestWaitedRunsThatAreCutOff(t *testing.T) {
	var calls atomic.Int64
	dir := t.TempDir()
	const pay = `{"id":"pay","nodes":[{"id":"pay","type":"test.pay"}],"connections":[]}`
	start := func(wait func(context.Context)) service {
		return newService(t, func(c *httpapi.Config) {
			c.DataDir = dir
			paid(c, &calls, wait)
		})
	}
	release := make(chan struct{})
	s := start(func(ctx context.Context) {
		select {
		case <-release:
		case <-ctx.Done():
		}
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.ServeHTTP(httptest.NewRecorder(), newRequest("POST", "/execute", pay, "Idempotency-Key", "k").WithContext(ctx))
	}()
	require.Eventually(t, func() bool { return calls.Load() == 1 }, time.Minute, time.Millisecond)
	leave()
	<-left
	require.NoError(t, s.Close(ended()))

	s = start(func(context.Context) {})
	p := s.do("POST", "/execute", pay, "Idempotency-Key", "k")
	require.Contains(t, p.Body.String(), `"runId":"`)
	require.Equal(t, http.StatusConflict, p.Code)
	require.Contains(t, p.Body.String(), `"code":"interrupted"`)
	require.Equal(t, int64(1), calls.Load())
}

// TestIdempotencyKeysBelongToAPIKeys sends the same requests with the same idempotency key and
// different API keys. Each API key gets its own run, also after a restart, and never another's.
func TestIdempotencyKeysBelongToAPIKeys(t *testing.T) {
	const pay = `{"id":"pay","nodes":[{"id":"pay","type":"test.pay"}],"connections":[]}`
	for name, target := range map[string][2]string{
		"execute":        {"/execute", pay},
		"start":          {"/executions", pay},
		"start a body":   {"/executions", `{"inputs":{},"workflow":` + pay + `}`},
		"execute a body": {"/execute", `{"inputs":{},"workflow":` + pay + `}`},
		"stored":         {"/workflows/pay/run", `{}`},
		"stored, async":  {"/workflows/pay/run", `{"async":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			dir := t.TempDir()
			start := func() service {
				return newService(t, func(c *httpapi.Config) {
					c.DataDir = dir
					paid(c, &calls, func(context.Context) {})
				})
			}
			s := start()
			require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", pay).Code)
			shop := s.makeKey(`{"name":"shop","scopes":["run","execute"]}`)
			shop2 := s.makeKey(`{"name":"shop2","scopes":["run","execute"]}`)
			send := func(key, idempotency string) string {
				w := s.do("POST", target[0], target[1], "Authorization", "Bearer "+key, "Idempotency-Key", idempotency)
				require.Less(t, w.Code, 300, w.Body)
				var answer struct{ RunID string }
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
				return answer.RunID
			}
			first := map[string]string{}
			for _, key := range []string{shop, shop2, testKey} {
				first[key] = send(key, "order-7")
				require.Equal(t, first[key], send(key, "order-7"))
			}
			require.Len(t, map[string]bool{first[shop]: true, first[shop2]: true, first[testKey]: true}, 3)
			require.NoError(t, s.Close(t.Context()))
			s = start()
			for key, id := range first {
				require.Equal(t, id, send(key, "order-7"), "after a restart, too")
			}
			require.EqualValues(t, 3, calls.Load())
			send(shop, strings.Repeat("k", 255))
			p := requireProblem(t, s.do("POST", target[0], target[1], "Authorization", "Bearer "+shop, "Idempotency-Key", strings.Repeat("k", 256)),
				http.StatusBadRequest, "invalid_parameter")
			require.Contains(t, p.Detail, "255")
		})
	}
}
