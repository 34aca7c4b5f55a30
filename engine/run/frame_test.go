package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// events returns one of each kind, with what an event may have.
func events() []engine.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("", 3600))
	failure := &engine.Failure{Code: "failed", Message: `"finishedAt":"`, NodeID: "a"}
	outputs := map[string]any{"status": "cancelled", "time": 1, "big": []any{1, map[string]any{"nodeId": "no"}}}
	end := func(name engine.EventName, s engine.Status) engine.Event {
		return engine.Event{Name: name, Error: failure, Result: &engine.Result{
			RunID: `r "1"`, WorkflowID: "w", Status: s, StartedAt: at, FinishedAt: at.Add(time.Second),
			Outputs: outputs, Nodes: map[string]engine.NodeResult{"a": {Status: engine.StatusSkipped, Outputs: outputs}},
		}}
	}
	all := []engine.Event{
		{Name: engine.EventStarted, WorkflowID: "status"},
		{Name: engine.EventStarted, NodeID: `loop/3/a "b"`},
		{Name: engine.EventNode, NodeID: "a", Status: engine.StatusSucceeded, Outputs: outputs},
		{Name: engine.EventNode, NodeID: "a", Status: engine.StatusFailed, Error: failure, Handled: true},
		{Name: engine.EventProgress, NodeID: "a", Step: 1, Total: 2, Message: `{"status":"failed"}`},
		end(engine.EventCompleted, engine.StatusCompleted),
		end(engine.EventFailed, engine.StatusFailed),
		end(engine.EventFailed, engine.StatusCancelled),
	}
	for i := range all {
		all[i].Seq, all[i].RunID, all[i].Time = i+1, `r "1"`, at
	}
	return all
}

// A frame that was kept knows what it knew when it was made.
func TestFrameIsReadBack(t *testing.T) {
	for _, e := range events() {
		made := run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision))
		require.Equal(t, made, run.ReadFrame(e.Seq, e.Name, made.Data), "%s", made.Data)
		require.False(t, made.Time.IsZero())
		again, err := made.Event()
		require.NoError(t, err)
		require.Equal(t, made.Data, again.AppendJSON(nil, engine.NoElision))
		require.Equal(t, made, run.NewFrame(&again, made.Data))
	}
}

// A head takes what it costs to read the beginning, however long the frame is.
func TestHeadIsReadWithoutTheRest(t *testing.T) {
	e := engine.Event{Name: engine.EventNode, Seq: 1, RunID: "r", NodeID: "a", Status: engine.StatusSucceeded}
	allocs := func() float64 {
		data := e.AppendJSON(nil, engine.NoElision)
		return testing.AllocsPerRun(100, func() { run.ReadFrame(1, e.Name, data) })
	}
	short := allocs()
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{"a": i}
	}
	e.Outputs = map[string]any{"list": list}
	require.Equal(t, short, allocs())
}

func FuzzReadFrame(f *testing.F) {
	for _, e := range events() {
		f.Add(string(e.Name), e.AppendJSON(nil, engine.NoElision))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		frame := run.ReadFrame(7, engine.EventName(name), data)
		require.Equal(t, 7, frame.Seq)
		if e, err := frame.Event(); err == nil && !e.Name.Terminal() && frame.Node != "" {
			require.Equal(t, e.NodeID, frame.Node)
		}
	})
}
