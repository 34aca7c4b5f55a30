package editor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

func TestOverlayFollowsEvents(t *testing.T) {
	o := NewOverlay()
	require.Nil(t, o.Node(nil, "a"))
	o.Apply(engine.Event{Name: engine.EventStarted, RunID: "r1", WorkflowID: "w"})
	require.Equal(t, engine.StatusRunning, o.Status)
	require.Equal(t, "r1", o.RunID)
	o.Apply(engine.Event{Name: engine.EventStarted, NodeID: "a"})
	require.Equal(t, engine.StatusRunning, o.Node(nil, "a").State())
	o.Apply(engine.Event{Name: engine.EventProgress, NodeID: "a", Step: 3, Total: 5, Message: "sending"})
	require.Equal(t, [2]int{3, 5}, [2]int{o.Node(nil, "a").Step, o.Node(nil, "a").Total})
	_, known, none := o.Items(nil, "a", "list")
	require.False(t, known || none, "not yet")
	o.Apply(engine.Event{
		Name: engine.EventNode, NodeID: "a", Status: engine.StatusSucceeded, Duration: 342 * time.Millisecond, Attempts: 2,
		Outputs: map[string]any{"list": []any{1, 2, 3}, "one": "x", "big": map[string]any{"$elided": map[string]any{"bytes": 70000}}},
	})
	n := o.Node(nil, "a")
	require.Equal(t, engine.StatusSucceeded, n.State())
	require.Equal(t, 342*time.Millisecond, n.Duration)
	for port, want := range map[string]int{"list": 3, "one": 1, "big": -1} {
		items, known, none := o.Items(nil, "a", port)
		require.True(t, known)
		require.False(t, none)
		require.Equal(t, want, items)
	}
	_, known, none = o.Items(nil, "a", "other")
	require.False(t, known)
	require.True(t, none, "it never will")
	o.Apply(engine.Event{Name: engine.EventFailed, Error: &engine.Failure{Code: "failed", NodeID: "b"}})
	require.Equal(t, engine.StatusFailed, o.Status)
	require.Equal(t, "b", o.Error.NodeID)
}

func TestOverlayOfALoop(t *testing.T) {
	o := NewOverlay()
	end := func(id string, s engine.Status) {
		o.Apply(engine.Event{Name: engine.EventStarted, NodeID: id})
		o.Apply(engine.Event{Name: engine.EventNode, NodeID: id, Status: s, Outputs: map[string]any{"v": 1}})
	}
	o.Apply(engine.Event{Name: engine.EventStarted, NodeID: "loop/0/in/2/deep"})
	end("loop/1/in/0/deep", engine.StatusFailed)
	end("loop/2/in/0/deep", engine.StatusSucceeded)
	n := o.Node([]string{"loop", "in"}, "deep")
	require.Equal(t, engine.StatusRunning, n.State())
	require.Equal(t, 2, n.Done)
	o.Apply(engine.Event{Name: engine.EventNode, NodeID: "loop/0/in/2/deep", Status: engine.StatusSkipped})
	require.Equal(t, engine.StatusFailed, n.State(), "the worst of all steps")
	items, _, _ := o.Items([]string{"loop", "in"}, "deep", "v")
	require.Equal(t, 2, items)
}

func TestOverlayOfAPastRun(t *testing.T) {
	o := PastOverlay(&engine.Result{RunID: "r", Status: engine.StatusFailed, Error: &engine.Failure{Code: "timeout", NodeID: "a"}, Nodes: map[string]engine.NodeResult{
		"a": {Status: engine.StatusFailed, Duration: time.Second, Error: &engine.Failure{Code: "timeout"}},
		"b": {Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "a", Reason: "failed"}},
		"c": {Status: engine.StatusSucceeded, Outputs: map[string]any{"v": []any{}}},
	}})
	require.Equal(t, engine.StatusFailed, o.Status)
	require.Equal(t, "timeout", o.Error.Code)
	require.Equal(t, "a", o.Node(nil, "b").Skipped.NodeID)
	items, known, _ := o.Items(nil, "c", "v")
	require.True(t, known)
	require.Zero(t, items)
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		121 * time.Microsecond: "0.1 ms", 9_960 * time.Microsecond: "10 ms", 342 * time.Millisecond: "342 ms",
		1240 * time.Millisecond: "1.24 s", 12 * time.Minute: "12 min",
	} {
		require.Equal(t, want, Briefly(d))
	}
}
