// Package run has the types that stores, services, clients and windows share about runs: the
// request for a run, its start, its record, queries for lists of runs, and the frames of its
// journal. Package engine executes runs and uses none of these.
package run

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
)

// Request is a request to run a workflow. The zero Request has no inputs.
type Request struct {
	// Inputs are the workflow's inputs by name.
	Inputs map[string]any
	// Overrides replace config values of nodes for this run: node id → input port → value.
	Overrides map[string]map[string]any
	// Pins replace calls of nodes (see engine.Options). Recorded runs refuse them, because
	// resuming such a run would call the nodes.
	Pins map[string]engine.Pin
	// Asked, if set, is called for each pin that is used (see engine.Options).
	Asked func(path string, inputs map[string]any)
	// Before, if set, is called before each node is called, and may delay it (see
	// engine.Options).
	Before func(ctx context.Context, path string)
	// Trigger, if set, is the node that fires. Payload holds its outputs by port; missing
	// ones come from its sample (see [engine.Plan.Fire]).
	Trigger string
	Payload map[string]any
	// IdempotencyKey, if set, makes a repeated request within a day return the run that was
	// started first (at most 255 characters).
	IdempotencyKey string
	// KeyOwner separates the idempotency keys of different callers: the same key of another
	// owner is another key. "" is an owner, too.
	KeyOwner string
	// KeepOutputs says which outputs of nodes the result of a synchronous run includes.
	KeepOutputs engine.Keep
	// Record makes a synchronous run recorded in any case.
	Record bool
}

// Resumption says how a new run resumes an earlier one. The zero Resumption changes nothing.
type Resumption struct {
	// Workflow, if set, is run instead of the recorded one. Current takes the one in the store.
	Workflow *workflow.Definition
	Current  bool
	// Inputs replace recorded ones, by name.
	Inputs map[string]any
	// From is the path without rounds ("loop/fmt") of a node that is called again, with all
	// nodes that depend on it.
	From string
}

// KeyLife is how long an idempotency key refers to the run that it started.
const KeyLife = 24 * time.Hour

// Start is the start of a run, with all that is needed to run it again.
type Start struct {
	RunID       string
	StartedAt   time.Time
	ResumedFrom string // the run that this one resumes
	From        string // see [Resumption]
	// Definition is the workflow with overrides applied.
	Definition *workflow.Definition
	// Workflows are the stored workflows that Definition calls, at any depth, as
	// they were at the start.
	Workflows map[string]*workflow.Definition
	Inputs    map[string]any
	// Firing is the firing that started the run, or nil.
	Firing *engine.Firing
	// StartedBy names the trigger that started the run; nil for a run by request. A run of a
	// trigger has the status waiting until its first frame.
	StartedBy *StartedBy
	// Stored says that the workflow came from the store, so that the run has its state.
	Stored bool
	// IdempotencyKey names the request that started the run. RequestDigest shows whether a
	// repeated request is the same.
	IdempotencyKey string
	RequestDigest  string
	// Document is the stored form of Definition and Workflows, shared by many runs of them; if
	// it is nil, it is made from these. It is nil in starts that were read from a store.
	Document *Document
}

// StartedBy names the trigger that started a run.
type StartedBy struct {
	Trigger string `json:"trigger"` // by its node
	Type    string `json:"type"`
	// Chain is the number of runs before this one, each started by the end of the one before.
	Chain int `json:"chain,omitempty"`
}

// First returns the status of a run with this start and no frame yet.
func (s *Start) First() engine.Status {
	if s.StartedBy != nil && s.ResumedFrom == "" {
		return engine.StatusWaiting
	}
	return engine.StatusRunning
}

// Record is the stored description of a run.
type Record struct {
	RunID       string        `json:"runId"`
	WorkflowID  string        `json:"workflowId"`
	Status      engine.Status `json:"status"` // waiting, running, completed, failed or cancelled
	StartedAt   time.Time     `json:"startedAt"`
	FinishedAt  time.Time     `json:"finishedAt,omitzero"`
	ResumedFrom string        `json:"resumedFrom,omitempty"` // the run that this one resumes
	StartedBy   *StartedBy    `json:"startedBy,omitempty"`   // the trigger that started it
	// Error says in lists why a failed run failed; nil in stores.
	Error *engine.Failure `json:"error,omitempty"`
	// Frames is how many frames the run has so far.
	Frames int `json:"-"`
	// Result is the result of a run that has ended; nil in lists and in stores.
	Result *engine.Result `json:"result,omitempty"`
}

// Query asks for records of runs, newest first. The zero Query asks for the first
// page of all of them.
type Query struct {
	WorkflowID string
	Status     engine.Status // waiting, running, completed, failed or cancelled; 0 for any
	// ResumedFrom asks for runs that resumed that one.
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
