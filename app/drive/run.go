package drive

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// Host owns the journal of a run and shows its events to followers.
type Host interface {
	// Append writes frames, all or none. The first one has the number after the last written
	// frame; a terminal frame comes alone or last. If another process drives the run by now, or
	// the run is to be handed off, the error wraps [engine.ErrHandedOff]; any other error fails the
	// run. There are no concurrent calls.
	Append(frames []run.Frame) error
	// Show is called with each written frame as followers see it, in order, and with its event.
	Show(shown run.Frame, e engine.Event)
	// Unfollowed reports whether the run has no followers. Then Show is not called for the
	// terminal frame, number seq, if that would have to be read from the journal.
	Unfollowed(seq int) bool
	// Ended is called with the result before the terminal frame is shown.
	Ended(result *engine.Result)
	// Respond passes on a reply of a node to the caller of the hook.
	Respond(reply node.Reply) error
	// Stop cancels the context of the run.
	Stop(cause error)
}

// Run drives one run: it runs the plan, writes the events to the journal, then shows them.
// Callers must call [Run.Init] first.
type Run struct {
	// Start is the recorded start of the run.
	Start run.Start
	// Earlier holds the runs that this one resumes; nil if there are none.
	Earlier *EarlierRuns
	// BatchDelay is how long frames of nodes without side effects may wait, to be written in one
	// append with others; if they are lost, the nodes run again. Waiting frames are written
	// before a node with side effects is called, and when it has ended. 0 writes each frame at
	// once.
	BatchDelay time.Duration
	// Exact makes frames record which numbers are floats, so that another process can continue
	// the run.
	Exact bool
	// Park, if set, parks the run once it waits for longer than that; see [engine.Options].
	Park time.Duration
	// Leave, if set, is closed when the run is to be handed off as soon as its current calls have
	// ended; see [engine.Options].
	Leave <-chan struct{}
	// Secrets are redacted, in addition to those that nodes of this process use.
	Secrets []string
	// Call, if set, calls nodes, for example in other processes; see [engine.Options].
	Call func(ctx context.Context, c *engine.Call) error
	// Elsewhere, if set, reports whether the interrupted attempt at a node still runs in another
	// process, where Call finds it.
	Elsewhere func(path string) bool

	env  *Env
	from Records
	host Host

	releaseFiles func() // releases the directory of the run; may be called again

	mu             sync.Mutex // held during writes
	encoder        run.Encoder
	one            [1]run.Frame   // the frame being written, to save an allocation
	seq            int            // number of the last frame; the next one gets its number here
	known          *engine.Recall // of a continued run; else nil
	batch          frameBatch
	journalErr     *node.Error // why the journal refused a frame; else nil
	handedOff      error       // why another process continues the run; else nil
	endFromJournal bool        // the result comes from the journal, not from the engine
	omitNodes      bool        // the terminal frame omits the nodes; readers derive them
	overLimit      string      // the node whose frame exceeded the size limit of the run

	end          atomic.Pointer[engine.Result] // set with the terminal frame
	unwrittenEnd atomic.Pointer[run.Frame]     // the terminal frame, if the journal refused it
}

// Init sets what the run needs from its backend. Call it after the fields are set.
func (r *Run) Init(env *Env, from Records, host Host) {
	r.env, r.from, r.host, r.releaseFiles = env, from, host, func() {}
	r.encoder.Exact = r.Exact
}

// Drive runs the plan to the end of the run, whatever happens, and returns nil. If the run was
// parked or handed off instead, it returns an [*engine.Parked], or an error that wraps
// [engine.ErrHandedOff].
func (r *Run) Drive(ctx context.Context, plan *engine.Plan) error {
	var earlier []string
	if r.Earlier != nil {
		earlier = r.Earlier.IDs()
	}
	working, leave := r.env.WithFiles(ctx, r.Start.RunID, earlier...)
	r.releaseFiles = sync.OnceFunc(leave)
	failure, left := r.call(node.WithResponder(working, r.host.Respond), plan)
	r.releaseFiles()
	if left == nil {
		r.Conclude(context.WithoutCancel(ctx), failure)
	}
	return r.handOff(left) //nolint:contextcheck // the journal is written even if the caller has left
}

// Over reports whether the run has ended.
func (r *Run) Over() bool { return r.end.Load() != nil }

// Result returns the result; nil before the end.
func (r *Run) Result() *engine.Result { return r.end.Load() }

// UnwrittenEnd returns the terminal frame if the journal refused it, else nil.
func (r *Run) UnwrittenEnd() *run.Frame { return r.unwrittenEnd.Load() }

// call runs the plan. It returns the failure of a run that emitted no terminal event, or why the
// run was parked or handed off.
func (r *Run) call(ctx context.Context, plan *engine.Plan) (failure *node.Error, left error) {
	defer func() {
		if p := recover(); p != nil {
			r.env.Log.ErrorContext(ctx, "a run panicked", "run", r.Start.RunID, "panic", p, "stack", string(debug.Stack()))
			failure = node.Errorf(node.CodePanic, "the run panicked: %v", p)
		}
	}()
	options, err := r.options(ctx)
	if err != nil {
		return node.Errorf(node.CodeOf(err), "%w", err), nil
	}
	_, err = r.env.Runner.Run(ctx, plan, options)
	if _, parked := errors.AsType[*engine.Parked](err); parked || errors.Is(err, engine.ErrHandedOff) {
		return nil, err
	}
	if err != nil {
		return node.Errorf(node.CodeOf(err), "%w", err), nil
	}
	return node.Errorf(node.CodeFailed, "the runner ended without a result"), nil
}

func (r *Run) options(ctx context.Context) (o engine.Options, err error) {
	state := NewState(r.env, &r.Start, r.Earlier)
	o = engine.Options{
		RunID: r.Start.RunID, Inputs: r.Start.Inputs, Firing: r.Start.Firing, Observe: r.observe, KeepOutputs: engine.KeepShown, // outputs are in the journal
		State: state, Park: r.Park, Leave: r.Leave, Call: r.Call, Secrets: r.Secrets,
	}
	if r.BatchDelay > 0 {
		o.Call = r.callAfterFlush
	}
	if r.Earlier != nil {
		o.Reuse, o.Lost = r.Earlier.outputs, r.Earlier.underWay
	}
	if r.known != nil {
		o.Began, o.Told, o.Recorded = r.known.Began, r.known.Told, r.recorded
	}
	if r.Earlier != nil || r.known != nil || r.Call != nil { // a node of another process cannot request it
		if o.AtEnd, err = state.relend(context.WithoutCancel(ctx)); err != nil {
			err = stateError(err)
		}
	}
	return o, err
}

// handOff writes the batch and stops writing: another process continues the run.
func (r *Run) handOff(why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush()
	if r.handedOff != nil {
		return r.handedOff
	}
	r.handedOff = why
	return why
}
