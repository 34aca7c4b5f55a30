package engine

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.UTC)
	failure := &Failure{Code: "timeout", Message: "too slow", NodeID: "a"}
	result := &Result{
		RunID: "r", WorkflowID: "w", Status: StatusFailed, StartedAt: at, FinishedAt: at.Add(time.Second), Duration: time.Second,
		Outputs: map[string]any{"n": 1 << 60, "f": 0.5},
		Nodes: map[string]NodeResult{
			"a": {Status: StatusFailed, Error: failure, Handled: true, StartedAt: at, Duration: 1500 * time.Microsecond, Attempts: 2},
			"b": {Status: StatusSkipped, SkippedBecause: &Skip{NodeID: "a", Reason: "failed"}},
			"c": {Status: StatusSucceeded, Outputs: map[string]any{"v": []any{nil, true, "x"}}, StartedAt: at, Attempts: 1},
		},
		Order: []string{"a", "b"}, Error: failure,
	}
	events := []Event{
		{Name: EventStarted, Seq: 1, RunID: "r", Time: at, WorkflowID: "w"},
		{Name: EventStarted, Seq: 2, RunID: "r", Time: at, NodeID: "a"},
		{Name: EventProgress, Seq: 3, RunID: "r", Time: at, NodeID: "a", Step: 1, Total: 3, Message: "m"},
		{Name: EventProgress, Seq: 4, RunID: "r", Time: at, NodeID: "a", RetryIn: 250 * time.Millisecond, Error: failure},
		{
			Name: EventNode, Seq: 5, RunID: "r", Time: at, NodeID: "loop/3/a", Status: StatusSucceeded,
			Outputs: map[string]any{"id": 9007199254740993}, Reused: true, Duration: 7 * time.Microsecond, Attempts: 1,
		},
		{Name: EventNode, Seq: 6, RunID: "r", Time: at, NodeID: "b", Status: StatusSkipped, SkippedBecause: &Skip{NodeID: "a", Reason: "failed"}},
		{Name: EventFailed, Seq: 7, RunID: "r", Time: at, Result: result, Error: failure},
	}
	for _, want := range events {
		text, err := json.Marshal(want)
		require.NoError(t, err)
		have := Event{Name: want.Name}
		require.NoError(t, json.Unmarshal(text, &have), "%s", text)
		require.Equal(t, want, have, "%s", text)
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	for _, text := range []string{``, `[]`, `{"seq":"1"}`, `{"outputs":[]}`, `{"status":"over"}`, `{"result":{"nodes":{"a":{"outputs":1}}}}`} {
		require.Error(t, json.Unmarshal([]byte(text), new(Event)), text)
	}
	require.NoError(t, json.Unmarshal([]byte(`{"seq":1,"colour":"red"}`), new(Event)), "what a newer service adds")
}
