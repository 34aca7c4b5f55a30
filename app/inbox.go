package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
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

// Wait implements trigger.Host.
func (h triggerHost) Wait(ctx context.Context, firings []trigger.Firing) ([]trigger.Waiting, error) {
	if err := h.door.enter(ctx, &h.door.inbox); err != nil {
		return nil, err
	}
	defer h.door.leave(&h.door.inbox)
	runs := make([]*asyncRun, len(firings))
	for i := range firings {
		r, err := h.waitingRun(ctx, &firings[i])
		if err != nil {
			return nil, err
		}
		runs[i] = r
	}
	made := make([]trigger.Waiting, len(firings))
	if len(runs) == 1 {
		err := h.putDown(ctx, runs[0], &made[0])
		return here(made), err
	}
	var group errgroup.Group
	group.SetLimit(puttingDown)
	for i, r := range runs {
		group.Go(func() error { return h.putDown(ctx, r, &made[i]) })
	}
	err := group.Wait()
	return here(made), err
}

// here returns those that were put down.
func here(made []trigger.Waiting) []trigger.Waiting {
	there := made[:0]
	for i := range made {
		if made[i].RunID != "" {
			there = append(there, made[i])
		}
	}
	return there
}

// waitingRun returns the run that a firing makes. What keeps its workflow from running ends
// it when its turn comes.
func (h triggerHost) waitingRun(ctx context.Context, f *trigger.Firing) (*asyncRun, error) {
	made, err := h.plans.byDefinition(ctx, h.App, f.Definition)
	if _, invalid := errors.AsType[engine.ValidationErrors](err); err != nil && !invalid {
		return nil, err
	}
	runID := f.RunID
	if runID == "" {
		if runID, err = newRunID(); err != nil {
			return nil, err
		}
	}
	if err := h.takeFiles(runID, f.Files); err != nil {
		return nil, err
	}
	return &asyncRun{
		app: h.App, feed: &feed{}, cancel: func(error) {}, release: func() {}, made: made, uploads: len(f.Files),
		start: run.Start{
			RunID: runID, StartedAt: time.Now().UTC().Truncate(time.Microsecond), Definition: made.definition,
			Workflows: made.workflows, Document: made.text(), Firing: f.Firing, StartedBy: &f.StartedBy,
			IdempotencyKey: f.Key, RequestDigest: f.Key,
		},
	}, nil
}

// newRunID returns an id that sorts by time.
func newRunID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

// putDown puts a run down that waits.
func (h triggerHost) putDown(ctx context.Context, r *asyncRun, w *trigger.Waiting) error {
	by := r.start.StartedBy
	made := trigger.Waiting{
		WorkflowID: r.start.Definition.ID, Node: by.Trigger, Type: by.Type,
		Bytes: value.Size(r.start.Firing.Outputs, limit.WaitingBytes),
	}
	if key := r.start.IdempotencyKey; key != "" {
		defer h.keys.lock(key)()
		known, err := h.startedBy(ctx, key, key)
		if err != nil {
			return err
		}
		if known != "" {
			h.dropFiles(r)
			made.RunID, made.Known = known, true
			*w = made
			return nil
		}
	}
	var err error
	if r.journal, err = h.journals.Create(context.WithoutCancel(ctx), r.start); err != nil {
		h.dropFiles(r)
		return err
	}
	r.waiting = true
	if made.Bytes > atHand {
		r.start.Firing = nil
	}
	h.recent.add(r)
	made.RunID = r.start.RunID
	*w = made
	return nil
}

// Waiting implements trigger.Host.
func (h triggerHost) Waiting(ctx context.Context) ([]trigger.Waiting, error) {
	var all []trigger.Waiting
	var failures error
	for _, r := range h.waited {
		start, err := h.journals.Start(ctx, r.start.RunID)
		switch {
		case errors.Is(err, store.ErrRunNotFound):
		case err != nil:
			failures = errors.Join(failures, err)
		case r.waits():
			all = append(all, trigger.Waiting{
				RunID: start.RunID, WorkflowID: start.Definition.ID, Node: start.StartedBy.Trigger, Type: start.StartedBy.Type,
				Bytes: value.Size(start.Firing.Outputs, limit.WaitingBytes),
			})
		}
	}
	return all, failures
}

// Interrupted implements trigger.Host.
func (h triggerHost) Interrupted() []trigger.Interrupted {
	var all []trigger.Interrupted
	for _, record := range h.crashed.records {
		found := trigger.Interrupted{RunID: record.RunID, WorkflowID: record.WorkflowID, Node: record.StartedBy.Trigger}
		for record.ResumedFrom != "" && found.Resumed <= limit.ResumedByItself {
			found.Resumed++
			record, _ = h.journals.Record(h.life, record.ResumedFrom) // of one that is gone, nothing is known
		}
		all = append(all, found)
	}
	return all
}

