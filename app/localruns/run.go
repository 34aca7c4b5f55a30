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

// activeRun is an unfinished run of this process.
type activeRun struct {
	drive.Run

	runs    *Runs
	journal store.Journal
	feed    *feed
	cancel  context.CancelCauseFunc
	release func() // releases the run slot; may be called again

	entry   sync.Mutex   // held while a waiting run begins or is dropped
	waiting bool         // for a slot; guarded by entry
	plan    *engine.Plan // of a waiting run; nil if it has to be compiled
}

// newActiveRun returns a run that is not driven yet.
func (l *Runs) newActiveRun(start run.Start) *activeRun {
	r := &activeRun{runs: l, feed: &feed{}, cancel: func(error) {}, release: func() {}}
	r.Start = start
	r.Init(&l.env, l.journals, r)
	return r
}

// drive runs the plan to its end and cleans up, whatever happens.
func (r *activeRun) drive(ctx context.Context, plan *engine.Plan) {
	defer r.runs.admission.Done()
	defer r.release()
	r.runs.env.Log.InfoContext(ctx, "run started", "run", r.Start.RunID, "workflow", plan.WorkflowID())
	_ = r.Drive(ctx, plan) // no other process takes it over
	r.retire(ctx)
	r.cancel(nil)
}

// retire logs the end and keeps the frames for a while.
func (r *activeRun) retire(ctx context.Context) {
	if end := r.Result(); end != nil {
		runs.LogEnd(ctx, r.runs.env.Log, slog.LevelInfo, end.RunID, end.WorkflowID, end.Status, end.Duration, end.Error)
	}
	if r.UnwrittenEnd() == nil {
		r.runs.recent.retire(r)
		r.runs.ended.add(r.Start.RunID)
	}
}

// stop asks the run to end as cancelled. It returns false if the run has ended.
func (r *activeRun) stop() bool {
	if r.Over() {
		return false
	}
	r.cancel(nil)
	return true
}

// Append implements [drive.Host].
func (r *activeRun) Append(frames []run.Frame) error {
	for i := range frames {
		if err := r.journal.Append(frames[i]); err != nil {
			return err
		}
	}
	return nil
}

// Show implements [drive.Host].
func (r *activeRun) Show(shown run.Frame, e engine.Event) { r.feed.publish(shown, e) }

// Unfollowed implements [drive.Host].
func (r *activeRun) Unfollowed(seq int) bool { return r.feed.endUnseen(seq) }

// Ended implements [drive.Host].
func (r *activeRun) Ended(*engine.Result) { r.release() }

// Respond implements [drive.Host].
func (r *activeRun) Respond(reply node.Reply) error {
	return r.runs.callers.answer(r.Start.RunID, reply)
}

// Stop implements [drive.Host].
func (r *activeRun) Stop(cause error) { r.cancel(cause) }

// writeOwedEnds writes terminal frames that could not be written before. As long as this fails, no
// new journal is begun.
func (l *Runs) writeOwedEnds() error {
	for _, r := range l.recent.withUnwrittenEnd() {
		if err := r.WriteEnd(); err != nil {
			return err
		}
		l.recent.retire(r)
	}
	return nil
}
