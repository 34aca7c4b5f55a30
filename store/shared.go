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

// What a [SharedRuns] can answer besides what a [RunStore] can.
var (
	// ErrRunTaken says that a run has another driver by now. Who gets it has written nothing
	// and never will again: it stops what it has under way and leaves.
	ErrRunTaken = errors.New("the run has another driver by now")
	// ErrRunDriven says that a run has a driver whose lease is fresh. Who was to take it waits
	// and asks again.
	ErrRunDriven = errors.New("the run has a driver that is alive")
	// ErrRunEnded says that a run has ended already, so that there is nothing to drive or to
	// cancel.
	ErrRunEnded = errors.New("the run has ended already")
	// ErrNoPlace says that as many runs have not ended as may be.
	ErrNoPlace = errors.New("as many runs as may go on at once are going on; try again when one has ended")
	// ErrRunResumed says that another run goes on with the same run and has not ended.
	ErrRunResumed = errors.New("another run that goes on with this one has not ended yet")
	// ErrNobodyAwaits says that nobody waits for the answer of a run, or that it has one.
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

	// Begin records the start of a run, in one step with all it depends on; no more than a
	// place, a key and a resumption of each can be had by anybody, however many ask at once.
	// Once it returns nil the run survives everything, as one that has not ended; after
	// an error nothing of it is there, but for [ErrUnavailable], after which it may be: the
	// same start again finds out. Other errors are
	//   - fs.ErrExist, if the id is in use, and some other error if it is no UUID of version 7;
	//   - a [KeyHeldError], if its idempotency key stands for a run already;
	//   - [ErrTooManyKeys], [ErrRunResumed], [ErrNoPlace], or [ErrArmedElsewhere].
	// A run that waits (see [run.Start.First]) takes no place; see Admit.
	Begin(ctx context.Context, start run.Start, limits SharedLimits) error
	// Keep records runs that have ended already, as [RunStore.Keep] does.
	Keep(ctx context.Context, ended []run.Kept) []error

	// Take makes driver, which names a process, the writer of a run, in a new epoch. It is
	// [ErrRunDriven] while another driver of the run has a fresh lease, and [ErrRunEnded] after
	// the run's end. Who takes its own run again fences its earlier self.
	Take(ctx context.Context, runID, driver string) (Taken, error)
	// Renew says that a driver is alive for another [LeaseLife], by the one clock of the store.
	Renew(ctx context.Context, driver string) error
	// Retire says that a driver is gone: others may take its runs at once.
	Retire(ctx context.Context, driver string) error
	// ReleaseAllExcept releases all unfinished runs of a driver but some, as [SharedJournal.Leave]
	// does: runs whose Take succeeded although its answer was lost, and runs that could not be
	// released while the store was unavailable. No other driver could take them while this one
	// renews its lease. The driver must not call Take meanwhile.
	ReleaseAllExcept(ctx context.Context, driver string, but []string) error
	// Unfinished returns the ids of up to limit runs that have not ended, in order of their
	// starts, that nobody drives: they have no driver with a fresh lease, they are not parked
	// until some later time, and they do not wait for their place.
	Unfinished(ctx context.Context, limit int) ([]string, error)

	// RequestCancel marks a run to be cancelled, which its driver sees by Changes. It may be
	// asked again; of a run that has ended it is [ErrRunEnded].
	RequestCancel(ctx context.Context, runID string) error
	// Changes tells how far runs are, of all of them in one question, in no order. Runs that
	// are not kept are left out.
	Changes(ctx context.Context, runIDs []string) ([]Change, error)

	// Put keeps the JSON of a value for a run that has not ended, once, and returns what it
	// goes by. A frame may have a hole for it from then on without bringing it. Its bytes
	// count for the run: past the bound it is a [RunBytesError].
	Put(ctx context.Context, runID string, text []byte) (run.Digest, error)

	// Delete removes a run that has ended, a damaged one too. One that goes on is
	// [ErrRunRunning].
	Delete(ctx context.Context, runID string) error
	// Tidy lets runs make room that have ended, as keep wants it, and prepares for those that
	// come. Somebody calls it now and then; several may at once.
	Tidy(ctx context.Context, keep Retention) error
	// Check says why no run could begin at the moment, or nil.
	Check(ctx context.Context) error
	// Close gives the connection up. The runs stay as they are.
	Close() error
}

