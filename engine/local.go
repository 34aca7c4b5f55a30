package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine/internal/redact"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// Runner executes plans. [Local] does so in this process.
type Runner interface {
	// Run executes p and returns its result, whether it completed, failed or was cancelled
	// through ctx. If the cause of ctx's end is a [node.Error], the run fails with that code
	// instead: the host stopped it, not its user. The error of Run is [ValidationErrors] about
	// o.Inputs, o.Firing and o.Pins, and then nothing was run; or [ErrHandedOff] or [*Parked] if
	// the run has not ended and another driver is to continue it.
	Run(ctx context.Context, p *Plan, o Options) (*Run, error)
}

// Options are the inputs, limits and hooks of one run.
type Options struct {
	RunID string
	// Inputs are the workflow's inputs by name. An input without a value or default is
	// null.
	Inputs map[string]any
	// Firing, if set, gives the outputs of one trigger. Other triggers are skipped.
	Firing *Firing
	// Observe, if set, is called with every event in order, one at a time, from
	// goroutines of the run. The run waits for it, so it must be quick.
	Observe func(Event)
	// Reuse, if set, returns the outputs of the node at path ("fmt", "loop/3/fmt") in an earlier
	// run, if it succeeded there with the same inputs. The node is then not called. The nodes
	// before it have been observed by then. Reuse is called from goroutines of the run.
	Reuse func(path string) (outputs map[string]any, ok bool)
	// Lost, if set, reports whether the outcome of an attempt at the node at path in an earlier
	// run is unknown. If a second call might repeat a side effect and the node has no retry, it
	// fails with the code outcome_unknown. Lost is called from goroutines of the run.
	Lost func(path string) bool
	// Began is when an interrupted run began. If it is set, the run resumes and its start
	// event is not emitted again; event numbers still start at 1. Told is the time of the
	// last recorded event: no event gets an earlier time, even if the clock was set back.
	Began, Told time.Time
	// Recorded, if set, returns the record of the node at path from before the interruption
	// of this run. A node that ended is not called again and emits no event. A node that
	// was running is called again with the same attempt number, or fails as Lost says.
	// Nodes inside a container are looked up if the container was running. Recorded is
	// called from goroutines of the run. [Recall] builds it from events.
	Recorded func(path string) (Recorded, bool)
	// Call, if set, is called for each attempt at a node that is not inline. It calls the
	// node in this process or has another process call it. Timeouts, retries and failures
	// work as usual. Call is called from goroutines of the run.
	Call func(ctx context.Context, c *Call) error
	// Park, if positive, ends the run with [*Parked] when no node is called and all others
	// wait longer than Park, for a time (see [node.Wait]) or for the next attempt. Running
	// nodes emit no end event.
	Park time.Duration
	// Stop, if set, cancels ctx with a cause, so that the runner need not create a context.
	// The caller must call it when the run has ended.
	Stop context.CancelCauseFunc
	// Leave, if set, hands the run off when it is closed: no node begins any more, running calls
	// end and emit their events, and Run returns [ErrHandedOff], unless that was the end of the
	// run. It does not wait for nodes that only wait or are called elsewhere.
	Leave <-chan struct{}
	// Secrets are redacted, in addition to those that nodes conceal.
	Secrets []string
	// KeepOutputs says which outputs of nodes are kept until the run ends.
	KeepOutputs Keep
	// Memory limits how many bytes the values of the run may take at once. 0 means the
	// runner's limit; a negative value means no limit.
	Memory int
	// CPU limits the computing time of the run's nodes; 0 means the runner's limit.
	CPU time.Duration
	// State is the state that nodes of the run use; nil for none. AtEnd functions are called
	// when the run ends, before those that nodes register.
	State node.State
	AtEnd []AtEnd
	// Pins replace calls of nodes, by path: "fmt"; "loop/fmt" in all rounds of a loop,
	// "loop/3/fmt" in one. The inputs of a pinned node must still be present and valid.
	Pins map[string]Pin
	// Asked, if set, is called when a pin replaces a call, with the inputs of the call. It
	// is called from goroutines of the run and must be quick.
	Asked func(path string, inputs map[string]any)
	// Before, if set, is called before the node at path is called or its pin is used. The
	// execution waits until it returns, which it must when ctx ends. It is called from
	// goroutines of the run, concurrently if bodies run in parallel.
	Before func(ctx context.Context, path string)
}

// Local runs plans in this process. Its zero value is ready for use, and safe for
// concurrent use.
type Local struct {
	// Blocking is how many nodes of one run are called at once, not counting containers,
	// inline nodes and pure ones; 0 means [DefaultBlocking]. Pure nodes, which only
	// compute, wait for CPU slots instead; see [Processors].
	Blocking int
	// Log receives problems for a plugin's author: panics with their stacks, and calls that
	// ignore the end of their context. nil discards them.
	Log *slog.Logger
	// Ended, if set, is called when a node has ended that was not called inline, inside
	// bodies too. It gets the node's type, status and duration, attempts and pauses
	// included. Inline nodes are left out, because they take less time than this call
	// would. It is called from many goroutines and must be quick.
	Ended func(typ string, s Status, took time.Duration)
	// RunMemory limits how many bytes the values of a run may take at once: those that it
	// keeps and those that its nodes are making. Shared parts count once. 0 means 512 MiB,
	// and a negative value means no limit. A node that exceeds it fails with the code
	// limit_exceeded.
	RunMemory int
	// RunCPU limits how long the nodes of a run may compute; 0 means no limit. It counts
	// the wall time of each pure or inline node: a node that waits for others costs
	// nothing. A node that exceeds it fails with the code limit_exceeded.
	RunCPU time.Duration
	// Memory bounds the memory of all runs together.
	Memory Memory
	// Processors limits the computing nodes of all runs together.
	Processors Processors

	abandoned atomic.Int64
}

