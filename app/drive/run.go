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

// Host keeps the run that is driven: it has its journal, and shows what happens.
type Host interface {
	// Append writes frames, the first of which has the number after the last one, all or none
	// of them. The terminal one comes alone or last. If somebody else drives the run by now, or
	// it is to be left for another reason, the error wraps [engine.ErrHandedOff]; after any other
	// one, the run fails. It is called by one goroutine at a time.
	Append(frames []run.Frame) error
	// Show is told of each frame once that is written, in order, as it is shown, and of its
	// event.
	Show(shown run.Frame, e engine.Event)
	// Unseen reports whether nobody follows the run, whose last frame, of that number, would
	// have to be made from what is recorded: then that is not shown.
	Unseen(seq int) bool
	// Ended is told how the run ends before its last frame is shown.
	Ended(result *engine.Result)
	// Respond takes the answer that a node gives to the caller of a hook.
	Respond(reply node.Reply) error
	// Stop ends the context of the run, for a reason.
	Stop(cause error)
}

// Run is a run as it is driven: it has its plan run, writes what happens to its journal, and
// then shows it. Whoever makes it calls [Run.Init].
type Run struct {
	// Start is what it begins with.
	Start run.Start
	// Earlier are the runs that it goes on with; nil if there are none.
	Earlier *Past
	// Company is how long what happens in nodes that only compute may wait for other frames, to
	// be written in one go with them; if that is lost, it is made again, the same. Frames of
	// other nodes are written before these are called, and once they have ended. 0 is no time.
	Company time.Duration
	// Exact makes frames tell which numbers are floats, for whoever goes on with the run.
	Exact bool
	// Park lets the run be given up once it only waits, for longer than that; see
	// [engine.Options].
	Park time.Duration
	// Leave, if set, is closed when the run is to be left for somebody else once what is being
	// called has ended; see [engine.Options].
	Leave <-chan struct{}
	// Secrets are hidden wherever they come up, besides those that nodes use here.
	Secrets []string
	// Call, if set, has nodes called, for example elsewhere; see [engine.Options].
	Call func(ctx context.Context, c *engine.Call) error
	// Elsewhere, if set, reports whether the attempt at the node of a path that was under way
	// when the run was interrupted goes on in another process, where Call finds it.
	Elsewhere func(path string) bool

	env  *Env
	from Records
	host Host

	leaveFiles func() // of the run: it needs them no more; may be called again

	mu      sync.Mutex // held while the journal is being written
	encoder run.Encoder
	one     [1]run.Frame   // that is being written; nothing otherwise
	seq     int            // number of the last frame; the next one gets its number here
	known   *engine.Recall // of a run that is gone on with
	company company
	lost    *node.Error // why the journal did not take a frame; nil as long as it took all
	left    error       // why somebody else goes on with the run; nil unless that is so
	retold  bool        // the outcome is what is recorded, not what the plan gave
	unread  bool        // and the last frame leaves it to its readers to find that out
	past    string      // the node whose frame was more than a run may put down

	end  atomic.Pointer[engine.Result] // once the terminal frame is out
	owed atomic.Pointer[run.Frame]     // the terminal frame, if the journal did not take it
}

// Init gives the run what it needs besides.
func (r *Run) Init(env *Env, from Records, host Host) {
	r.env, r.from, r.host, r.leaveFiles = env, from, host, func() {}
	r.encoder.Exact = r.Exact
}

// Drive runs the plan to the end of the run, whatever happens, and returns nil; or it returns
// why the run was left before that, for somebody to go on with: [*engine.Parked], or what
// wraps [engine.ErrHandedOff].
func (r *Run) Drive(ctx context.Context, plan *engine.Plan) error {
	var earlier []string
	if r.Earlier != nil {
		earlier = r.Earlier.IDs()
	}
	working, leave := r.env.Working(ctx, r.Start.RunID, earlier...)
	r.leaveFiles = sync.OnceFunc(leave)
	failure, left := r.call(node.WithResponder(working, r.host.Respond), plan)
	r.leaveFiles()
	if left == nil {
		r.Conclude(context.WithoutCancel(ctx), failure)
	}
	return r.leave(left) //nolint:contextcheck // what has happened is written whoever waits
}

// Over reports whether the terminal frame is out.
func (r *Run) Over() bool { return r.end.Load() != nil }

// Result returns how the run has ended; nil before that.
func (r *Run) Result() *engine.Result { return r.end.Load() }

// Owed returns the terminal frame if the journal did not take it, else nil.
func (r *Run) Owed() *run.Frame { return r.owed.Load() }

// call runs the plan. It returns what to say of a run whose end has not come
// through its events, or why it was left.
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
	return node.Errorf(node.CodeFailed, "the runner gave the run up"), nil
}

func (r *Run) options(ctx context.Context) (o engine.Options, err error) {
	state := NewState(r.env, &r.Start, r.Earlier)
	o = engine.Options{
		RunID: r.Start.RunID, Inputs: r.Start.Inputs, Firing: r.Start.Firing, Observe: r.observe, KeepOutputs: engine.KeepShown, // the journal has them
		State: state, Park: r.Park, Leave: r.Leave, Call: r.Call, Secrets: r.Secrets,
	}
	if r.Company > 0 {
		o.Call = r.callWritten
	}
	if r.Earlier != nil {
		o.Reuse, o.Lost = r.Earlier.outputs, r.Earlier.underWay
	}
	if r.known != nil {
		o.Began, o.Told, o.Recorded = r.known.Began, r.known.Told, r.recorded
	}
	if r.Earlier != nil || r.known != nil || r.Call != nil { // what is called elsewhere cannot ask for it
		if o.AtEnd, err = state.goOn(context.WithoutCancel(ctx)); err != nil {
			err = stateError(err)
		}
	}
	return o, err
}

// leave ends writing, of a run that goes on elsewhere with what has happened until then.
func (r *Run) leave(why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush()
	if r.left != nil {
		return r.left
	}
	r.left = why
	return why
}
