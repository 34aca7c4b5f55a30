package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// asyncRun is an asynchronous run that is going on: it writes what happens to the
// journal and then shows it to the followers.
type asyncRun struct {
	runs    *LocalRuns
	start   run.Start
	feed    *feed
	cancel  context.CancelCauseFunc
	release func() // gives the run's place back; may be called again

	mu      sync.Mutex // held while the journal is being written
	journal store.Journal
	encoder run.Encoder
	seq     int         // number of the last frame; the next one gets its number here
	lost    *node.Error // why the journal did not take a frame; nil as long as it took all
	retold  bool        // the outcome is what is recorded, not what the plan gave
	earlier *past       // the runs that this one goes on with; nil if there are none
	past    string      // the node whose frame was more than a run may put down

	entry   sync.Mutex   // held while a run that waits begins, or is dropped
	waiting bool         // for a place; with entry held
	plan    *engine.Plan // of a run that waits; nil if that has to be made

	end  atomic.Pointer[engine.Result] // once the terminal frame is out
	owed atomic.Pointer[run.Frame]     // the terminal frame, if the journal did not take it
}

// drive runs the plan to its end and cleans up, whatever happens.
func (r *asyncRun) drive(ctx context.Context, plan *engine.Plan) {
	defer r.runs.door.inside.Done()
	defer r.release()
	r.runs.env.Log.InfoContext(ctx, "run started", "run", r.start.RunID, "workflow", plan.WorkflowID())
	var earlier []string
	if r.earlier != nil {
		earlier = r.earlier.ids()
	}
	working, leave := r.runs.env.Working(ctx, r.start.RunID, earlier...)
	failure := r.call(node.WithResponder(working, r.respond), plan)
	leave()
	r.conclude(context.WithoutCancel(ctx), failure)
	r.retire(ctx)
	r.cancel(nil)
}

// retire keeps the frames of a run that has ended for a while.
func (r *asyncRun) retire(ctx context.Context) {
	if end := r.end.Load(); end != nil {
		logEnd(ctx, r.runs.env.Log, slog.LevelInfo, end.RunID, end.WorkflowID, end.Status, end.Duration, end.Error)
	}
	if r.owed.Load() == nil {
		r.runs.recent.retire(r)
		r.runs.ended.add(r.start.RunID)
	}
}

// logEnd says how a run has ended: as a warning, and why, if it has failed.
func logEnd(ctx context.Context, log *slog.Logger, level slog.Level, runID, workflowID string, s engine.Status, took time.Duration, failure *engine.Failure) {
	if s == engine.StatusFailed {
		level = slog.LevelWarn
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("run", runID), slog.String("workflow", workflowID), slog.String("status", s.String()), slog.Duration("duration", took),
	}
	if failure != nil {
		attrs = append(attrs, slog.String("node", failure.NodeID), slog.String("code", failure.Code), slog.String("message", failure.Message))
	}
	log.LogAttrs(ctx, level, "run ended", attrs...)
}

// call runs the plan. It returns what to say of a run whose end has not come
// through its events.
func (r *asyncRun) call(ctx context.Context, plan *engine.Plan) (failure *node.Error) {
	defer func() {
		if p := recover(); p != nil {
			r.runs.env.Log.ErrorContext(ctx, "a run panicked", "run", r.start.RunID, "panic", p, "stack", string(debug.Stack()))
			failure = node.Errorf(node.CodePanic, "the run panicked: %v", p)
		}
	}()
	state := stateFor(&r.runs.env, &r.start, r.earlier)
	var err error
	options := engine.Options{
		RunID: r.start.RunID, Inputs: r.start.Inputs, Firing: r.start.Firing, Observe: r.observe, KeepOutputs: engine.KeepShown, // the journal has them
		State: state,
	}
	if earlier := r.earlier; earlier != nil {
		options.Reuse, options.Lost = earlier.outputs, earlier.underWay
		if options.AtEnd, err = state.goOn(context.WithoutCancel(ctx)); err != nil {
			err = stateError(err)
			return node.Errorf(node.CodeOf(err), "%w", err)
		}
	}
	_, err = r.runs.env.Runner.Run(ctx, plan, options)
	if err != nil {
		return node.Errorf(node.CodeOf(err), "%w", err)
	}
	return node.Errorf(node.CodeFailed, "the runner gave the run up")
}

// stop asks the run to end as cancelled, and reports whether it still goes on.
func (r *asyncRun) stop() bool {
	if r.over() {
		return false
	}
	r.cancel(nil)
	return true
}

// over reports whether the terminal frame is out.
func (r *asyncRun) over() bool { return r.end.Load() != nil }

