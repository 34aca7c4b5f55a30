//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

// TestTriggersSurviveCrashes ends a server with kill -9, over and over, while four schedules
// fire each second, hooks are called, and files and mails come, the last two also while no
// server is there. In the end each time, each call that was acknowledged, each file and each
// mail has made one run, which has completed, by itself where a crash had interrupted it.
// `make kills` says how often. It runs as root.
func TestTriggersSurviveCrashes(t *testing.T) {
	crashes := trials.Count(t, trials.Kills, 10)
	post := newMailbox(t)
	s := start{
		data: filepath.Join(t.TempDir(), "data"), args: []string{"--keep-runs", "1000000"},
		env: []string{"EMAIL_MAIN=geheim", "EMAIL_MAIN_USER=ann", "EMAIL_MAIN_IMAP_URL=imap://" + post.address + "?tls=none"},
	}
	require.NoError(t, os.MkdirAll(filepath.Join(s.data, "files", "in"), 0o755))
	b := launch(t, s)
	for id, def := range map[string]string{"clockwork": clockwork(4), "hooked": fmt.Sprintf(hooked, 20), "arrivals": arrivals} {
		b.do(http.StatusCreated, "POST", "/workflows", def)
		b.do(http.StatusOK, "POST", "/workflows/"+id+"/activation", "")
	}
	random := trials.Random(t)
	calls := &calls{acknowledged: map[string]int{}}
	came := b.awaitArrivals(post)
	for crash := range crashes {
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(func() { calls.keepCalling(b, 20) })
		}
		life := time.Duration(random.Int64N(int64(400 * time.Millisecond)))
		for end := time.Now().Add(life); time.Now().Before(end); <-time.After(time.Duration(random.Int64N(int64(150 * time.Millisecond)))) {
			came = append(came, b.arrive(post, fmt.Sprint(crash, "-", len(came)))...)
		}
		b.kill()
		callers.Wait()
		came = append(came, b.arrive(post, fmt.Sprint("nobody-", crash))...)
		b = launch(t, s)
	}
	patience := time.Duration(crashes)*5*time.Second + 2*time.Minute
	b.requireArrivals(came, patience)
	calls.require(b, patience)
	b.requireTimes(patience)
	t.Logf("%d crashes: %d files and mails, each of which made one run", crashes, len(came))
}

// requireTimes requires that each time of the clockwork has made one run, which has completed.
func (b *binary) requireTimes(patience time.Duration) {
	b.t.Helper()
	b.do(http.StatusNoContent, "DELETE", "/workflows/clockwork/activation", "")
	b.awaitEnds("clockwork", patience)
	found := b.runsOfTriggers("clockwork")
	require.Empty(b.t, found.failed, "each run has completed in the end")
	for trigger, fired := range found.times {
		slices.SortFunc(fired, func(a, b firing) int { return a.at.Compare(b.at) })
		for i, f := range fired[1:] { // times beyond the catch-up limit are reported as missed
			require.Equal(b.t, time.Duration(1+f.missed)*time.Second, f.at.Sub(fired[i].at), "%s: after %s: none twice, none lost", trigger, fired[i].at)
		}
	}
	b.t.Logf("%d runs of %d schedules, %d of them resumed", found.begun, len(found.times), found.resumed)
	require.Len(b.t, found.times, 4)
}

// clockwork is a workflow with n schedules that fire each second, one a little after
// the other, and that takes a while.
func clockwork(schedules int) string {
	nodes := []string{`{"id":"when","type":"control.merge"}`, `{"id":"wait","type":"control.delay","config":{"ms":40}}`}
	wires := []string{`{"fromNodeId":"when","fromPort":"result","toNodeId":"wait","toPort":"value"}`}
	for i := range schedules {
		nodes = append(nodes, fmt.Sprintf(`{"id":"s%d","type":"trigger.schedule","config":{"every":"1s","from":"2026-01-01T00:00:00.%03dZ",
			"missed":"all","overlap":"allow"}}`, i, i*1000/schedules))
		wires = append(wires, fmt.Sprintf(`{"fromNodeId":"s%d","fromPort":"scheduled","toNodeId":"when","toPort":%q}`, i, string(rune('a'+i))))
	}
	return fmt.Sprintf(`{"id":"clockwork","nodes":[%s],"connections":[%s]}`, strings.Join(nodes, ","), strings.Join(wires, ","))
}

// runsOfTriggers is what the runs of a workflow tell about the triggers that began them.
type runsOfTriggers struct {
	times          map[string][]firing // that made a run, by trigger
	failed         []string            // runs that no other run continues
	begun, resumed int
}

// firing is a time of a schedule that made a run, and how many before it made none.
type firing struct {
	at     time.Time
	missed int
}

func (b *binary) runsOfTriggers(workflowID string) runsOfTriggers {
	b.t.Helper()
	found := runsOfTriggers{times: map[string][]firing{}}
	before, last := map[string]string{}, map[string]bool{} // run → the run that it continues
	all := b.runsOf(workflowID)
	for _, r := range all {
		before[r.RunID] = r.ResumedFrom
		last[r.ResumedFrom] = true
	}
	for _, r := range all {
		switch {
		case r.Status == "failed" && !last[r.RunID]:
			found.failed = append(found.failed, r.RunID)
		case r.Status == "completed":
			trigger, f := b.beganWith(r.RunID)
			found.times[trigger] = append(found.times[trigger], f)
		}
		if r.ResumedFrom == "" {
			found.begun++
		} else {
			found.resumed++
		}
	}
	return found
}

// beganWith returns the trigger that began a run, and with what.
func (b *binary) beganWith(runID string) (trigger string, f firing) {
	b.t.Helper()
	var record struct {
		Result struct {
			Nodes map[string]struct {
				Outputs struct {
					Scheduled time.Time
					Missed    int
				}
			}
		}
	}
	require.NoError(b.t, json.Unmarshal(b.do(http.StatusOK, "GET", "/executions/"+runID, "").body, &record))
	for id, n := range record.Result.Nodes {
		if !n.Outputs.Scheduled.IsZero() {
			require.Empty(b.t, trigger, "one trigger fires")
			trigger, f = id, firing{n.Outputs.Scheduled, n.Outputs.Missed}
		}
	}
	require.NotEmpty(b.t, trigger, runID)
	return trigger, f
}
