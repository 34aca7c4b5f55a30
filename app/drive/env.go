// Package drive is what all those share who drive asynchronous runs, in one process or in
// many: the plan of what was recorded, what is known of it, the engine, and the journal.
//
// It keeps no list of runs, counts no places and starts nothing by itself.
package drive

import (
	"context"
	"log/slog"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// Env is what a process that drives runs has for them.
type Env struct {
	// Runner runs their plans.
	Runner engine.Runner
	// Compile makes the plan of what a run was started with, as it was then. What keeps it from
	// running is [engine.ValidationErrors].
	Compile func(ctx context.Context, start *run.Start) (*engine.Plan, error)
	// Types are the node types there are.
	Types []string
	// State keeps the small values that outlive runs. Runs of workflows that are not stored
	// begin with an empty one, unless KeepState lets them have that of the workflow of their id.
	State     store.StateStore
	KeepState bool
	// Working returns ctx with the place of the files of a run, and of those that it goes on
	// with, and what is to be called at its end.
	Working func(ctx context.Context, runID string, earlier ...string) (working context.Context, leave func())
	// Crowded says whether there is too little memory for another run; nil if nobody can tell.
	Crowded func(ctx context.Context) bool
	// Secrets returns those behind references, as far as they can be found; nil knows none.
	Secrets func(ctx context.Context, refs []value.Credential) []string
	// Log takes what operators should know.
	Log *slog.Logger
}

// SecretsOf returns the secrets that the document of a plan names. Where several processes call
// the nodes of a run, each of them hides all of these, and not only those that it has used.
func (e *Env) SecretsOf(ctx context.Context, plan *engine.Plan) []string {
	if refs := plan.Credentials(); e.Secrets != nil && len(refs) > 0 {
		return e.Secrets(ctx, refs)
	}
	return nil
}

// Work is a run that is to begin.
type Work struct {
	// Start is what it begins with. Whoever keeps it gives it its time, and its id unless it
	// has one.
	Start run.Start
	// Plan is that of Start; nil if that is invalid by now.
	Plan *engine.Plan
	// Place, if set, takes the place of a run for which somebody waits, and returns what gives
	// it back. Other runs take one of those that there are for them.
	Place func(ctx context.Context) (free func(), err error)
	// Armed is the epoch (see [store.Arming]) in which alone a run that waits may be put down; 0
	// is any.
	Armed int64
}
