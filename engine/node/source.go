package node

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// Source makes a trigger fire once its workflow is active. It is one of the types below. The host
// runs sources of each kind and need not know node types. A trigger without a source fires by hand
// only.
type Source interface{ source() }

// Times is a source that fires on a schedule.
type Times struct {
	// Next returns the first scheduled time after a time; the zero time if the schedule is over.
	// It must be deterministic.
	Next func(after time.Time) time.Time
	// Jitter is the longest random delay of a firing. It spreads load that would come at the
	// full hour.
	Jitter time.Duration
	// Missed says how to handle times that passed while the host was down, and Overlap times at
	// which the previous run has not ended.
	Missed  Missed
	Overlap Overlap
	// Outputs returns the outputs of the trigger for a scheduled time. now is the current time,
	// and missed the number of times before it that were missed.
	Outputs func(scheduled, now time.Time, missed int) map[string]any
}

func (Times) source() {}

// Firing is one event of a source.
type Firing struct {
	// Key identifies the event among all events of its trigger. Firings with the same key start
	// one run. A firing with an empty key is never recognized as a duplicate.
	Key string
	// Outputs are the outputs of the trigger. A value that does not fit its port fails the run.
	Outputs map[string]any
	// Cause is the run whose end it is, if it is one.
	Cause string
	// Files came with the event. They are stored as files of the run before the firing is
	// acknowledged.
	Files []Upload
}

// Upload is a file that came with a firing.
type Upload struct {
	Name, MIME string // as the sender has them
	Data       []byte
	// Put is called with the stored file and adds it to the outputs.
	Put func(value.Media)
}

// Poll is a source that checks for events from time to time.
type Poll struct {
	// Next returns when to check, as that of [Times] does. If it is nil, Every is the pause
	// between checks.
	Next  func(after time.Time) time.Time
	Every time.Duration
	// Look returns the events since the last check. memory is the next that it returned then:
	// JSON on one line, nil the first time. It is called again with the same memory if its
	// result could not be stored.
	Look func(ctx context.Context, memory []byte) (firings []Firing, next []byte, err error)
}

func (Poll) source() {}

// Watch is a source that waits for events.
type Watch struct {
	// Run waits for events until ctx ends. If it returns earlier, it is called again after a
	// pause. since is when the trigger was first armed: without a memory, all events from then
	// on count, even those before the call of Run.
	// fire returns when the firings and the memory are on disk; a nil memory leaves it as it
	// is. After an error nothing was stored, and Run may try again.
	Run func(ctx context.Context, since time.Time, memory []byte, fire func(firings []Firing, memory []byte) error) error
}

func (Watch) source() {}

// Missed says how to handle scheduled times that passed while the host was down.
type Missed string

// The ways to handle missed times.
const (
	MissedSkip Missed = "skip" // nothing
	MissedOnce Missed = "once" // one firing, for the last missed time
	MissedAll  Missed = "all"  // a firing for each, for at most the last hundred
)

// Overlap says how to handle a firing while the previous run has not ended.
type Overlap string

// The ways to handle overlapping firings.
const (
	OverlapSkip  Overlap = "skip"  // nothing
	OverlapQueue Overlap = "queue" // it waits for the end of the previous run
	OverlapAllow Overlap = "allow" // both runs run
)

// checkTrigger checks that a trigger can begin a run: nothing runs before it, so no wire
// can lead to it and all its inputs must be literal.
func (s *Spec) checkTrigger() error {
	if s.Role != RoleTrigger {
		return nil
	}
	if slices.ContainsFunc(s.Inputs, func(p Port) bool { return !p.Literal }) {
		return errors.New("all inputs of a trigger are literal")
	}
	if len(s.Outputs) == 0 {
		return errors.New("a trigger has an output")
	}
	return nil
}
