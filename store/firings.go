package store

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/run"
)

// SharedFirings is the part of [SharedRuns] for runs that triggers start. Any process records them,
// and they wait until the leader, the process that fires triggers, gives them a run slot. It is
// safe for concurrent use.
type SharedFirings interface {
	// Admit gives a waiting run a slot, or returns [ErrNoPlace]. It does nothing if the run has a
	// slot, and returns [ErrRunEnded] if the run has ended.
	Admit(ctx context.Context, runID string, limits SharedLimits) error
	// Waiting returns the runs that wait for a slot and were started after since, oldest first.
	// Admitted returns the unfinished runs of triggers that have a slot.
	Waiting(ctx context.Context, since time.Time) ([]run.Record, error)
	Admitted(ctx context.Context) ([]run.Record, error)
	// Inbox returns the number and the size of the runs that wait for a slot.
	Inbox(ctx context.Context) (Inbox, error)
	// EndedSince returns the runs whose ends were recorded at or after since, by the clock of the
	// store, in that order.
	EndedSince(ctx context.Context, since time.Time) ([]RunEnd, error)

	// Await records that a caller waits for the answer of a run. The answer is to be sealed with
	// key. Unawait ends that.
	Await(ctx context.Context, runID string, key []byte) error
	Unawait(ctx context.Context, runID string) error
	// Awaiting returns the key of the caller that waits for the answer of a run; Answer stores the
	// sealed answer for that caller. If no caller waits, or the answer is already stored, they
	// return [ErrNobodyAwaits].
	Awaiting(ctx context.Context, runID string) (key []byte, err error)
	Answer(ctx context.Context, runID string, sealed []byte) error
	// Answers returns the answers stored for runs, with a single query.
	Answers(ctx context.Context, runIDs []string) ([]SealedAnswer, error)
}

// Inbox is the number and the size of the runs that wait for a slot.
type Inbox struct {
	Runs  int
	Bytes int64
}

// RunEnd is the end of a run, and when it was recorded.
type RunEnd struct {
	RunID string
	At    time.Time
}

// SealedAnswer is the answer of a run to the caller of a webhook, sealed with that caller's key.
type SealedAnswer struct{ RunID, Sealed string }

// AwaitedFor is how long a waiting caller is remembered if it never calls Unawait.
const AwaitedFor = 24 * time.Hour
