package node

import (
	"context"
	"time"
)

// Runs is what sources of triggers may ask who runs workflows for.
type Runs interface {
	// RunStored runs a stored workflow to its end and returns what it gives. It is recorded
	// if it fails.
	RunStored(ctx context.Context, workflowID string) (outputs map[string]any, err error)
	// Ended waits until recorded runs have ended behind a place, and returns them with the
	// place behind them. Places outlive a restart; what has ended shortly before one may be
	// told twice. With no place, it returns those that have ended since a time, at once.
	Ended(ctx context.Context, since time.Time, after string) (runs []Ended, place string, err error)
	// Told returns what a run began with, and what it has given.
	Told(ctx context.Context, runID string) (inputs, outputs map[string]any, err error)
}

// Ended is a run that has ended.
type Ended struct {
	RunID, WorkflowID string
	Completed         bool
	// Code, Message and NodeID say why it has failed. Without a code it was cancelled.
	Code, Message, NodeID string
	// StartedBy is the type of the trigger that has started it, if one has.
	StartedBy string
}

// RunsKey is what the context of a source is asked for its [Runs] with.
type RunsKey struct{}

// RunsOf returns the runs that a source called with ctx may ask for; nil if there are none.
func RunsOf(ctx context.Context) Runs {
	r, _ := ctx.Value(RunsKey{}).(Runs)
	return r
}
