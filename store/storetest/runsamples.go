package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// RunStart returns the start of a run of workflow w; n determines its id and start time.
func RunStart(n int) run.Start {
	return run.Start{
		RunID: RunID(n), StartedAt: Epoch().Add(time.Duration(n) * time.Second),
		Definition: Definition("w", "one"),
	}
}

// Epoch is the start time of run 0.
func Epoch() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC) }

// RunID returns the id of run n.
func RunID(n int) string { return fmt.Sprintf("01990000-0000-7000-8000-%012d", n) }

// Frame returns frame seq, which is not terminal, with a message.
func Frame(seq int, message string) run.Frame {
	data, err := json.Marshal(map[string]any{"seq": seq, "message": message})
	if err != nil {
		panic(err)
	}
	return run.Frame{Seq: seq, Name: engine.EventProgress, Data: data}
}

// LastFrame returns the terminal frame seq of run n, a minute after its start.
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
