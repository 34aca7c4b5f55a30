//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
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

// TestHooksSurviveCrashes ends a server with kill -9 while hooks are called, over and over. In
// the end each call that was acknowledged has made one run, which has completed, by itself
// where a crash had interrupted it. `make kills` says how often.
func TestHooksSurviveCrashes(t *testing.T) {
	crashes := times(t, "SVC_KILLS", 30)
	s := start{data: filepath.Join(t.TempDir(), "data"), args: []string{"--keep-runs", "1000000"}}
	b := launch(t, s)
	b.do(http.StatusCreated, "POST", "/workflows", fmt.Sprintf(hooked, 20))
	b.do(http.StatusOK, "POST", "/workflows/hooked/activation", "")
	acknowledged := map[string]int{} // run → what it was called with
	var mu sync.Mutex
	sent, random := 0, chance(t)
	for range crashes {
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for range 30 {
					mu.Lock()
					sent++
					n := sent
					mu.Unlock()
					r, err := b.try("POST", hookPath, fmt.Sprint(n))
					if err != nil {
						return
					}
					if r.status != http.StatusAccepted {
						t.Errorf("%d: %s", r.status, r.body)
						return
					}
					runID := field(t, r, "runId")
					mu.Lock()
					acknowledged[runID] = n
					mu.Unlock()
				}
			})
		}
		<-time.After(time.Duration(random.Int64N(int64(200 * time.Millisecond))))
		b.kill()
		callers.Wait()
		b = launch(t, s)
	}
	var all []hookRun
	require.Eventually(t, func() bool {
		all = b.runsOf("hooked")
		return !slices.ContainsFunc(all, func(r hookRun) bool { return r.Status == "waiting" || r.Status == "running" })
	}, time.Duration(crashes)*5*time.Second+time.Minute, 300*time.Millisecond)
	next, begun := map[string]string{}, 0
	status := map[string]string{}
	for _, r := range all {
		if status[r.RunID] = r.Status; r.ResumedFrom == "" {
			begun++
		} else {
			require.Empty(t, next[r.ResumedFrom], "it goes on once")
			next[r.ResumedFrom] = r.RunID
		}
	}
	resumed := 0
	for runID, n := range acknowledged {
		require.Contains(t, status, runID, "an acknowledged call is lost")
		last, times := runID, 0
		for ; next[last] != ""; times++ {
			last = next[last]
		}
		resumed += times
		if status[last] != "completed" && times < 5 {
			t.Errorf("call %d: %s, resumed %d times, is %s\n%s", n, last, times, status[last], b.do(http.StatusOK, "GET", "/executions/"+last, "").body)
		}
	}
	t.Logf("%d crashes: %d calls, %d acknowledged, %d runs, %d of them resumed", crashes, sent, len(acknowledged), begun, resumed)
	require.LessOrEqual(t, begun, sent, "none twice")
}

// hookRun is what lists tell of a run.
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
	var runs []hookRun
	require.Eventually(t, func() bool {
		runs = b.runsOf("hooked")
		return !slices.ContainsFunc(runs, func(r hookRun) bool { return r.Status == "waiting" || r.Status == "running" })
	}, 3*time.Minute, time.Second)
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
