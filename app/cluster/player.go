package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Timing of runs of a cluster.
const (
	// batchDelay is [drive.Run.BatchDelay]: a commit for each frame would dominate the duration
	// of runs without side effects.
	batchDelay = 50 * time.Millisecond
	// parkAfter is [drive.Run.Park].
	parkAfter = 30 * time.Second
)

// player implements [Player] with the engine.
type player struct {
	env   *drive.Env
	runs  store.SharedRuns
	calls *calls // nil if no nodes are placed
}

// NewPlayer returns a [Player] that compiles the recorded workflow of a run and runs it with env.
// It is safe for concurrent use.
func NewPlayer(env drive.Env, runs store.SharedRuns) Player { return &player{&env, runs, nil} }

// Play implements [Player].
func (p *player) Play(ctx context.Context, h Held) error {
	r, err := p.open(ctx, h)
	if err == nil {
		err = p.load(ctx, r, h)
	}
	if err != nil {
		return p.unreadable(ctx, h, err)
	}
	defer r.placed.close()
	plan, err := p.env.Compile(ctx, &r.Start)
	if problems, invalid := errors.AsType[engine.ValidationErrors](err); invalid {
		return r.end(ctx, node.Errorf(problems[0].Code, "%s", problems[0].Message))
	}
	if err != nil {
		return err
	}
	r.Secrets = p.env.SecretsOf(ctx, plan)
	if h.Frames == 0 && r.Start.Firing != nil { // it was enqueued by a revision that may differ
		if problems := append(plan.CheckInputs(r.Start.Inputs), plan.CheckFiring(r.Start.Firing)...); len(problems) > 0 {
			return r.end(ctx, node.Errorf(problems[0].Code, "%s", problems[0].Message))
		}
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	if err := r.Drive(ctx, plan); err != nil {
		return err
	}
	return r.ended()
}

// End implements [Player].
func (p *player) End(ctx context.Context, h Held, failure *node.Error) error {
	r, err := p.open(ctx, h)
	if err != nil {
		return p.unreadable(ctx, h, err)
	}
	if failure == errDropped {
		ctx = context.WithoutCancel(ctx)
		r.EndUnstarted(ctx, engine.StatusCancelled, &engine.Failure{Code: failure.Code, Message: failure.Message})
		return r.ended()
	}
	result, err := r.RecordedResult(context.WithoutCancel(ctx))
	if err != nil {
		return p.unreadable(ctx, h, err)
	}
	r.Fail(result, failure) //nolint:contextcheck // the end is written even if the caller has left
	return r.ended()
}

// open reads the start of a run.
func (p *player) open(ctx context.Context, h Held) (*playedRun, error) {
	start, err := p.runs.Start(context.WithoutCancel(ctx), h.RunID)
	if err != nil {
		return nil, err
	}
	r := &playedRun{held: h, runs: p.runs, cancel: func(error) {}}
	r.Start, r.BatchDelay, r.Park, r.Leave, r.Exact = start, batchDelay, parkAfter, h.Leave, true
	r.Init(p.env, p.runs, r)
	return r, nil
}

// load reads what the run continues: earlier runs, its own frames, and its placed calls.
func (p *player) load(ctx context.Context, r *playedRun, h Held) (err error) {
	ctx = context.WithoutCancel(ctx)
	if r.Start.ResumedFrom != "" {
		if r.Earlier, err = drive.LoadEarlierRuns(ctx, p.env, p.runs, &r.Start); err != nil {
			return err
		}
	}
	if h.Frames > 0 {
		err = r.Continue(ctx)
	}
	if err == nil {
		r.placed, err = p.calls.newPlacedCalls(ctx, r, h.Frames > 0)
	}
	if r.placed != nil {
		r.Call = r.placed.call
		r.Elsewhere = func(path string) bool { _, ok := r.placed.known[path]; return ok }
	}
	if err == nil && h.CallsLost != nil {
		h.CallsLost(r.UnderWay())
	}
	return err
}

// errDamaged is the failure of a run whose record cannot be read.
var errDamaged = node.Errorf(node.CodeDamaged, "the record of the run in the database is damaged; delete the run and start it again")

// unreadable ends a run whose record is damaged, since a retry cannot help. The terminal frame
// has no nodes.
func (p *player) unreadable(ctx context.Context, h Held, err error) error {
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrRunNotFound) {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	p.env.Log.ErrorContext(ctx, "the record of a run is damaged, so the run ends", "run", h.RunID, "error", err)
	record, err := p.runs.Record(ctx, h.RunID)
	if errors.Is(err, store.ErrUnavailable) {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if now.Before(h.Last) {
		now = h.Last
	}
	failure := &engine.Failure{Code: errDamaged.Code, Message: errDamaged.Message}
	var encoder run.Encoder
	frame, _ := encoder.Frame(&engine.Event{Name: engine.EventFailed, Seq: h.Frames + 1, RunID: h.RunID, Time: now, Error: failure, Result: &engine.Result{
		RunID: h.RunID, WorkflowID: record.WorkflowID, Status: engine.StatusFailed, StartedAt: record.StartedAt, FinishedAt: now, Error: failure,
	}})
	return h.Journal.Append(ctx, frame)
}

// playedRun is a run that is played here. It implements [drive.Host].
type playedRun struct {
	drive.Run

	held   Held
	runs   store.SharedRuns
	cancel context.CancelCauseFunc
	placed *placedCalls // nil if no nodes are placed
}

// Append implements [drive.Host]. If another process has the run, or the database stays away, the
// run is handed off instead of failing.
func (r *playedRun) Append(frames []run.Frame) error {
	err := r.held.Journal.Append(context.Background(), frames...)
	if errors.Is(err, store.ErrRunTaken) || errors.Is(err, store.ErrUnavailable) {
		return handoffError(err)
	}
	return err
}

// Show implements [drive.Host]. Followers read frames from the database.
func (r *playedRun) Show(run.Frame, engine.Event) {}

// Unfollowed implements [drive.Host]. Show is never needed.
func (r *playedRun) Unfollowed(int) bool { return true }

// Ended implements [drive.Host].
func (r *playedRun) Ended(*engine.Result) {}

// Respond implements [drive.Host].
func (r *playedRun) Respond(reply node.Reply) error {
	return sendReply(context.Background(), r.runs, r.Start.RunID, reply)
}

// Stop implements [drive.Host].
func (r *playedRun) Stop(cause error) { r.cancel(cause) }

// retryOrLeave calls do until it succeeds while the database is unavailable. If that takes too
// long, the run is handed off.
func (r *playedRun) retryOrLeave(ctx context.Context, do func(ctx context.Context) error) error {
	err := retryUnavailable(ctx, func() error { return do(ctx) })
	if errors.Is(err, store.ErrUnavailable) && ctx.Err() == nil {
		r.cancel(handoffError(err))
	}
	return err
}

// end ends the run as failed, with its recorded result.
func (r *playedRun) end(ctx context.Context, failure *node.Error) error {
	ctx = context.WithoutCancel(ctx)
	r.Conclude(ctx, failure)
	return r.ended()
}

// ended returns an error if the terminal frame is not written.
func (r *playedRun) ended() error {
	if !r.Over() || r.UnwrittenEnd() != nil {
		return fmt.Errorf("%w: the end of the run could not be written", store.ErrUnavailable)
	}
	return nil
}
