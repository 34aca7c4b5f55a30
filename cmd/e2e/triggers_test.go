//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTriggersSurviveCrashes ends a server with kill -9 while four schedules fire each
// second, over and over. In the end each of their times has made one run, which has
// completed, by itself where a crash had interrupted it. `make kills` says how often.
func TestTriggersSurviveCrashes(t *testing.T) {
	crashes := times(t, "SVC_KILLS", 30)
	data := filepath.Join(t.TempDir(), "data")
	b := launch(t, start{data: data})
	b.do(http.StatusCreated, "POST", "/workflows", clockwork(4))
	b.do(http.StatusOK, "POST", "/workflows/clockwork/activation", "")
	random := chance(t)
	for range crashes {
		<-time.After(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
		b.kill()
		b = launch(t, start{data: data})
	}
	<-time.After(3 * time.Second)
	b.do(http.StatusNoContent, "DELETE", "/workflows/clockwork/activation", "")
	stopped := time.Now()
	var found runsOfTriggers
	require.Eventually(t, func() bool {
		found = b.runsOfTriggers("clockwork")
		return found.going == 0
	}, time.Minute, 200*time.Millisecond)
	require.Empty(t, found.failed, "each run has completed in the end")
	for trigger, fired := range found.times {
		slices.SortFunc(fired, time.Time.Compare)
		for i := range fired[1:] {
			require.Equal(t, time.Second, fired[i+1].Sub(fired[i]), "%s: after %s: none twice, none lost", trigger, fired[i])
		}
		require.WithinDuration(t, stopped, fired[len(fired)-1], 25*time.Second)
	}
	t.Logf("%d crashes: %d runs of %d triggers, %d of them resumed", crashes, found.begun, len(found.times), found.resumed)
	require.Len(t, found.times, 4)
}

// clockwork is a workflow with so many schedules that fire each second, one a little after
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
	times                 map[string][]time.Time // that made a run, by trigger
	failed                []string               // runs with which no other goes on
	going, begun, resumed int
}

func (b *binary) runsOfTriggers(workflowID string) runsOfTriggers {
	b.t.Helper()
	found := runsOfTriggers{times: map[string][]time.Time{}}
	before, last := map[string]string{}, map[string]bool{} // run → the one that it goes on with
	all := b.runsOf(workflowID)
	for _, r := range all {
		before[r.RunID] = r.ResumedFrom
		last[r.ResumedFrom] = true
	}
	for _, r := range all {
		switch {
		case r.Status == "running", r.Status == "waiting":
			found.going++
		case r.Status == "failed" && !last[r.RunID]:
			found.failed = append(found.failed, r.RunID)
		case r.Status == "completed":
			trigger, at := b.beganWith(r.RunID)
			found.times[trigger] = append(found.times[trigger], at)
		}
		if r.ResumedFrom == "" {
			found.begun++
		} else {
			found.resumed++
		}
	}
	return found
}

// beganWith returns the trigger that began a run, and its time.
func (b *binary) beganWith(runID string) (trigger string, at time.Time) {
	b.t.Helper()
	var record struct {
		Result struct {
			Nodes map[string]struct {
				Outputs struct{ Scheduled time.Time }
			}
		}
	}
	require.NoError(b.t, json.Unmarshal(b.do(http.StatusOK, "GET", "/executions/"+runID, "").body, &record))
	for id, n := range record.Result.Nodes {
		if !n.Outputs.Scheduled.IsZero() {
			require.Empty(b.t, trigger, "one trigger fires")
			trigger, at = id, n.Outputs.Scheduled
		}
	}
	require.NotEmpty(b.t, trigger, runID)
	return trigger, at
}
