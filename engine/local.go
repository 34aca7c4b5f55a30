package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// Runner executes plans. [Local] does so in this process.
type Runner interface {
	// Run executes p to its end and returns what came of it, whether it
	// completed, failed or was cancelled through ctx. If the cause of ctx's end is
	// a [node.Error], the run ends as failed with its code instead of cancelled:
	// the host has stopped it, not its user. Run's error is [ValidationErrors]
	// about o.Inputs, o.Firing and o.Pins: then nothing was run; or it says that the run
	// has not ended, and somebody is to go on with it: [ErrHandedOff], [*Parked].
	Run(ctx context.Context, p *Plan, o Options) (*Run, error)
}

// Options is what one run gets besides its plan.
type Options struct {
	RunID string
	// Inputs are the workflow's inputs by name. One that is neither given nor has
	// a default is null.
	Inputs map[string]any
	// Firing is what the run begins with: one trigger puts out what it has told, and
	// every other one is not taken. nil means that nothing has happened.
	Firing *Firing
	// Observe, if set, is called with every event in order, one at a time, from
	// goroutines of the run. The run waits for it, so it must be quick.
	Observe func(Event)
	// Reuse, if set, returns what the node at path ("fmt", "loop/3/fmt") put out
	// in an earlier run, if it succeeded there with the same inputs: it is not called
	// again. What the inputs come from has been observed by then. Reuse is called from goroutines of the run.
	Reuse func(path string) (outputs map[string]any, ok bool)
	// Lost, if set, reports whether an attempt at the node at path was under way in an
	// earlier run and nobody knows how it ended. If a second call might do something
	// twice, and the node has no retry, it fails with the code outcome_unknown and is
	// not called. Lost is called from goroutines of the run.
	Lost func(path string) bool
	// Began is when the run has begun, of one that was interrupted: it goes on, so that its
	// start is not told again. The number of an event is then one of those that are told here.
	// Told is when the last thing happened that is known of it: nothing is told to have happened
	// before that, whatever the clock shows by now.
	Began, Told time.Time
	// Recorded, if set, returns what is known of the node at path from before this run was
	// interrupted. A node that has ended is neither called nor told again, one that was under
	// way is called again and keeps the number of its attempt; Lost goes without saying. It is
	// asked for the nodes inside of a container if that was under way. Recorded is called
	// from goroutines of the run. [Recall] makes it of events.
	Recorded func(path string) (Recorded, bool)
	// Call, if set, is called for each attempt at a node that is not inline, and calls it or
	// has it called elsewhere. The timeout of the node, and all that becomes of a failure, are as
	// they always are. Call is called from goroutines of the run.
	Call func(ctx context.Context, c *Call) error
	// Park, if positive, lets the run be given up once nothing is called and all that is left
	// waits for longer than that: for its time (see [node.Wait]), or for the next attempt.
	// What has begun ends, untold, and Run returns [*Parked].
	Park time.Duration
	// Stop, if set, ends the context of the run for a reason, and whoever sets it calls it when
	// the run has ended. It spares the runner a context of its own.
	Stop context.CancelCauseFunc
	// Leave, if set, has the run left once it is closed: no node begins any more, what is being
	// called ends and is told, and then, unless that was the end of the run, Run returns
	// [ErrHandedOff]. For what only waits, or is called elsewhere, it does not wait.
	Leave <-chan struct{}
	// Secrets are hidden wherever they come up, besides those that nodes of the run use.
	Secrets []string
	// KeepOutputs says which outputs of nodes are kept to the end of the run.
	KeepOutputs Keep
	// Memory is how many bytes the values of the run may take at once; 0 means what the
	// runner says, and less any number.
	Memory int
	// CPU is how long the nodes of the run may compute; 0 means what the runner says.
	CPU time.Duration
	// State is what the run's nodes find in the context of their calls; nil for none. AtEnd
	// is done when the run ends, before what its nodes want done.
	State node.State
	AtEnd []AtEnd
	// Pins answer for nodes without calling them, by path: "fmt"; "loop/fmt" in all rounds
	// of a loop, "loop/3/fmt" in one. Their inputs have to come and to fit all the same.
	Pins map[string]Pin
	// Asked, if set, is called when a pin answers, with the inputs that the node would have
	// been called with. It is called from goroutines of the run and must be quick.
	Asked func(path string, inputs map[string]any)
	// Before, if set, is called before the node at path is called, or a pin answers for it,
	// and what it is in waits until Before returns, which it has to when ctx ends. It is
	// called from goroutines of the run, from several at once if bodies run beside others.
	Before func(ctx context.Context, path string)
}

// Local runs plans in this process. Its zero value is ready for use, and safe for
// concurrent use.
type Local struct {
	// Blocking is how many nodes of one run are called at once, not counting containers,
	// inline nodes and pure ones; 0 means [DefaultBlocking]. Nodes that only compute, as
	// pure ones do, take turns; see [Processors].
	Blocking int
	// Log takes what a plugin's author should know: panics with their stacks, and
	// calls that ignore the end of their context. nil discards it.
	Log *slog.Logger
	// Ended, if set, is called when a node that was called on a goroutine of its
	// own has ended, inside bodies too, with its type, its status and how long it
	// took, attempts and pauses included. Inline nodes would take less time than
	// the call. It is called from many goroutines and must be quick.
	Ended func(typ string, s Status, took time.Duration)
	// RunMemory is how many bytes the values of a run may take at once: those that it keeps,
	// and those that its nodes are making. What they have in common counts once. 0 means
	// 512 MiB, and less any number. A node with which it becomes more fails with the
	// code limit_exceeded.
	RunMemory int
	// RunCPU is how long the nodes of a run may compute; 0 means any time. What counts is the
	// time that passes while nodes are at work that are pure or inline, each for itself: a
	// node that waits for others costs nothing. A node with which it becomes more fails
	// with the code limit_exceeded.
	RunCPU time.Duration
	// Memory is what all runs may take together.
	Memory Memory
	// Processors are for what computes, in all runs together.
	Processors Processors

	abandoned atomic.Int64
}