// SharedLimits bounds what all processes together may have.
type SharedLimits struct {
	// Unfinished is how many runs may have a place, which they have from their start to
	// their end; 0 is no bound.
	Unfinished int
	// Armed is the epoch (see [Arming]) in which alone it may be had; 0 is any. Who was taken
	// for dead as the one who lets triggers fire gets [ErrArmedElsewhere].
	Armed int64
}

// SharedJournal takes the frames of one run in one epoch, from one goroutine at a time.
type SharedJournal interface {
	// Append writes frames, the first of which has the number after the last one, and the
	// values for their holes that the run does not have yet: all or nothing, and only in its
	// own epoch, else it is [ErrRunTaken]. Once it returns, they survive everything. A
	// terminal frame, which may only be the last one, the record's end and the free place are
	// one step. A frame that is earlier than one before it is refused, so whoever makes them
	// goes by Taken.Last.
	//
	// After [ErrUnavailable] nobody knows whether they are there: the same frames again, and
	// others behind them if need be, find out, and nothing is written twice. A frame past the
	// bound of a run is a [RunBytesError], but a terminal one always fits.
	Append(ctx context.Context, frames ...run.Frame) error
	// Leave gives the run up for others, at once or, if it is parked, from a time on. Its take
	// does not count: whoever leaves a run has not crashed with it.
	Leave(ctx context.Context, until time.Time) error
}

// Taken is a run that somebody drives now.
type Taken struct {
	SharedJournal

	Epoch  int
	Frames int       // that it has; the next one has the number after that
	Last   time.Time // the time of the last frame; zero if there is none
	// Takes is how often the run was taken and not left in good order since it got on (see
	// [GotOn]), this time and the one that it got on with included: a run that takes its
	// drivers down is not to be driven for ever.
	Takes     int
	Lost      bool // who drove it last has not left it in good order, but died
	Cancelled bool // it is to be cancelled
}

// Change is how far a run is.
type Change struct {
	RunID     string
	Frames    int           // how many it has
	Status    engine.Status // waiting, running, completed, failed or cancelled
	Cancelled bool          // it is to be cancelled, or was
	Epoch     int           // how often it was taken
	// Driver is who drives it; empty if nobody does, or it has ended. Parked says until when
	// it is parked; zero if it is not.
	Driver string
	Parked time.Time
}

// KeyHeldError says that an idempotency key stands for a run already.
type KeyHeldError struct {
	Start run.Start // as [RunReader.ByKey] tells it
	Gone  bool      // the run is not kept any more
}

// Error implements error.
func (e *KeyHeldError) Error() string {
	return fmt.Sprintf("the idempotency key stands for run %s already", e.Start.RunID)
}

// GotOn reports whether a run has got on by frames: progress alone brings it no nearer to its end,
// so that what reports and then takes its driver down would do so for ever.
func GotOn(frames []run.Frame) bool {
	return slices.ContainsFunc(frames, func(f run.Frame) bool { return f.Name != engine.EventProgress })
}

// ErrNoValue says that a frame has a hole for which there is nothing.
var ErrNoValue = errors.New("the frame names a value that the run does not have")

// ErrFrameEarlier says that a frame of shared runs is earlier than one before it.
var ErrFrameEarlier = errors.New("the frame is earlier than one before it")

// SharedID returns the id of a run that processes share: a UUID of version 7, which has the time
// of the start, as it is always written.
func SharedID(runID string) (uuid.UUID, error) {
	id, err := uuid.Parse(runID)
	if err != nil || id.Version() != 7 || id.String() != runID {
		return uuid.UUID{}, fmt.Errorf("%.80q is no id of a run: those are UUIDs of version 7", runID)
	}
	return id, nil
}
