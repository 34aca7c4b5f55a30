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
	// enqueuedAtOnce is the number of runs that are written at once, so that they share syncs.
	enqueuedAtOnce = 64
	// maxFiringInMemory is the largest output of a trigger, in bytes, that stays in memory while
	// its run waits. Larger ones are read again when the run begins.
	maxFiringInMemory = 1 << 10
)

// Wait implements [runs.TriggerQueue].
func (l *Runs) Wait(ctx context.Context, works []drive.Work) ([]runs.Enqueued, error) {
	if err := l.admission.Acquire(ctx, &l.queueing); err != nil {
		return nil, err
	}
	defer l.admission.Finish(&l.queueing)
	made := make([]runs.Enqueued, len(works))
	if len(works) == 1 {
		return made, l.enqueue(ctx, &works[0], &made[0])
	}
	var group errgroup.Group
	group.SetLimit(enqueuedAtOnce)
	for i := range works {
		group.Go(func() error { return l.enqueue(ctx, &works[i], &made[i]) })
	}
	return made, group.Wait()
}

// enqueue writes one waiting run.
func (l *Runs) enqueue(ctx context.Context, w *drive.Work, made *runs.Enqueued) error {
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
	r := l.newActiveRun(w.Start)
	r.plan, r.waiting = w.Plan, true
	r.Start.StartedAt = now()
	var err error
	if r.journal, err = l.journals.Create(context.WithoutCancel(ctx), r.Start); err != nil {
		return err
	}
	if value.Exceeds(r.Start.Firing.Outputs, maxFiringInMemory) {
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
			_ = l.endUnfinished(l.crashed.runs) // endUnfinished has logged each error
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

// refuse fails a waiting run that cannot begin.
func (r *activeRun) refuse(ctx context.Context, problems engine.ValidationErrors) {
	first := problems[0]
	r.EndUnstarted(ctx, engine.StatusFailed, &engine.Failure{Code: first.Code, Message: first.Message, NodeID: first.NodeID})
	r.retire(ctx)
}

// prepare loads what a waiting run needs to begin. If its workflow cannot run, the error is
// [engine.ValidationErrors].
func (r *activeRun) prepare(ctx context.Context) error {
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

// open opens the journal of a run that was enqueued by an earlier process.
func (r *activeRun) open(ctx context.Context) (err error) {
	if r.journal == nil {
		r.journal, err = r.runs.journals.Reopen(ctx, r.Start.RunID)
	}
	return err
}

// waits reports whether the run waits for a slot.
func (r *activeRun) waits() bool {
	r.entry.Lock()
	defer r.entry.Unlock()
	return r.waiting
}

// drop cancels the run if it waits, and reports whether it did.
func (r *activeRun) drop(ctx context.Context) bool {
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
	r.EndUnstarted(ctx, engine.StatusCancelled, &engine.Failure{Code: "cancelled", Message: "the run was cancelled before it began"})
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
