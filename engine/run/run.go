// Package run has the words for a run that everybody shares who keeps it, serves it,
// asks for it or shows it: what is asked for and what it starts with, what is kept
// of it, how lists of runs are asked for, and the frames of its journal. Package
// engine executes; it knows none of these.
package run

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
)

// Request is what a caller wants a workflow to be run with. The zero Request gives
// nothing.
type Request struct {
	// Inputs are the workflow's inputs by name.
	Inputs map[string]any
	// Overrides are put into the config of nodes for this run: node id → input
	// port → value.
	Overrides map[string]map[string]any
	// Pins answer for nodes without calling them (see engine.Options). A run that is
	// recorded takes none: whoever resumed it would call the nodes.
	Pins map[string]engine.Pin
	// Asked, if set, hears of each pin that answers (see engine.Options).
	Asked func(path string, inputs map[string]any)
	// Before, if set, is called before each node is called, and may keep it waiting (see
	// engine.Options).
	Before func(ctx context.Context, path string)
	// Trigger, if set, is the node that is to fire, and Payload holds what it puts out, by
	// output port; the others are what its sample has (see [engine.Plan.Fire]).
	Trigger string
	Payload map[string]any
	// IdempotencyKey, if set, makes starting the same again within a day return
	// the run that was started first (at most 255 characters).
	IdempotencyKey string
	// KeepOutputs says which outputs of nodes the result of a run has that somebody waits for.
	KeepOutputs engine.Keep
	// Record makes a run that somebody waits for be recorded in any case.
	Record bool
}

// Resumption says how a run goes on with an earlier one. The zero Resumption changes
// nothing.
type Resumption struct {
	// Workflow, if set, is run instead of the one that is recorded; Current takes the one
	// that is stored now.
	Workflow *workflow.Definition
	Current  bool
	// Inputs are put over the recorded ones, by name.
	Inputs map[string]any
	// From is a node, by its path without rounds ("loop/fmt"), that is called again in any
	// case, with all behind it.
	From string
}

// KeyLife is how long an idempotency key stands for the run that it has started.
const KeyLife = 24 * time.Hour

// Start is what a run was started with: all that running it again needs.
type Start struct {
	RunID       string
	StartedAt   time.Time
	ResumedFrom string // the run that this one goes on with
	From        string // the node from which on it is called again; see [Resumption]
	// Definition is the workflow with the overrides put into it.
	Definition *workflow.Definition
	// Workflows are the stored workflows that Definition calls, at any depth, as
	// they were at the start.
	Workflows map[string]*workflow.Definition
	Inputs    map[string]any
	// Firing is what the run began with; nil if nothing had happened.
	Firing *engine.Firing
	// StartedBy tells which trigger has started the run; nil if somebody asked for it. Such
	// a run waits until its first frame: until then it has not begun.
	StartedBy *StartedBy
	// Stored says that somebody has run the workflow from the store, so that it has its state.
	Stored bool
	// IdempotencyKey names the request that started the run, for its client to
	// repeat, and RequestDigest tells whether it is the same request.
	IdempotencyKey string
	RequestDigest  string
	// Document is Definition and Workflows as they are kept, for starting many runs of
	// them; nil means that it is made from these. Starts that are read have none.
	Document *Document
}

// StartedBy tells which trigger has started a run.
type StartedBy struct {
	Trigger string `json:"trigger"` // by its node
	Type    string `json:"type"`
	// Chain is how many runs led to this one, each of which the end of the one before has
	// started.
	Chain int `json:"chain,omitempty"`
}

// First returns the status of a run that was started so and has no frame.
func (s *Start) First() engine.Status {
	if s.StartedBy != nil && s.ResumedFrom == "" {
		return engine.StatusWaiting
	}
	return engine.StatusRunning
}

// Record is what is kept of a run.
type Record struct {
	RunID       string        `json:"runId"`
	WorkflowID  string        `json:"workflowId"`
	Status      engine.Status `json:"status"` // waiting, running, completed, failed or cancelled
	StartedAt   time.Time     `json:"startedAt"`
	FinishedAt  time.Time     `json:"finishedAt,omitzero"`
	ResumedFrom string        `json:"resumedFrom,omitempty"` // the run that this one goes on with
	StartedBy   *StartedBy    `json:"startedBy,omitempty"`   // the trigger that has started it
	// Frames is how many frames the run has so far.
	Frames int `json:"-"`
	// Result is the outcome, where the whole record was asked for and the run has
	// ended; nil in lists and in stores.
	Result *engine.Result `json:"result,omitempty"`
}

// Query asks for records of runs, newest first. The zero Query asks for the first
// page of all of them.
type Query struct {
	WorkflowID string
	Status     engine.Status // waiting, running, completed, failed or cancelled; 0 for any
	// ResumedFrom asks for runs that go on with that one.
	ResumedFrom string
	Limit       int    // of one page; 0 means DefaultLimit, more than MaxLimit means that
	Cursor      string // NextCursor of the page before; empty for the first one
}

// How many records one page has by default, and at most.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// Size returns how many records the page has at most.
func (q Query) Size() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// Page is a page of records.
type Page struct {
	Items      []Record `json:"items"`
	NextCursor string   `json:"nextCursor,omitempty"` // empty on the last page
}