// observe records an event and shows it. The node behind it starts after that, so
// what a crash leaves in the journal is all that has happened.
func (r *asyncRun) observe(e engine.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	terminal := e.Name.Terminal()
	if r.over() || r.lost != nil && !terminal {
		return
	}
	e.Seq = r.seq + 1 // e's own, unless frames were lost
	if terminal {
		r.curtail(&e)
	}
	frame, seen := r.encoder.Frame(&e)
	if err := r.append(frame); err != nil {
		r.encoder.Forget(&frame)
		r.lose(&e, err)
		if !terminal {
			return
		}
		seen = r.fail(&e)
	}
	r.seq = e.Seq
	if terminal {
		r.end.Store(e.Result)
		r.release() // before anybody sees the end and wants the place
	}
	if r.earlier != nil {
		r.earlier.observe(&frame, &e)
	}
	if r.retold && terminal {
		if r.feed.endUnseen(frame.Seq) {
			return
		}
		seen = r.retell(frame, seen)
	}
	r.feed.publish(seen, e)
}

// retell returns a frame, made from what is recorded, as it is shown.
func (r *asyncRun) retell(frame, seen run.Frame) run.Frame {
	whole, err := frame.Whole(r.runs.Source(context.WithoutCancel(r.runs.life), r.start.RunID), limit.Shown)
	if err != nil {
		r.runs.env.Log.Error("the journal of a run cannot be read", "run", r.start.RunID, "error", err)
		return seen
	}
	return whole
}

// curtail makes the last event of a run which has put down all that it may tell no more
// than what is recorded.
func (r *asyncRun) curtail(e *engine.Event) {
	if r.past == "" {
		return
	}
	r.encoder.Bare = true
	result := *e.Result
	result.Status, result.Error = engine.StatusFailed, &engine.Failure{Code: r.lost.Code, Message: r.lost.Message, NodeID: r.past}
	result.Nodes = maps.Clone(result.Nodes)
	if n, ok := result.Nodes[r.past]; ok {
		n.Status, n.Outputs, n.Error = engine.StatusFailed, nil, &engine.Failure{Code: r.lost.Code, Message: r.lost.Message}
		result.Nodes[r.past] = n
	}
	e.Name, e.Error, e.Result = engine.EventFailed, result.Error, &result
}

// append writes a frame; a journal that panics is one that cannot be written.
func (r *asyncRun) append(f run.Frame) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal panicked: %v", p)
		}
	}()
	return r.journal.Append(f)
}

// lose ends the run because its journal did not take the frame of e.
func (r *asyncRun) lose(e *engine.Event, err error) {
	if r.lost != nil {
		return
	}
	if full, ok := errors.AsType[*store.RunBytesError](err); ok && !e.Name.Terminal() {
		r.past, _, _ = strings.Cut(e.NodeID, "/")
		r.lost = node.Errorf(node.CodeLimitExceeded, "at the node %s, %w", e.NodeID, full)
	} else {
		r.runs.env.Log.Error("the journal of a run cannot be written", "run", r.start.RunID, "error", err)
		r.lost = storageError(err)
	}
	r.cancel(r.lost)
}

// fail makes a terminal event which the journal did not take that of a run that
// failed, as it would be after a restart, and tries once more. It returns the frame as it
// is shown.
func (r *asyncRun) fail(e *engine.Event) run.Frame {
	if e.Result.Status != engine.StatusFailed {
		failure := &engine.Failure{Code: r.lost.Code, Message: r.lost.Message}
		result := *e.Result
		result.Status, result.Error = engine.StatusFailed, failure
		e.Name, e.Error, e.Result = engine.EventFailed, failure, &result
	}
	frame, seen := r.encoder.Frame(e)
	if r.append(frame) != nil {
		r.owed.Store(&frame)
	}
	return seen
}

// storageError says that a journal cannot be written, in words for users, who are
// told no paths.
func storageError(err error) *node.Error {
	if isFull(err) {
		return &node.Error{Code: node.CodeStorageFull, Message: "there is no room left to record the run; make room, then resume it", Err: err}
	}
	return &node.Error{Code: node.CodeUnavailable, Message: "the run cannot be recorded; see the log of the service, then resume it", Err: err}
}

// isFull reports whether an error says that a disk is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// settleDebts writes the terminal frames that journals did not take. As long as
// that fails, there is no point in beginning another journal.
func (l *LocalRuns) settleDebts() error {
	for _, r := range l.recent.indebted() {
		if err := r.settle(); err != nil {
			return err
		}
		l.recent.retire(r)
	}
	return nil
}

func (r *asyncRun) settle() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	owed := r.owed.Load()
	if owed == nil {
		return nil
	}
	err := r.append(*owed)
	if err == nil {
		r.owed.Store(nil)
	}
	return err
}
