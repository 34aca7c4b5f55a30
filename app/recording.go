package app

import (
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// Recording selects the synchronous runs to record. Asynchronous runs and runs with an idempotency
// key are always recorded.
type Recording string

// Runs to record in addition to those whose request asks for it.
const (
	RecordStored Recording = ""     // runs of stored workflows by their ids
	RecordAll    Recording = "all"  // those of posted workflows, too
	RecordNone   Recording = "none" // none
)

// keeps reports whether a run is to be recorded.
func (a *App) keeps(s source, q run.Request) bool {
	return q.Record || a.recording == RecordAll || a.recording == RecordStored && s.kind == ofStored
}

// keep records a run that has ended, and returns it as the answer to the one who waited.
func (a *App) keep(ended *engine.Run, start run.Start) Outcome {
	a.runs.Keep(run.Kept{Start: start, Outcome: ended})
	return ended
}
