package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// Errors of a [RunStore]. Other errors wrap the cause from the operating system.
var (
	// ErrRunNotFound says that there is no run with this id, or not any more.
	ErrRunNotFound = errors.New("no such run")
	// ErrRunDamaged says that the journal of a run cannot be read.
	ErrRunDamaged = errors.New("damaged journal of a run")
	// ErrRunRunning says that a run cannot be deleted because it is unfinished.
	ErrRunRunning = errors.New("the run is still going on; cancel it first")
	// ErrRunGone says that the run of an idempotency key was removed.
	ErrRunGone = errors.New("the run of this idempotency key is not kept any more")
	// ErrTooManyKeys says that the limit of idempotency keys is reached.
	ErrTooManyKeys = errors.New("too many idempotency keys were used within a day; try again later")
	// ErrRunsInUse says that another process has the store open.
	ErrRunsInUse = errors.New("the runs are in use by another service")
	// ErrInvalidCursor says that the cursor of a query was not returned with a page.
	ErrInvalidCursor = errors.New("not a cursor of this list")
)

// RunStore stores asynchronous runs: their starts, and their events as frames, numbered from 1
// without gaps (docs/design.md, Events). It is safe for concurrent use and belongs to one process
// at a time. All implementations pass the suite of package storetest.
type RunStore interface {
	RunReader

	// Create creates a run and returns its journal. Once it returns, the run survives a crash of
	// the machine, as an unfinished run. It is an error if the id is in use, or is not 1 to 64
	// lower-case letters, digits and dashes. With an idempotency key, the error may be
	// [ErrTooManyKeys].
	Create(ctx context.Context, start run.Start) (Journal, error)
	// Unfinished returns the ids of unfinished runs that have no open journal, which an earlier
	// process has left.
	Unfinished(ctx context.Context) ([]string, error)
	// Reopen returns the journal of an unfinished run, so that it can be ended.
	Reopen(ctx context.Context, runID string) (Journal, error)
	// Outline returns the workflow of a run with only its id and the ids of its nodes. The result
	// is shared and must not be changed.
	Outline(ctx context.Context, runID string) (*workflow.Definition, error)
	// Finish ends unfinished runs with their last frames, each all or nothing, and waits for the
	// disk once for all of them. It returns nil if all have ended. Otherwise it returns an error,
	// or nil, for each; runs with an error can be reopened.
	Finish(ctx context.Context, lasts []Last) []error

	// Keep records runs that have already ended, each all or nothing. It does not wait for the
	// disk, so a crash of the machine may lose them. It returns nil if all are recorded. Otherwise
	// it returns an error, or nil, for each.
	Keep(ctx context.Context, ended []run.Kept) []error

	// Delete removes a run that has ended or is damaged. For an unfinished run it returns
	// [ErrRunRunning].
	Delete(ctx context.Context, runID string) error

	// Close gives the store up, so that another process can open it. Runs with open journals stay
	// unfinished.
	Close() error
}

// Last is the last frame of an unfinished run.
type Last struct {
	RunID string
	Frame run.Frame
}

// RunReader reads stored runs.
type RunReader interface {
	// Start returns the start of a run.
	Start(ctx context.Context, runID string) (run.Start, error)
	// ByKey returns the id, start time, key and request digest of the last run with an idempotency
	// key that started within [run.KeyLife]. If there is no such run, or the key is empty, it
	// returns [ErrRunNotFound]. Keys outlive their runs: if the run was removed, it returns
	// [ErrRunGone].
	ByKey(ctx context.Context, key string) (run.Start, error)
	// Record describes a run, without its result, which is in its last frame.
	Record(ctx context.Context, runID string) (run.Record, error)
	// Records describes runs, newest first, without their results and without damaged runs.
	Records(ctx context.Context, q run.Query) (run.Page, error)
	// Frames returns the frames after number after, in order, whose names and data fit into
	// maxBytes, but at least one. It returns none if there are no more yet. It does not resolve
	// references to large values.
	Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error)

	// Value returns the JSON of a large value to which a frame refers.
	Value(ctx context.Context, runID string, d run.Digest) ([]byte, error)
}

// Journal receives the frames of one run, from one goroutine at a time.
type Journal interface {
	// Append writes f, whose number must follow that of the last frame, and the values it refers to
	// that the run does not have yet. Once it returns, f survives a crash of the process; a
	// terminal f also survives a crash of the machine, and closes the journal. After an error
	// nothing of f is stored. If f exceeds the size limit of a run, the error is a [RunBytesError];
	// a terminal frame is never refused for its size.
	Append(f run.Frame) error
}

// Retention limits what a [RunStore] keeps. Whenever a run starts or ends, runs that have ended are
// removed, in the order of their ends. Unfinished runs are always kept. The run that ended last is
// only removed for its age, so that its followers see its end. A zero field means no limit.
type Retention struct {
	Runs  int
	Age   time.Duration // since the run ended
	Bytes int64         // of journals
}

// DefaultRetention is the default retention of a service.
func DefaultRetention() Retention {
	return Retention{Runs: 10_000, Age: 30 * 24 * time.Hour, Bytes: 2 << 30}
}

// RunBytesError says that a run has reached its size limit.
type RunBytesError struct{ Most int64 }

// Error implements error.
func (e *RunBytesError) Error() string {
	return fmt.Sprintf("the run puts down more than the %d bytes that a run may (--run-bytes)", e.Most)
}
