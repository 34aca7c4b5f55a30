//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hooked is a workflow with a hook, which takes a moment.
const hooked = `{"id":"hooked","nodes":[
	{"id":"hook","type":"trigger.webhook","config":{"path":"in/abcdefghijklmnopqrstuvwx","auth":"none"}},
	{"id":"wait","type":"control.delay","config":{"ms":%d}},{"id":"out","type":"io.output","config":{"name":"n"}}],
	"connections":[{"fromNodeId":"hook","fromPort":"body","toNodeId":"wait","toPort":"value"},
		{"fromNodeId":"wait","fromPort":"value","toNodeId":"out","toPort":"value"}]}`

const hookPath = "/hooks/in/abcdefghijklmnopqrstuvwx"

// calls are those of the hook, by several callers.
type calls struct {
	mu           sync.Mutex
	sent         int
	acknowledged map[string]int // run → what the hook was called with
}

// keepCalling calls the hook most times, or until the server has ended.
func (c *calls) keepCalling(b *binary, most int) {
	for range most {
		c.mu.Lock()
		c.sent++
		n := c.sent
		c.mu.Unlock()
		r, err := b.try("POST", hookPath, fmt.Sprint(n))
		if err != nil {
			return
		}
		if r.status != http.StatusAccepted {
			b.t.Errorf("%d: %s", r.status, r.body)
			return
		}
		runID := field(b.t, r, "runId")
		c.mu.Lock()
		c.acknowledged[runID] = n
		c.mu.Unlock()
	}
}

// require requires that each call that was acknowledged has made one run, which has completed,
// by itself where a crash had interrupted it.
func (c *calls) require(b *binary, patience time.Duration) {
	b.t.Helper()
	next, status, begun := map[string]string{}, map[string]string{}, 0
	for _, r := range b.awaitEnds("hooked", patience) {
		if status[r.RunID] = r.Status; r.ResumedFrom == "" {
			begun++
		} else {
			require.Empty(b.t, next[r.ResumedFrom], "it goes on once")
			next[r.ResumedFrom] = r.RunID
		}
	}
	resumed := 0
	for runID, n := range c.acknowledged {
		require.Contains(b.t, status, runID, "an acknowledged call is lost")
		last, times := runID, 0
		for ; next[last] != ""; times++ {
			last = next[last]
		}
		resumed += times
		if status[last] != "completed" && times < 5 {
			b.t.Errorf("call %d: %s, resumed %d times, is %s\n%s", n, last, times, status[last], b.do(http.StatusOK, "GET", "/executions/"+last, "").body)
		}
	}
	b.t.Logf("%d calls, %d acknowledged, %d runs, %d of them resumed", c.sent, len(c.acknowledged), begun, resumed)
	require.LessOrEqual(b.t, begun, c.sent, "none twice")
	require.NotEmpty(b.t, c.acknowledged)
}

// awaitEnds waits until all runs of a workflow have ended, and returns them.
func (b *binary) awaitEnds(workflowID string, patience time.Duration) (all []hookRun) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		all = b.runsOf(workflowID)
		return !slices.ContainsFunc(all, func(r hookRun) bool { return r.Status == "waiting" || r.Status == "running" })
	}, patience, 300*time.Millisecond, "runs of %s go on and on", workflowID)
	return all
}

// hookRun is a run in the list of runs.
type hookRun struct{ RunID, ResumedFrom, Status string }

// runsOf lists the runs of a workflow.
func (b *binary) runsOf(workflowID string) []hookRun {
	b.t.Helper()
	var all []hookRun
	for cursor := ""; ; {
		var page struct {
			Items      []hookRun
			NextCursor string
		}
		r := b.do(http.StatusOK, "GET", "/executions?limit=500&workflowId="+workflowID+"&cursor="+cursor, "")
		require.NoError(b.t, json.Unmarshal(r.body, &page))
		all = append(all, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

// TestManyHooks calls a hook 10,000 times within ten seconds, or as fast as the machine can:
// none is lost, and all have run in the end.
func TestManyHooks(t *testing.T) {
	const calls, callers = 10_000, 64
	b := launch(t, start{args: []string{"--keep-runs", "1000000"}})
	b.do(http.StatusCreated, "POST", "/workflows", fmt.Sprintf(hooked, 1))
	b.do(http.StatusOK, "POST", "/workflows/hooked/activation", "")
	began := time.Now()
	ids := make([][]string, callers)
	var took [callers][]time.Duration
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			for n := i; n < calls; n += callers {
				at := time.Now()
				r, err := b.try("POST", hookPath, fmt.Sprint(n))
				if err != nil || r.status != http.StatusAccepted {
					t.Errorf("%v: %d %s", err, r.status, r.body)
					return
				}
				took[i] = append(took[i], time.Since(at))
				ids[i] = append(ids[i], field(t, r, "runId"))
			}
		})
	}
	group.Wait()
	all := slices.Concat(took[:]...)
	slices.Sort(all)
	t.Logf("%d calls in %v, p50 %v, p99 %v", calls, time.Since(began).Round(time.Millisecond), all[calls/2], all[calls*99/100])
	runs := b.awaitEnds("hooked", 3*time.Minute)
	status := map[string]string{}
	for _, r := range runs {
		status[r.RunID] = r.Status
	}
	require.Len(t, status, calls)
	for _, id := range slices.Concat(ids...) {
		require.Equal(t, "completed", status[id])
	}
	t.Logf("all have run after %v", time.Since(began).Round(time.Millisecond))
}
