// Package drive drives one asynchronous run: it compiles the recorded workflow, runs it with the
// engine, and writes the events to the journal of the run. Backends of one process and of many
// processes share it.
//
// It keeps no list of runs, counts no run slots and starts nothing by itself.
package drive

import (
	"context"
	"log/slog"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// Env is what a process provides for the runs that it drives.
type Env struct {
	// Runner runs the plans.
	Runner engine.Runner
	// Compile compiles the workflow of a recorded start, as it was then. A workflow that is
	// invalid by now is an [engine.ValidationErrors].
	Compile func(ctx context.Context, start *run.Start) (*engine.Plan, error)
	// Types are the names of all node types.
	Types []string
	// State keeps values that outlive runs. A run of a workflow that is not stored starts with an
	// empty state, unless KeepState is set: then it shares the state of its workflow id.
	State     store.StateStore
	KeepState bool
	// WithFiles returns ctx with the directory for the files of a run and with those of the
	// earlier runs that it resumes. Call leave when the run ends.
	WithFiles func(ctx context.Context, runID string, earlier ...string) (working context.Context, leave func())
	// LowMemory reports whether there is too little memory for another run; nil means never.
	LowMemory func(ctx context.Context) bool
	// Secrets resolves credential references, as far as possible; nil resolves none.
	Secrets func(ctx context.Context, refs []value.Credential) []string
	// Log receives messages for operators.
	Log *slog.Logger
}

// SecretsOf returns the secrets that the document of a plan names. If several processes call the
// nodes of a run, each redacts all of these, also those that it has not used itself.
func (e *Env) SecretsOf(ctx context.Context, plan *engine.Plan) []string {
	if refs := plan.Credentials(); e.Secrets != nil && len(refs) > 0 {
		return e.Secrets(ctx, refs)
	}
	return nil
}

// Work is a run to start.
type Work struct {
	// Start is what the run starts with. The backend sets its time, and its id if that is empty.
	Start run.Start
	// Plan is the plan of Start; nil if the workflow is invalid by now.
	Plan *engine.Plan
	// TakeSlot, if set, takes a run slot for synchronous runs and returns a function that gives
	// it back. Other runs take a slot of the backend.
	TakeSlot func(ctx context.Context) (free func(), err error)
	// Epoch is the leader's epoch (see [store.Arming]) in which the run may be enqueued; 0 means
	// any.
	Epoch int64
}
