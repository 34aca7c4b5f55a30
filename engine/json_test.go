package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
)

func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 123456789, time.UTC) }

func sampleResult() *engine.Result {
	return &engine.Result{
		RunID: "r1", WorkflowID: "w", Status: engine.StatusFailed, StartedAt: noon(), FinishedAt: noon().Add(1500 * time.Microsecond),
		Duration: 1500 * time.Microsecond, Outputs: map[string]any{"b": 1, "a": "<x>"}, Order: []string{"a", "b", "c"},
		Nodes: map[string]engine.NodeResult{
			"a": {Status: engine.StatusSucceeded, Outputs: map[string]any{"value": nil}, StartedAt: noon(), Duration: time.Millisecond, Attempts: 1},
			"b": {Status: engine.StatusFailed, Error: &engine.Failure{Code: "failed", Message: "<b>"}, Handled: true, StartedAt: noon(), Attempts: 3},
			"c": {Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "b", Reason: "not_taken"}},
		},
		Error: &engine.Failure{Code: "failed", Message: "why", NodeID: "x"},
	}
}

const sampleResultJSON = `{"runId":"r1","workflowId":"w","status":"failed","startedAt":"2026-01-02T12:00:00.123456Z",` +
	`"finishedAt":"2026-01-02T12:00:00.124956Z","durationMs":1.5,"outputs":{"a":"<x>","b":1},"nodes":{` +
	`"a":{"status":"succeeded","outputs":{"value":null},"startedAt":"2026-01-02T12:00:00.123456Z","durationMs":1,"attempts":1},` +
	`"b":{"status":"failed","error":{"code":"failed","message":"<b>"},"handled":true,"startedAt":"2026-01-02T12:00:00.123456Z","durationMs":0,"attempts":3},` +
	`"c":{"status":"skipped","skippedBecause":{"nodeId":"b","reason":"not_taken"},"attempts":0}},` +
	`"order":["a","b","c"],"error":{"code":"failed","message":"why","nodeId":"x"}}`

func TestResultJSON(t *testing.T) {
	require.Equal(t, sampleResultJSON, string(sampleResult().AppendJSON(nil, engine.NoElision)))
}

func TestEventJSON(t *testing.T) {
	head := func(node string) string {
		s := `{"seq":7,"runId":"r1","time":"2026-01-02T12:00:00.123456Z"`
		if node != "" {
			s += `,"nodeId":"` + node + `"`
		}
		return s + ","
	}
	tests := []struct {
		event engine.Event
		want  string
	}{
		{engine.Event{Name: engine.EventStarted, WorkflowID: "w"}, head("") + `"workflowId":"w"}`},
		{engine.Event{Name: engine.EventStarted, NodeID: "loop/3/fmt"}, strings.TrimSuffix(head("loop/3/fmt"), ",") + `}`},
		{
			engine.Event{
				Name: engine.EventNode, NodeID: "a", Status: engine.StatusSucceeded, Outputs: map[string]any{"y": 1.0, "x": []any{}},
				Reused: true, Duration: 1234567 * time.Nanosecond, Attempts: 1,
			},
			head("a") + `"status":"succeeded","outputs":{"x":[],"y":1},"reused":true,"durationMs":1.234,"attempts":1}`,
		},
		{
			engine.Event{
				Name: engine.EventNode, NodeID: "a", Status: engine.StatusFailed, Error: &engine.Failure{Code: "timeout", Message: "late"},
				Handled: true, Attempts: 2,
			},
			head("a") + `"status":"failed","error":{"code":"timeout","message":"late"},"handled":true,"durationMs":0,"attempts":2}`,
		},
		{
			engine.Event{Name: engine.EventNode, NodeID: "a", Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "b", Reason: "failed"}},
			head("a") + `"status":"skipped","skippedBecause":{"nodeId":"b","reason":"failed"},"durationMs":0,"attempts":0}`,
		},
		{
			engine.Event{Name: engine.EventProgress, NodeID: "a", Step: 1, Total: 2, Message: "m"},
			head("a") + `"step":1,"total":2,"message":"m"}`,
		},
		{
			engine.Event{Name: engine.EventProgress, NodeID: "a", RetryIn: 150 * time.Millisecond, Error: &engine.Failure{Code: "failed", Message: "x"}},
			head("a") + `"retryInMs":150,"error":{"code":"failed","message":"x"}}`,
		},
		{
			engine.Event{Name: engine.EventFailed, Result: sampleResult(), Error: sampleResult().Error},
			head("") + `"result":` + sampleResultJSON + `,"error":{"code":"failed","message":"why","nodeId":"x"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.event.Name, " ", tt.event.Status), func(t *testing.T) {
			tt.event.Seq, tt.event.RunID, tt.event.Time = 7, "r1", noon()
			text, err := json.Marshal(tt.event)
			require.NoError(t, err)
			require.JSONEq(t, tt.want, string(text))
			require.Equal(t, tt.want, string(tt.event.AppendJSON(nil, engine.NoElision)))
		})
	}
}

// TestElision has an output of exactly the limit and one that is a byte longer. The run's
// own outputs are never elided.
func TestElision(t *testing.T) {
	const limit = 64 << 10
	fits, long := strings.Repeat("x", limit-2), strings.Repeat("x", limit-1) // plus two quotes
	f := enginetest.NewFlow("w").Node("fits", "test.pass", "value", fits).Node("long", "test.pass", "value", long).
		Node("out", "test.output", "name", "y").Wire("long.value", "out.value")
	p := enginetest.PlayFlow(t, &engine.Local{}, enginetest.NewKit(), f, nil)
	for name, text := range map[string][]byte{"run": p.Run.AppendJSON(nil, limit), "result": p.AppendJSON(nil, limit)} {
		t.Run(name, func(t *testing.T) {
			var shown struct {
				Outputs map[string]string
				Nodes   map[string]struct{ Outputs map[string]any }
			}
			require.NoError(t, json.Unmarshal(text, &shown))
			require.Equal(t, fits, shown.Nodes["fits"].Outputs["value"])
			require.Equal(t, map[string]any{"$elided": map[string]any{"bytes": float64(limit + 1)}}, shown.Nodes["long"].Outputs["value"])
			require.Equal(t, long, shown.Outputs["y"])
		})
	}
	for _, e := range p.Events {
		if e.NodeID == "long" {
			require.Contains(t, string(e.AppendJSON(nil, limit)), `"outputs":{"value":{"$elided":{"bytes":65537}}}`)
		}
	}
}

func TestStatusText(t *testing.T) {
	for s := engine.StatusPending; s <= engine.StatusCompleted; s++ {
		text, err := s.MarshalText()
		require.NoError(t, err)
		var back engine.Status
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, s, back)
	}
	require.Error(t, new(engine.Status).UnmarshalText([]byte("done")))
}
