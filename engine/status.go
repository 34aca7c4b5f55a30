package engine

import "fmt"

// Status is the state of a run or of a node in it. Succeeded, Failed, Skipped,
// Cancelled and Completed are terminal: they never change.
type Status uint8

// The statuses. Nodes are pending, running, succeeded, failed, skipped or
// cancelled; runs are waiting (for a place), running, completed, failed or cancelled.
const (
	StatusPending Status = iota
	StatusRunning
	StatusSucceeded
	StatusFailed
	StatusSkipped
	StatusCancelled
	StatusCompleted
	StatusWaiting
)

// GoesOn reports whether s is that of a run that has no end, be it that it waits.
func (s Status) GoesOn() bool { return s == StatusRunning || s == StatusWaiting }

// statusWords is indexed by Status.
func statusWords() [8]string {
	return [...]string{"pending", "running", "succeeded", "failed", "skipped", "cancelled", "completed", "waiting"}
}

// String returns the word for s on the wire.
func (s Status) String() string { return statusWords()[s] }

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(text []byte) error {
	for i, word := range statusWords() {
		if word == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}
