package localruns

import (
	"context"
	"errors"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

const (
	// puttingDown is how many firings that came together are put down at once; all of them
	// share few calls of the disk.
	puttingDown = 64
	// atHand is up to how many bytes of what a trigger puts out stay in memory while its run
	// waits. What is more is read again when its turn comes.
	atHand = 1 << 10
)

// Wait implements [runs.TriggerQueue].
func (l *Runs) Wait(ctx context.Context, works []drive.Work) ([]runs.Enqueued, error) {
	if err := l.admission.Acquire(ctx, &l.queueing); err != nil {
		return nil, err
	}
	defer l.admission.Finish(&l.queueing)
	made := make([]runs.Enqueued, len(works))
	if len(works) == 1 {
		return made, l.putDown(ctx, &works[0], &made[0])
	}
	var group errgroup.Group
	group.SetLimit(puttingDown)
	for i := range works {
		group.Go(func() error { return l.putDown(ctx, &works[i], &made[i]) })
	}
	return made, group.Wait()
}

// putDown puts a run down that waits.
func (l *Runs) putDown(ctx context.Context, w *drive.Work, made *runs.Enqueued) error {
	if key := w.Start.IdempotencyKey; key != "" {
		defer l.keys.Lock(key)()
		known, err := runs.FindByKey(ctx, l.journals, key, w.Start.RequestDigest)
		if err != nil {
			return err
		}
		if known != "" {
			*made = runs.Enqueued{RunID: known, Known: true}
			return nil
		}
	}
	r := l.newLocalRun(w.Start)
	r.plan, r.waiting = w.Plan, true
	r.Start.StartedAt = now()
	var err error
	if r.journal, err = l.journals.Create(context.WithoutCancel(ctx), r.Start); err != nil {
		return err
	}
	if value.Exceeds(r.Start.Firing.Outputs, atHand) {
		r.Start.Firing = nil
	}
	l.recent.add(r)
	made.RunID = r.Start.RunID
	return nil
}

// Waiting implements [runs.TriggerQueue].
func (l *Runs) Waiting(ctx context.Context) iter.Seq2[run.Start, error] {
	return func(yield func(run.Start, error) bool) {
		for _, r := range l.waited {
			start, err := l.journals.Start(ctx, r.Start.RunID)
			if errors.Is(err, store.ErrRunNotFound) || err == nil && !r.waits() {
				continue
			}
			if !yield(start, err) {
				return
			}
		}
	}
}

// Interrupted implements [runs.TriggerQueue].
func (l *Runs) Interrupted() []run.Record { return l.crashed.records }

// Remembered implements [runs.TriggerQueue].
func (l *Runs) Remembered() {
	l.crashed.once.Do(func() {
		if l.admission.Acquire(l.life, &l.queueing) != nil {
			return // the next process finds them
		}
		go func() {
			defer l.admission.Finish(&l.queueing)
			_ = l.reviveThese(l.crashed.runs) // each has said what is wrong with it
		}()
	})
}

// Begin implements [runs.TriggerQueue].
func (l *Runs) Begin(ctx context.Context, runID string, _ int64) error {
	r := l.recent.run(runID)
	if r == nil {
		return runs.ErrNotWaiting
	}
	r.entry.Lock()
	defer r.entry.Unlock()
	if !r.waiting {
		return runs.ErrNotWaiting
	}
	if err := l.admission.Acquire(ctx, &l.asyncSlots); err != nil {
		return err
	}
	err := r.prepare(ctx)
	problems, invalid := errors.AsType[engine.ValidationErrors](err)
	if err != nil {
		l.admission.Finish(&l.asyncSlots)
		if invalid {
			r.waiting = false
			r.refuse(context.WithoutCancel(ctx), problems)
			return nil
		}
		return err
	}
	r.waiting = false
	r.release = sync.OnceFunc(func() { l.admission.Release(&l.asyncSlots) })
	plan := r.plan
	ctx, r.cancel = l.bound(context.WithoutCancel(ctx))
	go r.drive(ctx, plan)
	return nil
}

// refuse ends a run as failed that has waited and cannot begin.
func (r *localRun) refuse(ctx context.Context, problems engine.ValidationErrors) {
	first := problems[0]
	r.EndUnbegun(ctx, engine.StatusFailed, &engine.Failure{Code: first.Code, Message: first.Message, NodeID: first.NodeID})
	r.retire(ctx)
}

// prepare gets together what a run needs that has waited. What keeps it from beginning is
// [engine.ValidationErrors].
func (r *localRun) prepare(ctx context.Context) error {
	if r.Start.Firing == nil {
		start, err := r.runs.journals.Start(ctx, r.Start.RunID)
		if err != nil {
			return err
		}
		if r.Start.Definition == nil {
			r.Start = start
		}
		r.Start.Firing = start.Firing
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if r.plan == nil {
		var err error
		if r.plan, err = r.runs.env.Compile(ctx, &r.Start); err != nil {
			return err
		}
	}
	problems := append(r.plan.CheckInputs(nil), r.plan.CheckFiring(r.Start.Firing)...)
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// open makes the journal of a run that waited in an earlier process be written again.
func (r *localRun) open(ctx context.Context) (err error) {
	if r.journal == nil {
		r.journal, err = r.runs.journals.Reopen(ctx, r.Start.RunID)
	}
	return err
}

// waits reports whether the run waits for a place.
func (r *localRun) waits() bool {
	r.entry.Lock()
	defer r.entry.Unlock()
	return r.waiting
}

// drop ends a run that waits as cancelled, and reports whether it did.
func (r *localRun) drop(ctx context.Context) bool {
	r.entry.Lock()
	defer r.entry.Unlock()
	if !r.waiting || r.runs.admission.Acquire(ctx, &r.runs.queueing) != nil {
		return false
	}
	defer r.runs.admission.Finish(&r.runs.queueing)
	ctx = context.WithoutCancel(ctx)
	if r.Start.Definition == nil {
		start, err := r.runs.journals.Start(ctx, r.Start.RunID)
		if err != nil {
			return false
		}
		r.Start = start
	}
	if r.open(ctx) != nil {
		return false
	}
	r.waiting = false
	r.EndUnbegun(ctx, engine.StatusCancelled, &engine.Failure{Code: "cancelled", Message: "the run was cancelled before it began"})
	r.retire(ctx)
	return true
}

// Drop implements [runs.TriggerQueue].
func (l *Runs) Drop(ctx context.Context, runID string) error {
	if r := l.recent.run(runID); r != nil {
		r.drop(ctx)
	}
	return nil
}
