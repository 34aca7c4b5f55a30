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

// How runs are played that many processes share.
const (
	// inCompany is how long what happens in nodes that only compute waits for other frames: a
	// commit for each would be what a run takes longest for.
	inCompany = 50 * time.Millisecond
	// parkAfter is how long a run has to wait to be given up meanwhile.
	parkAfter = 30 * time.Second
)

// player plays runs with the engine.
type player struct {
	env   *drive.Env
	runs  store.SharedRuns
	calls *calls // nil if all nodes are called here
}

// NewPlayer returns the [Player] that compiles what runs were started with and runs it with
// what an App has for that.
func NewPlayer(env drive.Env, runs store.SharedRuns) Player { return &player{&env, runs, nil} }

// Play implements [Player].
func (p *player) Play(ctx context.Context, h Held) error {
	r, err := p.open(ctx, h)
	if err == nil {
		err = p.recall(ctx, r, h)
	}
	if err != nil {
		return p.unreadable(ctx, h, err)
	}
	defer r.placing.close()
	plan, err := p.env.Compile(ctx, &r.Start)
	if problems, invalid := errors.AsType[engine.ValidationErrors](err); invalid {
		return r.end(ctx, node.Errorf(problems[0].Code, "%s", problems[0].Message))
	}
	if err != nil {
		return err
	}
	r.Secrets = p.env.SecretsOf(ctx, plan)
	if h.Frames == 0 && r.Start.Firing != nil { // it was put down by a revision that may have been another
		if problems := append(plan.CheckInputs(r.Start.Inputs), plan.CheckFiring(r.Start.Firing)...); len(problems) > 0 {
			return r.end(ctx, node.Errorf(problems[0].Code, "%s", problems[0].Message))
		}
	}
	ctx, r.lose = context.WithCancelCause(ctx)
	defer r.lose(nil)
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
		r.EndUnbegun(ctx, engine.StatusCancelled, &engine.Failure{Code: failure.Code, Message: failure.Message})
		return r.ended()
	}
	result, err := r.SoFar(context.WithoutCancel(ctx))
	if err != nil {
		return p.unreadable(ctx, h, err)
	}
	r.Fail(result, failure) //nolint:contextcheck // the end is written whoever waits
	return r.ended()
}

// open reads what a run was started with.
func (p *player) open(ctx context.Context, h Held) (*played, error) {
	start, err := p.runs.Start(context.WithoutCancel(ctx), h.RunID)
	if err != nil {
		return nil, err
	}
	r := &played{held: h, runs: p.runs, lose: func(error) {}}
	r.Start, r.Company, r.Park, r.Leave, r.Exact = start, inCompany, parkAfter, h.Leave, true
	r.Init(p.env, p.runs, r)
	return r, nil
}

// recall reads what the run goes on with: runs before it, and what is recorded of itself.
func (p *player) recall(ctx context.Context, r *played, h Held) (err error) {
	ctx = context.WithoutCancel(ctx)
	if r.Start.ResumedFrom != "" {
		if r.Earlier, err = drive.RecallPast(ctx, p.env, p.runs, &r.Start); err != nil {
			return err
		}
	}
	if h.Frames > 0 {
		err = r.GoOn(ctx)
	}
	if err == nil {
		r.placing, err = p.calls.placing(ctx, r, h.Frames > 0)
	}
	if r.placing != nil {
		r.Call = r.placing.call
		r.Elsewhere = func(path string) bool { _, ok := r.placing.known[path]; return ok }
	}
	if err == nil && h.Lost != nil {
		h.Lost(r.UnderWay())
	}
	return err
}

// errDamaged is the end of a run with which nobody can go on.
var errDamaged = node.Errorf(node.CodeDamaged, "what is recorded of the run cannot be read, because somebody has changed it in the database; delete the run, and start it anew")

// unreadable ends a run of which nobody can read what is recorded, however often it is tried: with
// a last frame that tells of nothing but that.
func (p *player) unreadable(ctx context.Context, h Held, err error) error {
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrRunNotFound) {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	p.env.Log.ErrorContext(ctx, "what is recorded of a run cannot be read, so it ends", "run", h.RunID, "error", err)
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

// played is a run that is played here. It is the host of its own.
type played struct {
	drive.Run

	held    Held
	runs    store.SharedRuns
	lose    context.CancelCauseFunc
	placing *placing // nil if no node is called elsewhere
}

// Append implements [drive.Host]. A journal that others write by now, or that waits for too
// long, is no reason for the run to fail.
func (r *played) Append(frames []run.Frame) error {
	err := r.held.Journal.Append(context.Background(), frames...)
	if errors.Is(err, store.ErrRunTaken) || errors.Is(err, store.ErrUnavailable) {
		return leftFor(err)
	}
	return err
}

// Show implements [drive.Host]: followers read what is written, wherever they are.
func (r *played) Show(run.Frame, engine.Event) {}

// Unseen implements [drive.Host]: nobody is shown anything here.
func (r *played) Unseen(int) bool { return true }

// Ended implements [drive.Host].
func (r *played) Ended(*engine.Result) {}

// Respond implements [drive.Host].
func (r *played) Respond(reply node.Reply) error {
	return answer(context.Background(), r.runs, r.Start.RunID, reply)
}

// Stop implements [drive.Host].
func (r *played) Stop(cause error) { r.lose(cause) }

// kept does something with the store, which may be away for a while. If that takes too long, the
// run is left.
func (r *played) kept(ctx context.Context, do func(ctx context.Context) error) error {
	err := held(ctx, func() error { return do(ctx) })
	if errors.Is(err, store.ErrUnavailable) && ctx.Err() == nil {
		r.lose(leftFor(err))
	}
	return err
}

// end brings the run to its end as failed, with what is recorded of it.
func (r *played) end(ctx context.Context, failure *node.Error) error {
	ctx = context.WithoutCancel(ctx)
	r.Conclude(ctx, failure)
	return r.ended()
}

// ended says whether the end of the run is written.
func (r *played) ended() error {
	if !r.Over() || r.Owed() != nil {
		return fmt.Errorf("%w: the end of the run could not be written", store.ErrUnavailable)
	}
	return nil
}
