package node

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/value"
)

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

// Firing is one thing that a source tells of.
type Firing struct {
	// Key tells what has happened from all else that its trigger ever tells of, so that it
	// makes one run, however often it is told. With an empty key, it has to be told once.
	Key string
	// Outputs are what the trigger puts out. What does not fit its ports fails the run.
	Outputs map[string]any
	// Cause is the run whose end it is, if it is one.
	Cause string
	// Files came with it. They become files of its run, before anybody is told that it was
	// taken.
	Files []Upload
}

// Upload is a file that came with what happened.
type Upload struct {
	Name, MIME string // as the sender has them
	Data       []byte
	// Put is told where the file is, and puts that into the outputs.
	Put func(value.Media)
}

// Poll is a source that looks from time to time whether something has happened.
type Poll struct {
	// Next returns when to look, as that of [Times] does; Every is how long after the look
	// before, if Next is nil.
	Next  func(after time.Time) time.Time
	Every time.Duration
	// Look tells what has happened since it was called last. memory is what it returned
	// then: JSON on one line, nil the first time. It is called again with the same memory
	// if what it returns cannot be kept.
	Look func(ctx context.Context, memory []byte) (firings []Firing, next []byte, err error)
}

func (Poll) source() {}

// Watch is a source that waits for what happens.
type Watch struct {
	// Run waits until ctx ends. It is called again, after a while, if it returns before.
	// since is when the trigger was armed first: without a memory, what has happened from
	// then on counts, also if it did so before Run was called.
	// fire returns once what has happened, and what is to be remembered from then on, is on
	// the disk; nil leaves the memory as it is. If that fails, nothing of it has happened,
	// and it can be tried again.
	Run func(ctx context.Context, since time.Time, memory []byte, fire func(firings []Firing, memory []byte) error) error
}

func (Watch) source() {}

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