// DefaultBlocking is how many nodes of one run are called at once.
const DefaultBlocking = 256

// Abandoned returns how many abandoned calls are still running, because they ignore the end
// of their context.
func (l *Local) Abandoned() int { return int(l.abandoned.Load()) }

// Run implements [Runner]. Inline nodes are called on the caller's goroutine, all others on
// separate goroutines. When it returns, every goroutine of the run has ended, except for
// abandoned calls.
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

// job is the state that the execution of a run shares with those of its bodies.
type job struct {
	local     *Local
	runID     string
	began     time.Time // on the clock of this process
	shown     time.Time // when the run began, as events show it
	atOnce    int       // how many calls that do more than compute may run at once
	callers   places    // see blocking
	computers places    // see processors
	events    *recorder // nil if nobody observes
	reuse     func(path string) (map[string]any, bool)
	lost      func(path string) bool
	pins      map[string]*pin // nil if there are none
	asked     func(path string, inputs map[string]any)
	before    func(ctx context.Context, path string)
	firing    *fired // nil without a firing
	scrub     redact.Redactor
	keeps     Keep
	memory    runBudget
	computing computing
	stopped   *Failure // why the host ended the run; nil unless it did
	state     node.State
	answers   bool // a single call, for a run of another process
	endings   endings
	control   *hostControl // nil if the run begins and ends in this process
	undone    *Failure     // why an AtEnd function failed
}

// hide has the run redact secrets.
func (j *job) hide(secrets []string) {
	for _, secret := range secrets {
		j.scrub.Add(secret)
	}
}

// places limits one kind of call. The semaphore is made at first use: most runs need none.
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

// blocking limits the calls of nodes that do more than compute.
func (j *job) blocking() *semaphore.Weighted { return j.callers.of(j.atOnce) }

// processors limits the calls of nodes that only compute, so that a run leaves one processor free.
func (j *job) processors() *semaphore.Weighted { return j.computers.of(j.local.Processors.slots()) }

// causeOf returns the cause of the end of ctx, if it is a node.Error.
func causeOf(ctx context.Context) *Failure {
	if cause, ok := errors.AsType[*node.Error](context.Cause(ctx)); ok {
		return failureOf(cause)
	}
	return nil
}

// since returns the time since the run began, on the monotonic clock.
func (j *job) since() time.Duration { return time.Since(j.began) }

// warn logs a fault of a plugin, with secrets redacted.
func (j *job) warn(message, path, detail string) {
	if j.local.Log != nil {
		j.local.Log.Warn(message, "run", j.runID, "node", path, "detail", j.scrub.Text(detail))
	}
}

// clean returns v with secrets redacted.
func (j *job) clean(v any) any { return j.scrub.Value(v) }

var _ Runner = (*Local)(nil)

// AtEnd is a function that a node wants called when its run ends; see [node.AtEnd].
type AtEnd = func(ctx context.Context, how node.Ending) error

// endings are the functions to call when a run ends. Their methods are safe for concurrent
// use.
type endings struct {
	mu   sync.Mutex
	todo []AtEnd
	over bool
}

func (e *endings) add(f AtEnd) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over { // not by an abandoned call after the run has ended
		e.todo = append(e.todo, f)
	}
}

// take returns all functions and ignores later ones.
func (e *endings) take() []AtEnd {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	return e.todo
}

// atEndTime limits the time of all functions at the end of a run together.
const atEndTime = 10 * time.Second

// finish calls the functions registered for the end of the run. If one fails, the run
// fails, and the remaining functions are called as for a failed run.
func (x *execution) finish(ctx context.Context) {
	todo := x.endings.take()
	if len(todo) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), atEndTime)
	defer cancel()
	for _, f := range todo {
		how := node.Ending{Completed: true}
		if failure := x.err(); failure != nil {
			how = node.Ending{Code: failure.Code}
		}
		if err := callAtEnd(ctx, f, how); err != nil {
			if err = x.failure(err); how.Completed {
				x.undone = failureOf(err)
			} else {
				x.warn("what a node wanted done at the end of its run has failed", "", err.Error())
			}
		}
	}
}

// callAtEnd calls f and turns a panic into an error.
func callAtEnd(ctx context.Context, f AtEnd, how node.Ending) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = node.Errorf(node.CodePanic, "the node panicked at the end of the run: %v", fmt.Sprint(p))
		}
	}()
	return f(ctx, how)
}
