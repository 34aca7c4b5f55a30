package engine

import "time"

// Start is what a run is started with besides its workflow.
type Start struct {
	// Inputs are the workflow's inputs by name.
	Inputs map[string]any
	// Overrides are put into the config of nodes for this run: node id → input
	// port → value.
	Overrides map[string]map[string]any
	// IdempotencyKey, if set, makes starting the same again within a day return
	// the run that was started first (at most 255 characters).
	IdempotencyKey string
}

// Frame is an event as journals keep it and streams send it.
type Frame struct {
	Seq  int // from 1, without gaps
	Name EventName
	Data []byte // the JSON of the event, on one line; shared, so never written to
}

// Record is what is kept of an asynchronous run (DESIGN section 9).
type Record struct {
	RunID       string    `json:"runId"`
	WorkflowID  string    `json:"workflowId"`
	Status      Status    `json:"status"` // running, completed, failed or cancelled
	StartedAt   time.Time `json:"startedAt"`
	FinishedAt  time.Time `json:"finishedAt,omitzero"`
	ResumedFrom string    `json:"resumedFrom,omitempty"` // the run that this one goes on with
	// Result is the outcome, where the whole record was asked for and the run has
	// ended; nil in lists.
	Result *Result `json:"result,omitempty"`
}

// RecordQuery asks for records of runs, newest first. The zero query asks for the
// first page of all of them.
type RecordQuery struct {
	WorkflowID string
	Status     Status // running, completed, failed or cancelled; 0 for any
	Limit      int    // of one page; 0 means DefaultRecordLimit
	Cursor     string // NextCursor of the page before; empty for the first one
}

// How many records one page has by default, and at most.
const (
	DefaultRecordLimit = 50
	MaxRecordLimit     = 500
)

// RecordPage is a page of records.
type RecordPage struct {
	Items      []Record `json:"items"`
	NextCursor string   `json:"nextCursor,omitempty"` // empty on the last page
}
