package store

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/run"
)

// SharedFirings is the part of [SharedRuns] for the runs of triggers: any process puts them
// down, and they wait until whoever lets triggers fire gives them a place. It is safe for
// concurrent use.
type SharedFirings interface {
	// Admit gives a run that waits its place, or says [ErrNoPlace]. One that has its place
	// keeps it; one that has ended is [ErrRunEnded].
	Admit(ctx context.Context, runID string, limits SharedLimits) error
	// Waiting returns the runs that wait for a place and were started behind a time, oldest
	// first, and Admitted those of triggers that have got one and have not ended.
	Waiting(ctx context.Context, since time.Time) ([]run.Record, error)
	Admitted(ctx context.Context) ([]run.Record, error)
	// Inbox tells how many runs wait for a place, and how many bytes they have put down.
	Inbox(ctx context.Context) (Inbox, error)
	// EndedSince returns the runs whose ends were recorded at a time or later, by the one clock
	// of the store, in the order in which that was.
	EndedSince(ctx context.Context, since time.Time) ([]RunEnd, error)

	// Await says that a caller waits for the answer of a run, which is to be sealed for a key,
	// until Unawait.
	Await(ctx context.Context, runID string, key []byte) error
	Unawait(ctx context.Context, runID string) error
	// Awaiting returns the key of the caller who waits for the answer of a run, and Answer
	// leaves that for him, sealed. If nobody waits, or has got an answer, it is
	// [ErrNobodyAwaits].
	Awaiting(ctx context.Context, runID string) (key []byte, err error)
	Answer(ctx context.Context, runID string, sealed []byte) error
	// Answers returns the answers that have come for runs, of all of them in one question.
	Answers(ctx context.Context, runIDs []string) ([]SealedAnswer, error)
}

// Inbox is what waits for places.
type Inbox struct {
	Runs  int
	Bytes int64
}

// RunEnd is a run that has ended, and when that was recorded.
type RunEnd struct {
	RunID string
	At    time.Time
}

// SealedAnswer is what a node of a run answers the caller of a hook, for whom it is sealed.
type SealedAnswer struct{ RunID, Sealed string }

// AwaitedFor is how long callers are remembered who have gone without saying so.
const AwaitedFor = 24 * time.Hour
