// Package runs follows runs for the window: it starts a run or opens an earlier one, follows
// it while it is in progress, and cancels it. The canvas and the panels draw it.
package runs

import (
	"context"
	"time"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/runview/record"
)

// Backend runs workflows. It is safe for concurrent use.
type Backend interface {
	Follower
	Start(ctx context.Context, def *workflow.Definition, o run.Request) (runID string, err error)
	Run(ctx context.Context, runID string) (run.Record, error)
	RunWorkflow(ctx context.Context, runID string) (*workflow.Definition, error)
}

// Host is somewhere runs go on.
type Host struct {
	URL     string // empty for this computer
	Backend Backend
}

// Config is what Runs needs. All fields are required.
type Config struct {
	User  job.Reporter
	Jobs  *job.Runner
	Specs func() *doc.Specs // the node types of the host
	// Shown is called when another run, or none, is shown; Progressed after events of the
	// run; Ticked when only time has passed; and Ended after its last event. err says why the
	// run could not be started or followed.
	Shown      func()
	Progressed func()
	Ticked     func()
	Ended      func(r *Run, err error)
}

// Run is a run that is shown.
type Run struct {
	Host    Host // where it is
	ID      string
	Record  *record.Recorder
	Running bool
	// Board shows the run: the board of the document that was run or, for a Past run, another
	// one with the workflow of that run.
	Board *board.Board
	Past  bool
	// Stops are its breakpoints; nil if it has none.
	Stops *Stops
	// Ran is what it was started with here; nil if unknown.
	Ran *Ran

	trial     *trial     // nil for a recorded run
	following *following // nil for a run that has ended, or was lost
	last      int        // the number of the last known event
}

// Runs shows one run, or none: each open workflow has its own. Make it with [New]. It belongs
// to the window's goroutine.
type Runs struct {
	config  Config
	shown   *Run
	opening *job.Latest
	clock   func() // stops it; nil while it is stopped
}

// tickEvery is the interval for updating displayed durations while a run is in progress.
const tickEvery = time.Second / 10

// New returns Runs without a run.
func New(c Config) *Runs { return &Runs{config: c, opening: c.Jobs.Latest(0)} }

// Recorded reports whether the run is recorded at its host.
func (r *Runs) Recorded() bool { return r.shown != nil && r.shown.trial == nil }

// Shown returns the run that is shown; nil if none is.
func (r *Runs) Shown() *Run { return r.shown }

// Running reports whether the run that is shown is in progress.
func (r *Runs) Running() bool { return r.shown != nil && r.shown.Running }

// Past returns the board of the past run; nil without one.
func (r *Runs) Past() *board.Board {
	if r.shown == nil || !r.shown.Past {
		return nil
	}
	return r.shown.Board
}

// Start runs a workflow at a host and follows the run on the board that shows it.
func (r *Runs) Start(at Host, on *board.Board, def *workflow.Definition, o run.Request) {
	r.Forget()
	shown := &Run{Host: at, Record: record.New(), Board: on}
	r.follow(shown, func(ctx context.Context) (string, error) { return at.Backend.Start(ctx, def, o) })
	r.show(shown)
}

// Lost reports that a host cannot be reached. Its run may continue there, but is no longer
// shown as running.
func (r *Runs) Lost(at string) {
	shown := r.shown
	if !r.Running() || shown.Host.URL != at || shown.ID == "" {
		return
	}
	shown.following.close()
	r.lose(shown)
	r.config.Progressed()
}

// Found reports that a host can be reached again: a lost run is followed again from the last
// known event.
func (r *Runs) Found(at string) {
	shown := r.shown
	if shown == nil || !shown.Record.Lost() || shown.Host.URL != at || shown.ID == "" {
		return
	}
	shown.Record.Find()
	shown.Board.Run = shown.Record.State
	r.follow(shown, func(context.Context) (string, error) { return shown.ID, nil })
	r.tick(true)
	r.config.Progressed()
}

// Open shows a run of the history, with its workflow and result, read-only. A run in progress
// is followed. in returns the Runs to show it in, and is called once the run was read.
func (r *Runs) Open(at Host, runID string, in func() *Runs) {
	r.opening.Now(job.Reporting(r.config.User, lang.L("Opening the run…"), func(ctx context.Context) (func(), error) {
		def, err := at.Backend.RunWorkflow(ctx, runID)
		if err != nil {
			return nil, err
		}
		whole, err := at.Backend.Run(ctx, runID)
		return func() {
			in().showPast(at, def, whole)
		}, err
	}))
}

func (r *Runs) showPast(at Host, def *workflow.Definition, whole run.Record) {
	r.Forget()
	board := board.New(doc.New(def, r.config.Specs()), 1, 1) // until the canvas reports its size
	board.ReadOnly = true
	shown := &Run{Host: at, ID: whole.RunID, Board: board, Past: true}
	if whole.Result != nil {
		shown.Record = record.Past(whole.Result)
	} else { // it is in progress: catch up with it
		shown.Record = record.New()
		r.follow(shown, func(context.Context) (string, error) { return whole.RunID, nil })
	}
	r.show(shown)
}

// Cancel cancels the run in progress.
func (r *Runs) Cancel() {
	if !r.Running() {
		return
	}
	following := r.shown.following
	r.config.Jobs.Go(job.Reporting(r.config.User, lang.L("Cancelling…"), func(ctx context.Context) (func(), error) {
		return nil, following.cancel(ctx)
	}))
}

// Forget shows no run any more. The run itself continues.
func (r *Runs) Forget() {
	r.opening.Stop()
	shown := r.shown
	if shown == nil {
		return
	}
	if shown.following != nil {
		shown.following.close()
	}
	if shown.trial != nil {
		shown.trial.jobs.Close()
	}
	shown.Board.Run = nil
	r.shown = nil
	r.tick(false)
	r.config.Shown()
}

func (r *Runs) show(shown *Run) {
	shown.Board.Run, r.shown = shown.Record.State, shown
	r.tick(shown.Running)
	r.config.Shown()
}

func (r *Runs) follow(shown *Run, start func(context.Context) (string, error)) {
	shown.Running = true
	shown.following = follow(r.config.Jobs, shown.Host.Backend, shown.last, feed{
		started: func(id string) { shown.ID = id },
		events: func(events []engine.Event) {
			shown.last = events[len(events)-1].Seq
			shown.Record.Apply(events)
			r.config.Progressed()
		},
		ended: func(err error) { r.end(shown, err) },
	}, start)
}

// end records the end of a run.
func (r *Runs) end(shown *Run, err error) {
	if err != nil {
		r.lose(shown)
	} else {
		shown.Running = false
		r.tick(false)
	}
	r.config.Ended(shown, err)
}

// lose records that the state of a run is unknown.
func (r *Runs) lose(shown *Run) {
	shown.Running, shown.following = false, nil
	r.tick(false)
	shown.Board.Run = nil
	shown.Record.Lose()
}

// tick starts or stops the clock.
func (r *Runs) tick(on bool) {
	switch {
	case on && r.clock == nil:
		r.clock = r.config.Jobs.Every(tickEvery, r.config.Ticked)
	case !on && r.clock != nil:
		r.clock()
		r.clock = nil
	}
}
