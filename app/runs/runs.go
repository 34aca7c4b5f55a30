// Package runs declares what keeps and drives the asynchronous runs of an App. [Backend] is the
// seam: package localruns implements it for one process, package cluster for several processes
// that share their runs. The errors of all backends are here, too.
package runs

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Backend keeps and drives the asynchronous runs of an App. The App compiles workflows, checks
// inputs and computes request digests; a Backend does the rest. It is safe for concurrent use.
// Implementations pass the test suite in package apptest.
type Backend interface {
	// Start begins a run and returns its id. The run continues after ctx has ended. If the
	// idempotency key of w started a run within [run.KeyLife], Start returns that run's id, or
	// [ErrKeyReused] if the digests differ. Without a free run slot it returns [ErrRunLimit].
	// After an error, nothing was started.
	Start(ctx context.Context, w drive.Work) (runID string, err error)
	// Resume starts a run that continues the one named by w.Start.ResumedFrom. That run has to
	// be recorded, to have ended, and not to be continued by another run at the moment;
	// otherwise the error is [ErrRunNotResumable].
	Resume(ctx context.Context, w drive.Work) (runID string, err error)
	// Cancel ends a run as cancelled: within a second if it is running, at once if it is
	// waiting. It does not wait for the end, and it may be repeated. After the end it returns
	// [ErrRunEnded].
	Cancel(ctx context.Context, runID string) error

	// Record describes a run without its result, which is in its last frame. An unknown run is
	// [store.ErrRunNotFound].
	Record(ctx context.Context, runID string) (run.Record, error)
	// Records describes runs, newest first.
	Records(ctx context.Context, q run.Query) (run.Page, error)
	// Started returns what a run was started with.
	Started(ctx context.Context, runID string) (run.Start, error)
	// ByKey returns the run that an idempotency key started, as [store.RunStore.ByKey] does.
	ByKey(ctx context.Context, key string) (run.Start, error)
	// Source reads the frames of a run and the large values they refer to. It is valid until
	// ctx ends.
	Source(ctx context.Context, runID string) run.Source
	// Follow returns a follower of the frames after number after; 0 means all frames.
	Follow(ctx context.Context, runID string, after int) (Follower, error)
	// Ended returns runs that have ended after a cursor, in the order of their ends, and the
	// next cursor. It waits until there is at least one. Cursors are valid across restarts and
	// processes. With an empty cursor it returns at once, with the runs that ended since the
	// given time and possibly a few that ended shortly before.
	Ended(ctx context.Context, since time.Time, cursor string) (runIDs []string, next string, err error)

	// Keep records a run whose caller waited for it, without waiting for the disk. Later calls
	// of the Backend's other methods see it.
	Keep(ended run.Kept)
	// Delete removes a run that has ended. An unfinished run is [store.ErrRunRunning]. Its
	// idempotency key stays in use.
	Delete(ctx context.Context, runID string) error

	TriggerQueue

	// Stats reports what the backend is doing, without Stats.Sync.
	Stats() Stats
	// Ready waits until runs can be started: by then the unfinished runs of an earlier process
	// have ended or been continued. Its error reports runs for which neither was possible.
	Ready(ctx context.Context) error
	// Drain refuses new runs and waits for those that this process drives. When ctx ends, it
	// interrupts the rest or hands them off.
	Drain(ctx context.Context)
	// Close releases everything that is left. Callers must call Drain first.
	Close() error
}

// TriggerQueue is the part of [Backend] for runs that triggers start. Such runs are queued, and
// wait until the service of triggers gives each a run slot.
type TriggerQueue interface {
	// Wait enqueues runs. When it returns they are on disk; runs that come together share
	// writes. A key that has started a run starts no second one. It returns the outcome of
	// each work, also beside an error.
	Wait(ctx context.Context, works []drive.Work) ([]Enqueued, error)
	// Begin gives a waiting run a slot. armed is the epoch of the leader (see trigger.Shared).
	// If the run does not wait any more, the error is [ErrNotWaiting]. A run that cannot begin
	// ends as failed.
	Begin(ctx context.Context, runID string, armed int64) error
	// Drop cancels a run if it waits.
	Drop(ctx context.Context, runID string) error
	// Waiting yields the runs that were waiting when the process began, oldest first.
	Waiting(ctx context.Context) iter.Seq2[run.Start, error]
	// Interrupted returns the runs of triggers that a crash of an earlier process interrupted.
	// They stay unfinished until the caller has recorded that they are to be resumed, and calls
	// Remembered. If they ended sooner, a second crash could lose the resume.
	Interrupted() []run.Record
	Remembered()
	// Answer returns the channel of the reply that a node of a run gives to the caller of a
	// hook. Call look after the run has ended, to fetch a reply that has not arrived yet, and
	// gone when nobody waits for the reply any more.
	Answer(runID string) (reply <-chan node.Reply, look, gone func())
}

// SharedTriggerQueue is a [TriggerQueue] of several processes. Each enqueues runs; one, the
// leader, lets triggers fire. Other processes take over interrupted runs, so nobody has to
// resume those that Interrupted returns: they are running.
type SharedTriggerQueue interface {
	TriggerQueue

	// Arrived returns the waiting runs that were enqueued since a time, oldest first.
	Arrived(ctx context.Context, since time.Time) ([]run.Record, error)
	// Inbox reports how many runs wait.
	Inbox(ctx context.Context) (store.Inbox, error)
	// Places is the number of run slots for triggers.
	Places() int
}

// Enqueued is the outcome of enqueueing one run.
type Enqueued struct {
	RunID string // "" if it was not enqueued
	Known bool   // its key had started RunID before
}

// ErrNotWaiting means that a run is not in the queue any more.
var ErrNotWaiting = errors.New("the run does not wait for a place any more")

// Follower reads the frames of one run in order, each once. Outputs of nodes over 64 KiB are
// elided (docs/design.md, Events). A Follower needs no Close, and is not safe for concurrent
// use.
type Follower interface {
	// Next waits until there are frames and returns a bounded number of them. Callers must not
	// change them: followers share them. After the terminal frame the error is io.EOF, and also
	// when this process will see no more frames of the run. An error of ctx leaves the follower
	// as it was.
	Next(ctx context.Context) ([]run.Frame, error)
}

// EventFollower is a [Follower] that can often return events without decoding frames.
type EventFollower interface {
	// WantEvents makes the follower keep the events of new frames until stop is called.
	WantEvents() (stop func())
	// Event returns the event of a frame that Next has just returned, if it was kept.
	Event(seq int) (engine.Event, bool)
}

// Stats reports what an App is doing, for operators.
type Stats struct {
	Sync, Async int // runs in progress
	Unrecorded  int // ended runs whose last frame could not be written yet
	Dropped     int // runs with a waiting caller that were not recorded, since the App began
}
