package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// asyncRun is an asynchronous run that is going on: it writes what happens to the
// journal and then shows it to the followers.
type asyncRun struct {
	app     *App
	start   run.Start
	feed    *feed
	cancel  context.CancelCauseFunc
	release func() // gives the run's place back; may be called again

	mu      sync.Mutex // held while the journal is being written
	journal store.Journal
	seq     int         // number of the last frame; the next one gets its number here
	scratch []byte      // for encoding
	lost    *node.Error // why the journal did not take a frame; nil as long as it took all

	end  atomic.Pointer[engine.Result] // once the terminal frame is out
	owed atomic.Pointer[run.Frame]     // the terminal frame, if the journal did not take it
}

// launch starts a run of a plan, which takes one of these places. If it returns an error, nothing was started.
func (a *App) launch(ctx context.Context, made *compiled, start run.Start, earlier *past, in *places) (string, error) {
	if problems := made.plan.CheckInputs(start.Inputs); len(problems) > 0 {
		return "", problems
	}
	if err := a.door.enter(in); err != nil {
		return "", err
	}
	r, err := a.newRun(ctx, made, start)
	if err != nil {
		a.door.leave(in)
		return "", err
	}
	r.release = sync.OnceFunc(func() { a.door.free(in) })
	ctx, r.cancel = a.bound(context.WithoutCancel(ctx))
	a.recent.add(r)
	go r.drive(ctx, made.plan, earlier)
	return r.start.RunID, nil
}

func (a *App) newRun(ctx context.Context, made *compiled, start run.Start) (*asyncRun, error) {
	id, err := uuid.NewV7() // sorts by time
	if err != nil {
		return nil, err
	}
	if err := a.settleDebts(); err != nil {
		return nil, err
	}
	start.RunID, start.StartedAt = id.String(), time.Now().UTC().Truncate(time.Microsecond) // as the journal has it
	start.Definition, start.Workflows = made.definition, made.workflows
	r := &asyncRun{app: a, start: start, feed: &feed{}}
	// Not cut short: a journal that was begun belongs to a run that goes on.
	r.journal, err = a.journals.Create(context.WithoutCancel(ctx), start)
	return r, err
}

// drive runs the plan to its end and cleans up, whatever happens.
func (r *asyncRun) drive(ctx context.Context, plan *engine.Plan, earlier *past) {
	a := r.app
	defer a.door.inside.Done()
	defer r.release()
	a.log.InfoContext(ctx, "run started", "run", r.start.RunID, "workflow", plan.WorkflowID())
	failure := r.call(ctx, plan, earlier)
	r.conclude(context.WithoutCancel(ctx), failure)
	r.retire(ctx)
	r.cancel(nil)
}

// retire keeps the frames of a run that has ended for a while.
func (r *asyncRun) retire(ctx context.Context) {
	if end := r.end.Load(); end != nil {
		r.app.logEnd(ctx, slog.LevelInfo, end.RunID, end.WorkflowID, end.Status, end.Duration, end.Error)
	}
	if r.owed.Load() == nil {
		r.app.recent.retire(r)
	}
}

// logEnd says how a run has ended: as a warning, and why, if it has failed.
func (a *App) logEnd(ctx context.Context, level slog.Level, runID, workflowID string, s engine.Status, took time.Duration, failure *engine.Failure) {
	if s == engine.StatusFailed {
		level = slog.LevelWarn
	}
	if !a.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("run", runID), slog.String("workflow", workflowID), slog.String("status", s.String()), slog.Duration("duration", took),
	}
	if failure != nil {
		attrs = append(attrs, slog.String("node", failure.NodeID), slog.String("code", failure.Code), slog.String("message", failure.Message))
	}
	a.log.LogAttrs(ctx, level, "run ended", attrs...)
}

// call runs the plan. It returns what to say of a run whose end has not come
// through its events.
func (r *asyncRun) call(ctx context.Context, plan *engine.Plan, earlier *past) (failure *node.Error) {
	defer func() {
		if p := recover(); p != nil {
			r.app.log.ErrorContext(ctx, "a run panicked", "run", r.start.RunID, "panic", p, "stack", string(debug.Stack()))
			failure = node.Errorf(node.CodePanic, "the run panicked: %v", p)
		}
	}()
	options := engine.Options{RunID: r.start.RunID, Inputs: r.start.Inputs, Observe: r.observe}
	if earlier != nil {
		options.Reuse, options.Lost = earlier.outputs, earlier.underWay
		options.Observe = func(e engine.Event) {
			r.observe(e)
			earlier.observe(&e)
		}
	}
	_, err := r.app.runner.Run(ctx, plan, options)
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
	frame := run.NewFrame(&e, r.encode(&e))
	if err := r.append(frame); err != nil {
		r.lose(err)
		if !terminal {
			return
		}
		frame = r.fail(&e, frame)
	}
	r.seq = e.Seq
	if terminal {
		r.end.Store(e.Result)
		r.release() // before anybody sees the end and wants the place
	}
	r.feed.publish(shown(frame, e))
}

// encode returns the whole of e as JSON of its own.
func (r *asyncRun) encode(e *engine.Event) []byte {
	text := e.AppendJSON(r.scratch[:0], engine.NoElision)
	if len(text) > limit.Shown {
		return text // rare and large: not worth a copy
	}
	r.scratch = text
	return append(make([]byte, 0, len(text)), text...)
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

// lose ends the run because its journal cannot be written.
func (r *asyncRun) lose(err error) {
	if r.lost != nil {
		return
	}
	r.app.log.Error("the journal of a run cannot be written", "run", r.start.RunID, "error", err)
	r.lost = storageError(err)
	r.cancel(r.lost)
}

// fail makes a terminal event which the journal did not take that of a run that
// failed, as it would be after a restart, and tries once more.
func (r *asyncRun) fail(e *engine.Event, frame run.Frame) run.Frame {
	if e.Result.Status != engine.StatusFailed {
		failure := &engine.Failure{Code: r.lost.Code, Message: r.lost.Message}
		result := *e.Result
		result.Status, result.Error = engine.StatusFailed, failure
		e.Name, e.Error, e.Result = engine.EventFailed, failure, &result
		frame = run.NewFrame(e, r.encode(e))
	}
	if r.append(frame) != nil {
		r.owed.Store(&frame)
	}
	return frame
}

// storageError says that a journal cannot be written, in words for users, who are
// told no paths.
func storageError(err error) *node.Error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &node.Error{Code: node.CodeStorageFull, Message: "there is no room left to record the run; make room, then resume it", Err: err}
	}
	return &node.Error{Code: node.CodeUnavailable, Message: "the run cannot be recorded; see the log of the service, then resume it", Err: err}
}

// settleDebts writes the terminal frames that journals did not take. As long as
// that fails, there is no point in beginning another journal.
func (a *App) settleDebts() error {
	for _, r := range a.recent.indebted() {
		if err := r.settle(); err != nil {
			return err
		}
		a.recent.retire(r)
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

// complete puts the end into the record of a run whose journal lacks it.
func (a *App) complete(record *run.Record) {
	r := a.recent.run(record.RunID)
	if r == nil || r.owed.Load() == nil {
		return
	}
	if end := r.end.Load(); end != nil {
		record.Status, record.FinishedAt, record.Result = end.Status, end.FinishedAt, end
	}
}
