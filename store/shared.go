package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// Errors of [SharedRuns], in addition to those of [RunStore].
var (
	// ErrRunTaken says that another driver has taken the run. The caller has written nothing and
	// cannot write any more; it must stop its work on the run.
	ErrRunTaken = errors.New("the run has another driver by now")
	// ErrRunDriven says that the driver of a run has a valid lease. Callers of Take retry later.
	ErrRunDriven = errors.New("the run has a driver that is alive")
	// ErrRunEnded says that a run has ended already, so that there is nothing to drive or to
	// cancel.
	ErrRunEnded = errors.New("the run has ended already")
	// ErrNoPlace says that the limit of unfinished runs is reached.
	ErrNoPlace = errors.New("as many runs as may go on at once are going on; try again when one has ended")
	// ErrRunResumed says that an unfinished run has already resumed the same run.
	ErrRunResumed = errors.New("another run that goes on with this one has not ended yet")
	// ErrNobodyAwaits says that no caller waits for the answer of a run, or that it has an answer.
	ErrNobodyAwaits = errors.New("nobody waits for an answer of the run")
)

// LeaseLife is how long a lease is valid after a driver has renewed it. Drivers renew every second.
const LeaseLife = 5 * time.Second

// SharedRuns stores runs that several processes start, drive, follow and cancel at the same time.
// A run has one writer, its driver. Taking a run starts a new epoch, which fences the previous
// driver: its writes fail. So frames are numbered from 1 without gaps, and all processes read the
// same frames, even if processes crash.
//
// It is safe for concurrent use. While the storage is unavailable, errors wrap [ErrUnavailable];
// acknowledged writes are not lost. A run that was damaged by
// hand is [ErrRunDamaged], spoils no other and can be deleted. All of them pass the suite
// Shared of package storetest.
type SharedRuns interface {
	RunReader
	SharedCalls
	SharedFirings

	// Begin records the start of a run in one transaction with its run slot, its idempotency key
	// and its resumption; concurrent callers cannot exceed the limits. Once it returns nil, the run
	// is durable and unfinished. After an error nothing is recorded, except after
	// [ErrUnavailable], where the outcome is unknown: repeat the same start. Other errors are
	//   - fs.ErrExist, if the id is in use, and some other error if it is no UUID of version 7;
	//   - a [KeyHeldError], if another run has the same idempotency key;
	//   - [ErrTooManyKeys], [ErrRunResumed], [ErrNoPlace], or [ErrArmedElsewhere].
	// A run that waits (see [run.Start.First]) takes no run slot; see Admit.
	Begin(ctx context.Context, start run.Start, limits SharedLimits) error
	// Keep records runs that have ended already, as [RunStore.Keep] does.
	Keep(ctx context.Context, ended []run.Kept) []error

	// Take makes driver, which names a process, the writer of a run, in a new epoch. It is
	// [ErrRunDriven] while another driver of the run has a fresh lease, and [ErrRunEnded] after
	// the run's end. A driver that takes its own run again fences its earlier epoch.
	Take(ctx context.Context, runID, driver string) (Taken, error)
	// Renew extends the lease of a driver by [LeaseLife], by the clock of the store.
	Renew(ctx context.Context, driver string) error
	// Retire ends the lease of a driver, so that others may take its runs at once.
	Retire(ctx context.Context, driver string) error
	// ReleaseAllExcept releases all unfinished runs of a driver but some, as [SharedJournal.Leave]
	// does: runs whose Take succeeded although its answer was lost, and runs that could not be
	// released while the store was unavailable. No other driver could take them while this one
	// renews its lease. The driver must not call Take meanwhile.
	ReleaseAllExcept(ctx context.Context, driver string, but []string) error
	// Unfinished returns the ids of up to limit runs that have not ended, in order of their
	// starts, that have no driver with a valid lease, are not parked and do not wait for a run
	// slot.
	Unfinished(ctx context.Context, limit int) ([]string, error)

	// RequestCancel marks a run for cancellation; its driver sees the mark in Changes. It may be
	// repeated. The error for an ended run is [ErrRunEnded].
	RequestCancel(ctx context.Context, runID string) error
	// Changes returns the progress of several runs with one query, in no order. Unknown runs are
	// left out.
	Changes(ctx context.Context, runIDs []string) ([]Change, error)

	// Put stores the JSON of a value for an unfinished run, once, and returns its digest. Later
	// frames may refer to it without including it. Its bytes count for the run: over the limit
	// the error is a [RunBytesError].
	Put(ctx context.Context, runID string, text []byte) (run.Digest, error)

	// Delete removes a run that has ended or is damaged. The error for an unfinished run is
	// [ErrRunRunning].
	Delete(ctx context.Context, runID string) error
	// Tidy deletes ended runs according to keep, and prepares storage for new ones. Call it
	// periodically; concurrent calls are allowed.
	Tidy(ctx context.Context, keep Retention) error
	// Check returns why no run can begin at the moment, or nil.
	Check(ctx context.Context) error
	// Close closes the connection. The runs stay as they are.
	Close() error
}

