package app

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

// Runs keeps and drives the asynchronous runs of an App, which compiles workflows, checks
// inputs and tells requests apart. [LocalRuns] does so in this process; where several
// processes share their runs, each asks for all of them. It is safe for concurrent use.
// Implementations pass the suite of package apptest.
type Runs interface {
	// Start begins a run, which goes on when ctx has ended, and returns its id. If the
	// idempotency key of w has begun one within [run.KeyLife], that is the one; if with another
	// digest, the error is [ErrKeyReused]. No place is [ErrRunLimit]. After an error, nothing
	// was started.
	Start(ctx context.Context, w drive.Work) (runID string, err error)
	// Resume is Start for a run that goes on with the one that w names, which has to be
	// recorded and to have ended, and goes on with one run at a time: else the error is
	// [ErrRunNotResumable].
	Resume(ctx context.Context, w drive.Work) (runID string, err error)
	// Cancel makes a run end as cancelled, within a second; one that waits, at once. It may be
	// repeated until then; after it, it is [ErrRunEnded].
	Cancel(ctx context.Context, runID string) error

	// Record describes a run without its result, which its last frame has, and Records
	// describes runs, newest first. An unknown one is [store.ErrRunNotFound].
	Record(ctx context.Context, runID string) (run.Record, error)
	Records(ctx context.Context, q run.Query) (run.Page, error)
	// Started returns what a run was started with.
	Started(ctx context.Context, runID string) (run.Start, error)
	// ByKey returns what is known of the run for which an idempotency key stands; see
	// [store.RunStore].
	ByKey(ctx context.Context, key string) (run.Start, error)
	// Source has the frames of a run, one at a time, and what belongs into their holes, as
	// long as ctx lives.
	Source(ctx context.Context, runID string) run.Source
	// Follow returns a follower of the frames behind number after; 0 is for all of them.
	Follow(ctx context.Context, runID string, after int) (Follower, error)
	// Ended returns the runs that have ended behind a place, in the order of their ends, and
	// the next place, which is text for whoever asks again, in another process too. It waits
	// until there are some. With no place, it returns at once those that have ended since a
	// time, and maybe some that were told of then and have ended before.
	Ended(ctx context.Context, since time.Time, place string) (runIDs []string, next string, err error)

	// Keep records a run that somebody has waited for, without waiting for the disk. What is
	// asked for after it, has it.
	Keep(ended run.Kept)
	// Delete removes what is kept of a run that has ended; one that goes on is
	// [store.ErrRunRunning]. Its idempotency key goes on standing for it.
	Delete(ctx context.Context, runID string) error

	// Waits is for the runs of triggers.
	Waits

	// Stats tells what is going on; Sync is not filled in.
	Stats() Stats
	// Ready waits until runs can be started: what an earlier process has left unfinished has
	// ended by then, or goes on. Its error tells of runs that could not be dealt with.
	Ready(ctx context.Context) error
	// Drain takes no more runs, waits until ctx ends for those that go on here, and then
	// leaves or interrupts them. Close ends everything that is left, afterwards.
	Drain(ctx context.Context)
	Close() error
}

// Waits is the part of [Runs] for triggers: their runs wait for a place, which whoever lets
// the triggers fire gives them.
type Waits interface {
	// Wait puts runs down that wait. Once it returns they are on the disk, in one go. A key
	// that stands for a run makes no other. It returns what came of each, also beside an error.
	Wait(ctx context.Context, works []drive.Work) ([]PutDown, error)
	// Begin gives a run a place that waits, in the epoch of who lets triggers fire, or says why
	// there is none; [ErrNotWaiting] is one that does not wait any more. A run that cannot begin
	// ends as failed.
	Begin(ctx context.Context, runID string, armed int64) error
	// Drop ends a run as cancelled if it waits.
	Drop(ctx context.Context, runID string) error
	// Waiting returns what the runs were started with that waited when the process began, in
	// the order in which they came.
	Waiting(ctx context.Context) iter.Seq2[run.Start, error]
	// Interrupted returns the runs of triggers that a crash of an earlier process has
	// interrupted. They end once it is remembered that they are to go on, which Remembered
	// tells: else another crash in between would leave runs that have ended, and nobody who
	// resumes them.
	Interrupted() []run.Record
	Remembered()
	// Answer returns where the answer comes that a node of a run gives to the caller of a hook,
	// until that is gone. When the run has ended, look has it come if there is one.
	Answer(runID string) (reply <-chan node.Reply, look, gone func())
}

// SharedWaits is [Waits] of many processes, each of which puts runs down, and one of which lets
// triggers fire. What such runs are interrupted by, others go on with; so none of [Runs] that
// are shared is to be resumed by itself, and those that Interrupted returns go on.
type SharedWaits interface {
	Waits

	// Arrived returns the runs that wait and were put down behind a time, oldest first, and
	// Inbox tells how many do.
	Arrived(ctx context.Context, since time.Time) ([]run.Record, error)
	Inbox(ctx context.Context) (store.Inbox, error)
	// Places is how many runs of triggers may go on at once.
	Places() int
}

// PutDown is what came of a run that was to be put down.
type PutDown struct {
	RunID string // "" if it could not be
	Known bool   // its key had made it before
}

// ErrNotWaiting says that a run does not wait any more.
var ErrNotWaiting = errors.New("the run does not wait for a place any more")

// Follower reads the frames of one run in order, each once; outputs of nodes over 64 KiB are
// elided in them (docs/design.md, Events). It has nothing to close. It is not safe for
// concurrent use.
type Follower interface {
	// Next waits until there are frames and returns a bounded number of them. They are shared
	// with other followers: never write to them. The error is io.EOF behind the terminal
	// frame, or when the run goes on where nobody hears of it; an error of ctx leaves the
	// follower as it was.
	Next(ctx context.Context) ([]run.Frame, error)
}

// decoded is a Follower that may have the events of frames at hand that it has just returned.
type decoded interface {
	// want makes it have them from now on, until that is enough.
	want() (enough func())
	event(seq int) (engine.Event, bool)
}

// Stats is what an App is doing, for operators.
type Stats struct {
	Sync, Async int // runs that are going on
	Unrecorded  int // runs that have ended while their journals could not be written
	Dropped     int // runs that somebody waited for which were not recorded, since the App began
}