// Remembered implements trigger.Host.
func (h triggerHost) Remembered() {
	h.crashed.once.Do(func() {
		if h.door.enter(h.life, &h.door.inbox) != nil {
			return // the next process finds them
		}
		go func() {
			defer h.door.leave(&h.door.inbox)
			_ = h.reviveThese(h.crashed.runs) // each has said what is wrong with it
		}()
	})
}

// Begin implements trigger.Host.
func (h triggerHost) Begin(ctx context.Context, runID string) error {
	r := h.recent.run(runID)
	if r == nil {
		return trigger.ErrGone
	}
	r.entry.Lock()
	defer r.entry.Unlock()
	if !r.waiting {
		return trigger.ErrGone
	}
	if err := h.door.enter(ctx, &h.door.async); err != nil {
		return full(err)
	}
	err := r.prepare(ctx)
	problems, invalid := errors.AsType[engine.ValidationErrors](err)
	if err != nil {
		h.door.leave(&h.door.async)
		if invalid {
			r.waiting = false
			r.refuse(context.WithoutCancel(ctx), problems)
			return nil
		}
		return err
	}
	r.waiting = false
	r.release = sync.OnceFunc(func() { h.door.free(&h.door.async) })
	plan := r.made.plan
	ctx, r.cancel = h.bound(context.WithoutCancel(ctx))
	go r.drive(ctx, plan)
	return nil
}

// refuse ends a run as failed that has waited and cannot begin.
func (r *asyncRun) refuse(ctx context.Context, problems engine.ValidationErrors) {
	first := problems[0]
	r.endUnbegun(ctx, engine.StatusFailed, &engine.Failure{Code: first.Code, Message: first.Message, NodeID: first.NodeID})
}

// endUnbegun ends a run that has waited and does not begin.
func (r *asyncRun) endUnbegun(ctx context.Context, status engine.Status, why *engine.Failure) {
	result, _, _, _ := r.soFar(ctx, &r.start) // it has no frames to be read
	result.Status, result.Error, result.FinishedAt = status, why, time.Now().UTC()
	result.Duration = max(result.FinishedAt.Sub(result.StartedAt), 0)
	r.observe(engine.Event{ //nolint:contextcheck // the end is written whoever waits
		Name: engine.EventFailed, RunID: result.RunID, Time: result.FinishedAt, Error: why, Result: result,
	})
	r.retire(ctx)
}

// prepare gets together what a run needs that has waited. What keeps it from beginning is
// [engine.ValidationErrors].
func (r *asyncRun) prepare(ctx context.Context) error {
	a := r.app
	if r.start.Firing == nil {
		start, err := a.journals.Start(ctx, r.start.RunID)
		if err != nil {
			return err
		}
		if r.made == nil {
			r.start = start
		}
		r.start.Firing = start.Firing
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if r.made == nil || r.made.plan == nil {
		made, err := a.compileResumed(ctx, &r.start, run.Resumption{})
		if err != nil {
			return err
		}
		r.made = made
	}
	problems := append(r.made.plan.CheckInputs(nil), r.made.plan.CheckFiring(r.start.Firing)...)
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// open makes the journal of a run that waited in an earlier process be written again.
func (r *asyncRun) open(ctx context.Context) (err error) {
	if r.journal == nil {
		r.journal, err = r.app.journals.Reopen(ctx, r.start.RunID)
	}
	return err
}

// waits reports whether the run waits for a place.
func (r *asyncRun) waits() bool {
	r.entry.Lock()
	defer r.entry.Unlock()
	return r.waiting
}

// drop ends a run that waits as cancelled, and reports whether it did.
func (r *asyncRun) drop(ctx context.Context) bool {
	r.entry.Lock()
	defer r.entry.Unlock()
	if !r.waiting || r.app.door.enter(ctx, &r.app.door.inbox) != nil {
		return false
	}
	defer r.app.door.leave(&r.app.door.inbox)
	ctx = context.WithoutCancel(ctx)
	if r.start.Definition == nil {
		start, err := r.app.journals.Start(ctx, r.start.RunID)
		if err != nil {
			return false
		}
		r.start = start
	}
	if r.open(ctx) != nil {
		return false
	}
	r.waiting = false
	if r.app.triggers != nil {
		r.app.triggers.Forget(r.start.RunID)
	}
	r.endUnbegun(ctx, engine.StatusCancelled, &engine.Failure{Code: "cancelled", Message: "the run was cancelled before it began"})
	return true
}

// Drop implements trigger.Host.
func (h triggerHost) Drop(ctx context.Context, runID string) error {
	if r := h.recent.run(runID); r != nil {
		r.drop(ctx)
	}
	return nil
}

// Chain implements trigger.Host. Of a run that is not kept, nobody knows.
func (h triggerHost) Chain(ctx context.Context, runID string) int {
	record, err := h.Record(ctx, runID)
	if err != nil || record.StartedBy == nil {
		return 0
	}
	return record.StartedBy.Chain
}