// SharedLimits are limits for all processes together.
type SharedLimits struct {
	// Unfinished is the number of run slots; a run has one from its start to its end. 0 is no
	// limit.
	Unfinished int
	// Armed is the epoch (see [Arming]) that the caller must still hold; 0 skips the check. A
	// process that is no longer the leader of triggers gets [ErrArmedElsewhere].
	Armed int64
}

// SharedJournal receives the frames of one run in one epoch, from one goroutine at a time.
type SharedJournal interface {
	// Append writes frames, the first of which must have the number after the last one, and the
	// values they refer to that the run does not have yet, all or nothing. In a later epoch it
	// returns [ErrRunTaken]. Once it returns nil, the frames are durable. Only the last frame may
	// be terminal; it also ends the run and frees its slot, atomically. A frame that is earlier
	// than one before it is refused; see Taken.Last.
	//
	// After [ErrUnavailable] the outcome is unknown. Append the same frames again, with further
	// ones behind them if needed; nothing is written twice. If a frame exceeds the size limit of a
	// run, the error is a [RunBytesError]; a terminal frame is never refused for its size.
	Append(ctx context.Context, frames ...run.Frame) error
	// Leave releases the run for others, at once or, if it is parked, from a time on. The take is
	// not counted in Taken.Takes, since the driver has not crashed with the run.
	Leave(ctx context.Context, until time.Time) error
}

// Taken is a run with a driver.
type Taken struct {
	SharedJournal

	Epoch  int
	Frames int       // number of frames; the next one has this number plus 1
	Last   time.Time // time of the last frame; zero without frames
	// Takes is how often the run was taken, including this time, and not released with Leave since
	// it last made progress (see [GotOn]). A run with many takes crashes its drivers and should not
	// be driven for ever.
	Takes     int
	Lost      bool // its last driver crashed instead of calling Leave
	Cancelled bool // cancellation was requested
}

// Change is the progress of a run.
type Change struct {
	RunID     string
	Frames    int           // number of frames
	Status    engine.Status // waiting, running, completed, failed or cancelled
	Cancelled bool          // cancellation was requested
	Epoch     int           // number of takes
	// Driver is empty if the run has no driver or has ended. Parked is the end of its parking;
	// zero if it is not parked.
	Driver string
	Parked time.Time
}

// KeyHeldError says that another run has the same idempotency key.
type KeyHeldError struct {
	Start run.Start // as returned by [RunReader.ByKey]
	Gone  bool      // the run was removed
}

// Error implements error.
func (e *KeyHeldError) Error() string {
	return fmt.Sprintf("the idempotency key stands for run %s already", e.Start.RunID)
}

// GotOn reports whether frames bring a run nearer to its end. Progress reports alone do not:
// otherwise a run that reports progress and then crashes its driver would be retried for ever.
func GotOn(frames []run.Frame) bool {
	return slices.ContainsFunc(frames, func(f run.Frame) bool { return f.Name != engine.EventProgress })
}

// ErrNoValue says that a frame refers to a value that the run does not have.
var ErrNoValue = errors.New("the frame names a value that the run does not have")

// ErrFrameEarlier says that a frame of shared runs is earlier than one before it.
var ErrFrameEarlier = errors.New("the frame is earlier than one before it")

// SharedID parses the id of a shared run: a UUID of version 7, which contains the start time, in
// canonical form.
func SharedID(runID string) (uuid.UUID, error) {
	id, err := uuid.Parse(runID)
	if err != nil || id.Version() != 7 || id.String() != runID {
		return uuid.UUID{}, fmt.Errorf("%.80q is no id of a run: those are UUIDs of version 7", runID)
	}
	return id, nil
}
