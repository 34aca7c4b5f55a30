package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// What a [RunStore] can answer besides a run. Errors of run stores wrap these, or
// the cause from the operating system.
var (
	// ErrRunNotFound says that no run of this id is kept: there never was one, or
	// it had to make room.
	ErrRunNotFound = errors.New("no such run")
	// ErrRunDamaged says that the journal of a run cannot be read.
	ErrRunDamaged = errors.New("damaged journal of a run")
	// ErrRunRunning says that a run has not ended, so that it cannot be deleted.
	ErrRunRunning = errors.New("the run is still going on; cancel it first")
	// ErrRunGone says that the run of an idempotency key is not kept any more.
	ErrRunGone = errors.New("the run of this idempotency key is not kept any more")
	// ErrTooManyKeys says that no more idempotency keys can be remembered for now.
	ErrTooManyKeys = errors.New("too many idempotency keys were used within a day; try again later")
	// ErrRunsInUse says that another owner has the store open.
	ErrRunsInUse = errors.New("the runs are in use by another service")
	// ErrInvalidCursor says that a query's cursor is none that a page has ended
	// with.
	ErrInvalidCursor = errors.New("not a cursor of this list")
)

// RunStore keeps asynchronous runs: what each was started with, and its events,
// numbered from 1 without gaps (docs/design.md, Events). It is safe for
// concurrent use and belongs to one owner at a time. All run stores pass the suite
// of package storetest.
type RunStore interface {
	RunReader

	// Create begins the journal of a run. Once it returns, the run survives a
	// crash of the machine, as one that has not ended. An id that is in use, or
	// is not made of up to 64 lower-case letters, digits and dashes, is an error.
	// With a key, it may also be [ErrTooManyKeys].
	Create(ctx context.Context, start run.Start) (Journal, error)
	// Unfinished returns the ids of the runs whose journals have no terminal
	// frame and no writer: what an earlier owner left behind.
	Unfinished(ctx context.Context) ([]string, error)
	// Reopen returns the journal of an unfinished run, to be brought to its end.
	Reopen(ctx context.Context, runID string) (Journal, error)
	// Outline returns the workflow that a run was started with, of which it has the id and
	// those of its nodes. It is shared: nobody changes it.
	Outline(ctx context.Context, runID string) (*workflow.Definition, error)
	// Finish brings unfinished runs to their ends with their last frames, of each all or
	// nothing, and waits once for the disk, as it were for all of them. It returns nil if
	// they have ended, and else for each why it has not: that one can be reopened.
	Finish(ctx context.Context, lasts []Last) []error

	// Keep records runs that have ended already, of each all or nothing, and does not wait
	// for the disk: a crash of the machine may lose them. It returns nil if it has recorded
	// all of them, and else for each why it has not.
	Keep(ctx context.Context, ended []run.Kept) []error

	// Delete removes a run that has ended, a damaged one too. One that goes on is
	// [ErrRunRunning].
	Delete(ctx context.Context, runID string) error

	// Close gives the store up for another owner. Journals that are still open
	// stay as they are.
	Close() error
}

// Last is the last frame of an unfinished run.
type Last struct {
	RunID string
	Frame run.Frame
}

// RunReader reads runs that are kept.
type RunReader interface {
	// Start returns what a run was started with.
	Start(ctx context.Context, runID string) (run.Start, error)
	// ByKey returns the id, the time, the key and the digest of the run that was started
	// last with an idempotency key within [run.KeyLife]; if there is none, or the key is
	// empty, it is [ErrRunNotFound]. Keys live on their own: of a run that is not kept any
	// more, the error is [ErrRunGone].
	ByKey(ctx context.Context, key string) (run.Start, error)
	// Record describes a run, without its result, which its last frame has.
	Record(ctx context.Context, runID string) (run.Record, error)
	// Records describes runs, newest first, without their results. Damaged runs
	// are left out.
	Records(ctx context.Context, q run.Query) (run.Page, error)
	// Frames returns frames of a run behind number after, in order: those whose
	// names and data fit into maxBytes, but at least one. None means that there
	// are no more yet. What belongs into their holes is not read.
	Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error)

	// Value returns the JSON of a large value, which belongs into a hole of a frame.
	Value(ctx context.Context, runID string, d run.Digest) ([]byte, error)
}

// Journal takes the frames of one run, from one goroutine at a time.
type Journal interface {
	// Append writes f, whose number is the one after the last, and the values for its
	// holes that the run does not have yet. Once it returns, f survives a crash of the
	// process, and a terminal f one of the machine; the journal is then closed. After an
	// error nothing of f is there. A frame past the bound of a run is a [RunBytesError],
	// but a terminal one always fits.
	Append(f run.Frame) error
}

// Retention bounds what a [RunStore] keeps. Runs that have ended make room, in
// the order of their ends, whenever a run starts or ends. One that has not ended
// is always kept, and the one that ended last makes room only for its age, so
// that those who follow it see its end. The zero value of a field means no bound.
type Retention struct {
	Runs  int
	Age   time.Duration // since the run ended
	Bytes int64         // of journals
}

// DefaultRetention is what a service keeps unless it is told otherwise.
func DefaultRetention() Retention {
	return Retention{Runs: 10_000, Age: 30 * 24 * time.Hour, Bytes: 2 << 30}
}

// RunBytesError says that a run has put down as much as a run may.
type RunBytesError struct{ Most int64 }

// Error implements error.
func (e *RunBytesError) Error() string {
	return fmt.Sprintf("the run puts down more than the %d bytes that a run may (--run-bytes)", e.Most)
}
