package localruns

import (
	"context"
	"log/slog"
	"sync"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// localRun is a run that goes on in this process.
type localRun struct {
	drive.Run

	runs    *Runs
	journal store.Journal
	feed    *feed
	cancel  context.CancelCauseFunc
	release func() // gives the run's place back; may be called again

	entry   sync.Mutex   // held while a run that waits begins, or is dropped
	waiting bool         // for a place; with entry held
	plan    *engine.Plan // of a run that waits; nil if that has to be made
}

// newLocalRun returns a run that nobody drives yet.
func (l *Runs) newLocalRun(start run.Start) *localRun {
	r := &localRun{runs: l, feed: &feed{}, cancel: func(error) {}, release: func() {}}
	r.Start = start
	r.Init(&l.env, l.journals, r)
	return r
}

// drive runs the plan to its end and cleans up, whatever happens.
func (r *localRun) drive(ctx context.Context, plan *engine.Plan) {
	defer r.runs.admission.Done()
	defer r.release()
	r.runs.env.Log.InfoContext(ctx, "run started", "run", r.Start.RunID, "workflow", plan.WorkflowID())
	_ = r.Drive(ctx, plan) // nobody else goes on with it
	r.retire(ctx)
	r.cancel(nil)
}

// retire keeps the frames of a run that has ended for a while.
func (r *localRun) retire(ctx context.Context) {
	if end := r.Result(); end != nil {
		runs.LogEnd(ctx, r.runs.env.Log, slog.LevelInfo, end.RunID, end.WorkflowID, end.Status, end.Duration, end.Error)
	}
	if r.Owed() == nil {
		r.runs.recent.retire(r)
		r.runs.ended.add(r.Start.RunID)
	}
}

// stop asks the run to end as cancelled, and reports whether it still goes on.
func (r *localRun) stop() bool {
	if r.Over() {
		return false
	}
	r.cancel(nil)
	return true
}

// Append implements [drive.Host].
func (r *localRun) Append(frames []run.Frame) error {
	for i := range frames {
		if err := r.journal.Append(frames[i]); err != nil {
			return err
		}
	}
	return nil
}

// Show implements [drive.Host].
func (r *localRun) Show(shown run.Frame, e engine.Event) { r.feed.publish(shown, e) }

// Unseen implements [drive.Host].
func (r *localRun) Unseen(seq int) bool { return r.feed.endUnseen(seq) }

// Ended implements [drive.Host].
func (r *localRun) Ended(*engine.Result) { r.release() }

// Respond implements [drive.Host].
func (r *localRun) Respond(reply node.Reply) error {
	return r.runs.callers.answer(r.Start.RunID, reply)
}

// Stop implements [drive.Host].
func (r *localRun) Stop(cause error) { r.cancel(cause) }

// settleDebts writes the terminal frames that journals did not take. As long as
// that fails, there is no point in beginning another journal.
func (l *Runs) settleDebts() error {
	for _, r := range l.recent.indebted() {
		if err := r.Settle(); err != nil {
			return err
		}
		l.recent.retire(r)
	}
	return nil
}
