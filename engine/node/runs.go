package node

import (
	"context"
	"time"
)

// Runs gives sources of triggers access to the runs of their host.
type Runs interface {
	// RunStored runs a stored workflow until it ends and returns its outputs. The run is
	// recorded if it fails.
	RunStored(ctx context.Context, workflowID string) (outputs map[string]any, err error)
	// Ended waits until recorded runs have ended after a position, and returns them with
	// the next position. Positions survive a restart, but runs that ended shortly before a
	// restart may be returned twice. If after is empty, it returns at once, with the runs
	// that have ended since a time.
	Ended(ctx context.Context, since time.Time, after string) (runs []Ended, place string, err error)
	// Told returns the inputs and outputs of a run.
	Told(ctx context.Context, runID string) (inputs, outputs map[string]any, err error)
}

// Ended is a run that has ended.
type Ended struct {
	RunID, WorkflowID string
	Completed         bool
	// Code, Message and NodeID describe the failure. Code is empty if the run was
	// cancelled.
	Code, Message, NodeID string
	// StartedBy is the type of the trigger that started the run, if any.
	StartedBy string
}

// RunsKey is the key of the [Runs] in the contexts of sources.
type RunsKey struct{}

// RunsOf returns the runs available to a source called with ctx, or nil.
func RunsOf(ctx context.Context) Runs {
	r, _ := ctx.Value(RunsKey{}).(Runs)
	return r
}