// DefaultBlocking is how many nodes of one run are called at once.
const DefaultBlocking = 256

// Abandoned returns how many calls of nodes are running although nobody waits for
// them any more, because they ignored the end of their context.
func (l *Local) Abandoned() int { return int(l.abandoned.Load()) }

// Run implements [Runner]. Inline nodes are called on the caller's goroutine, all
// others on goroutines of their own. When it returns, every goroutine of the run
// has ended, but for abandoned calls.
func (l *Local) Run(ctx context.Context, p *Plan, o Options) (*Run, error) {
	inputs, problems := p.takeInputs(o.Inputs)
	firing, wrong := p.takeFiring(o.Firing)
	if problems = append(problems, wrong...); len(problems) > 0 {
		return nil, problems
	}
	pins, problems := p.takePins(o.Pins)
	if len(problems) > 0 {
		return nil, problems
	}
	j := &job{local: l, runID: o.RunID, atOnce: cmp.Or(l.Blocking, DefaultBlocking), reuse: o.Reuse, lost: o.Lost, pins: pins, asked: o.Asked, before: o.Before, firing: firing}
	j.hide(o.Secrets)
	j.begin(o.Began)
	j.keeps, j.memory.most, j.computing.most = o.KeepOutputs, l.runMemory(o.Memory), cmp.Or(o.CPU, l.RunCPU)
	j.state, j.endings.todo = o.State, slices.Clone(o.AtEnd)
	ctx = l.Memory.enter(ctx, &j.memory, o.Stop)
	defer j.memory.leave()
	ctx, stop := j.goOn(ctx, &o)
	defer stop()
	if o.Observe != nil {
		j.events = &recorder{runID: o.RunID, observe: o.Observe, ctx: ctx, last: later(j.shown, o.Told.UTC())}
	}
	x := newExecution(j, p, inputs)
	x.recall = j.control.newRecall()
	if o.Began.IsZero() {
		j.events.runStarted(p.id)
	}
	x.run(ctx)
	if err := j.events.end(ctx); err != nil {
		return nil, err
	}
	if x.cancelled {
		j.stopped = j.memory.blame(causeOf(ctx))
	}
	x.finish(ctx)
	r := newRun(ctx, o.RunID, x)
	j.events.runEnded(r)
	return r, nil
}

// runMemory returns how many bytes the values of a run may take.
func (l *Local) runMemory(asked int) int64 {
	most := cmp.Or(asked, l.RunMemory, limit.RunMemory)
	if most < 0 {
		return math.MaxInt64
	}
	return int64(most)
}

// job is what the execution of a plan shares with those of the bodies in it.
type job struct {
	local     *Local
	runID     string
	began     time.Time // on the clock of this process
	shown     time.Time // when the run has begun, as everybody is told
	atOnce    int       // how many calls that do more than compute
	callers   places    // see blocking
	computers places    // see processors
	events    *recorder // nil if nobody observes
	reuse     func(path string) (map[string]any, bool)
	lost      func(path string) bool
	pins      map[string]*pin // nil if there are none
	asked     func(path string, inputs map[string]any)
	before    func(ctx context.Context, path string)
	firing    *fired // nil if nothing has happened
	scrub     scrubber
	keeps     Keep
	memory    runBudget
	computing computing
	stopped   *Failure // why the host ended the run; nil unless it did
	state     node.State
	answers   bool // a single call, for a run that goes on elsewhere
	endings   endings
	control   *hostControl // nil of a run that begins and ends here
	undone    *Failure     // why something could not be done at the end of the run
}

// hide makes secrets those of the run.
func (j *job) hide(secrets []string) {
	for _, secret := range secrets {
		j.scrub.add(secret)
	}
}

// places are those of one kind of call. They are made for the first one: most runs have none.
type places struct {
	made atomic.Pointer[semaphore.Weighted]
}

func (p *places) of(n int) *semaphore.Weighted {
	if made := p.made.Load(); made != nil {
		return made
	}
	p.made.CompareAndSwap(nil, semaphore.NewWeighted(int64(n)))
	return p.made.Load()
}

// blocking returns the places of nodes that do more than compute.
func (j *job) blocking() *semaphore.Weighted { return j.callers.of(j.atOnce) }

// processors returns the places of nodes that only compute: so many that one processor is
// left for others, whatever the run has to do.
func (j *job) processors() *semaphore.Weighted { return j.computers.of(j.local.Processors.slots()) }

// causeOf returns why ctx has ended, if that has a code.
func causeOf(ctx context.Context) *Failure {
	if cause, ok := errors.AsType[*node.Error](context.Cause(ctx)); ok {
		return failureOf(cause)
	}
	return nil
}

// since returns the time since the run began, on the monotonic clock.
func (j *job) since() time.Duration { return time.Since(j.began) }

// warn logs trouble that a plugin has made, without the run's secrets.
func (j *job) warn(message, path, detail string) {
	if j.local.Log != nil {
		j.local.Log.Warn(message, "run", j.runID, "node", path, "detail", j.scrub.text(detail))
	}
}

// clean returns v as the run may show it.
func (j *job) clean(v any) any { return j.scrub.value(v) }

var _ Runner = (*Local)(nil)
