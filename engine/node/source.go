package node

import "time"

// Source is what makes a trigger fire by itself once its workflow is active. It is one of
// the types below; whoever runs workflows runs sources of each kind and knows no node
// types. A trigger without one fires by hand only.
type Source interface{ source() }

// Times is a source that fires at times that are known beforehand.
type Times struct {
	// Next returns the first time after a time at which to fire; the zero time if there
	// is none any more. The same time always gives the same answer.
	Next func(after time.Time) time.Time
	// Jitter is by how much, at most, a firing is put off by chance, so that not everybody
	// comes at the full hour.
	Jitter time.Duration
	// Missed says what becomes of times at which nobody was there, and Overlap of a time at
	// which the run of the one before goes on.
	Missed  Missed
	Overlap Overlap
	// Outputs returns what the trigger puts out for a time, at the time at which that is
	// known, with the number of those before it that were missed.
	Outputs func(scheduled, now time.Time, missed int) map[string]any
}

func (Times) source() {}

// Missed says what becomes of the times that passed while nobody was there.
type Missed string

// What becomes of missed times.
const (
	MissedSkip Missed = "skip" // nothing
	MissedOnce Missed = "once" // one firing, for the last of them
	MissedAll  Missed = "all"  // a firing for each, for the last hundred of them at most
)

// Overlap says what becomes of a firing while a run of the one before goes on.
type Overlap string

// What becomes of firings that overlap.
const (
	OverlapSkip  Overlap = "skip"  // nothing
	OverlapQueue Overlap = "queue" // it waits for the end of the run before
	OverlapAllow Overlap = "allow" // both go on
)
