package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// What an earlier release has kept of a run tells the same frames as what is kept now.
func TestKeptRunsAreReadAsBefore(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)
	r := engine.Result{
		RunID: "r1", WorkflowID: "w", Status: engine.StatusFailed, StartedAt: at, FinishedAt: at.Add(time.Second), Duration: time.Second,
		Nodes: map[string]engine.NodeResult{"a": {Status: engine.StatusSucceeded, Outputs: map[string]any{"value": 1}, StartedAt: at.Add(time.Millisecond), Attempts: 1}},
		Order: []string{"a"}, Error: &engine.Failure{Code: "cancelled", Message: "the run was cancelled"},
	}
	last := engine.Event{Name: engine.EventFailed, Seq: 3, RunID: r.RunID, Time: r.FinishedAt, Result: &r, Error: r.Error}
	before, err := run.ReadKept(last.AppendJSON(nil, engine.NoElision))
	require.NoError(t, err)
	brief, ok := r.AppendBrief(nil, 100)
	require.True(t, ok)
	now, err := run.ReadKept(brief)
	require.NoError(t, err)
	require.Equal(t, before, now)
	require.Len(t, now, 3)
	require.Equal(t, string(last.AppendJSON(nil, engine.NoElision)), string(now[2].Data))
}
