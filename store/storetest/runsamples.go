package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// RunStart returns a run of workflow w whose id and time come from n.
func RunStart(n int) run.Start {
	return run.Start{
		RunID: RunID(n), StartedAt: Epoch().Add(time.Duration(n) * time.Second),
		Definition: Definition("w", "one"),
	}
}

// Epoch is when run 0 starts.
func Epoch() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC) }

// RunID returns the id of run n.
func RunID(n int) string { return fmt.Sprintf("01990000-0000-7000-8000-%012d", n) }

// Frame returns frame seq, which is not the last one, with a message.
func Frame(seq int, message string) run.Frame {
	data, err := json.Marshal(map[string]any{"seq": seq, "message": message})
	if err != nil {
		panic(err)
	}
	return run.Frame{Seq: seq, Name: engine.EventProgress, Data: data}
}

// LastFrame returns frame seq, with which run n ends a minute after its start.
func LastFrame(n, seq int, status engine.Status) run.Frame {
	start := RunStart(n)
	e := engine.Event{Name: engine.EventFailed, Seq: seq, RunID: start.RunID, Time: start.StartedAt, Result: &engine.Result{
		RunID: start.RunID, WorkflowID: start.Definition.ID, Status: status,
		StartedAt: start.StartedAt, FinishedAt: start.StartedAt.Add(time.Minute),
		Outputs: map[string]any{"n": n},
	}}
	if status == engine.StatusCompleted {
		e.Name = engine.EventCompleted
	}
	return run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision))
}
