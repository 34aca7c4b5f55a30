package run

import (
	"time"

	"github.com/svcflow/svc/engine"
)

// Arming is how the triggers of a stored workflow are armed. The zero value arms the
// current revision.
type Arming struct {
	// Revision is the revision to arm; 0 means the current one.
	Revision int
	// Concurrency limits the concurrent runs that the triggers start; 0 means no limit.
	Concurrency int
	// OnInterrupted says how to handle such a run that a crash has interrupted.
	OnInterrupted OnInterrupted
}

// OnInterrupted says how to handle a run that a trigger started and a crash interrupted.
type OnInterrupted string

// The ways to handle interrupted runs.
const (
	Resume OnInterrupted = "resume" // the default: it resumes automatically
	Leave  OnInterrupted = "leave"  // it waits until a user resumes it
)

// Activation is a stored workflow with armed triggers, at one revision.
type Activation struct {
	WorkflowID    string        `json:"workflowId"`
	Revision      int           `json:"revision"`
	Since         time.Time     `json:"since"`
	Concurrency   int           `json:"concurrency,omitempty"`
	OnInterrupted OnInterrupted `json:"onInterrupted"`
	// Elsewhere means that another process, which shares the data directory, fires its
	// triggers.
	Elsewhere bool      `json:"elsewhere,omitempty"`
	Triggers  []Trigger `json:"triggers"`
}

// LastFiring is the last firing of a trigger.
type LastFiring struct {
	RunID   string         `json:"runId"`
	FiredAt time.Time      `json:"firedAt"`
	Outputs map[string]any `json:"outputs"`
}

// Trigger is an armed trigger.
type Trigger struct {
	WorkflowID string    `json:"workflowId,omitempty"` // in lists of triggers
	NodeID     string    `json:"nodeId"`
	Type       string    `json:"type"`
	Next       time.Time `json:"next,omitzero"`
	// URL is the address of a hook, or only its path if the server's address is not known.
	URL string `json:"url,omitempty"`
	// Upcoming are the next three times, if they are known and there are not too many
	// triggers.
	Upcoming    []time.Time `json:"upcoming,omitempty"`
	LastFiredAt time.Time   `json:"lastFiredAt,omitzero"`
	LastRunID   string      `json:"lastRunId,omitempty"`
	// LastStatus is the status of the last run; absent if the run is no longer stored.
	LastStatus engine.Status `json:"lastStatus,omitzero"`
	LastError  string        `json:"lastError,omitempty"` // why it cannot fire, or why the last firing started no run
	Problem    string        `json:"problem,omitempty"`   // why it cannot fire now
	Missed     int           `json:"missed"`              // scheduled times since it was armed that started no run
	Refused    int           `json:"refused,omitempty"`   // firings since it was armed that were refused
	Waiting    int           `json:"waiting"`             // firings that wait for a run slot
}
