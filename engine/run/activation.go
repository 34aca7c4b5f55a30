package run

import (
	"time"

	"github.com/svcflow/svc/engine"
)

// Arming says how the triggers of a stored workflow are to be armed. Its zero value arms
// what is stored now.
type Arming struct {
	// Revision is the one that is armed; 0 means the one that is stored now.
	Revision int
	// Concurrency is how many runs of the workflow that its triggers have started may go on
	// at once; 0 means any number.
	Concurrency int
	// OnInterrupted says what becomes of such a run that a crash has interrupted.
	OnInterrupted OnInterrupted
}

// OnInterrupted says what becomes of a run that a trigger has started and a crash has
// interrupted.
type OnInterrupted string

// What becomes of interrupted runs.
const (
	Resume OnInterrupted = "resume" // the default: it goes on by itself
	Leave  OnInterrupted = "leave"  // it waits for somebody who resumes it
)

// Activation is a stored workflow whose triggers are armed, at one revision.
type Activation struct {
	WorkflowID    string        `json:"workflowId"`
	Revision      int           `json:"revision"`
	Since         time.Time     `json:"since"`
	Concurrency   int           `json:"concurrency,omitempty"`
	OnInterrupted OnInterrupted `json:"onInterrupted"`
	// Elsewhere says that another process that shares the data directory lets its
	// triggers fire.
	Elsewhere bool      `json:"elsewhere,omitempty"`
	Triggers  []Trigger `json:"triggers"`
}

// LastFiring is what a trigger has put out last.
type LastFiring struct {
	RunID   string         `json:"runId"`
	FiredAt time.Time      `json:"firedAt"`
	Outputs map[string]any `json:"outputs"`
}

// Trigger is a trigger that is armed.
type Trigger struct {
	WorkflowID string    `json:"workflowId,omitempty"` // in lists of triggers
	NodeID     string    `json:"nodeId"`
	Type       string    `json:"type"`
	Next       time.Time `json:"next,omitzero"`
	// URL is the address of a hook; from that of the service on if this is not known.
	URL string `json:"url,omitempty"`
	// Upcoming are the next three times, where that is known and there are not too many
	// triggers.
	Upcoming    []time.Time `json:"upcoming,omitempty"`
	LastFiredAt time.Time   `json:"lastFiredAt,omitzero"`
	LastRunID   string      `json:"lastRunId,omitempty"`
	// LastStatus is that of the last run; absent if it is not kept any more.
	LastStatus engine.Status `json:"lastStatus,omitzero"`
	LastError  string        `json:"lastError,omitempty"` // why it cannot fire, or the last firing came to nothing
	Missed     int           `json:"missed"`              // times that came to nothing since it was armed
	Refused    int           `json:"refused,omitempty"`   // firings that were not taken since then
	Waiting    int           `json:"waiting"`             // firings that wait for a place
}
