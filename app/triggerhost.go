package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// triggerHost starts the runs of triggers.
type triggerHost struct{ *App }

// Compile implements trigger.Host.
func (h triggerHost) Compile(ctx context.Context, def *workflow.Definition) (*engine.Plan, error) {
	made, err := h.compile(ctx, def)
	if err != nil {
		return nil, err
	}
	return made.plan, nil
}

// Wait implements trigger.Host.
func (h triggerHost) Wait(ctx context.Context, firings []trigger.Firing) ([]trigger.Waiting, error) {
	works := make([]drive.Work, len(firings))
	for i := range firings {
		var err error
		if works[i], err = h.work(ctx, &firings[i]); err != nil {
			h.dropAll(works[:i], firings, nil)
			return nil, err
		}
	}
	put, err := h.runs.Wait(ctx, works)
	h.dropAll(works, firings, put)
	var made []trigger.Waiting
	for i := range put {
		if put[i].RunID != "" {
			w := waiting(&works[i].Start)
			w.RunID, w.Known = put[i].RunID, put[i].Known
			made = append(made, w)
		}
	}
	return made, err
}

// dropAll removes the files of firings for which no run was enqueued.
func (h triggerHost) dropAll(works []drive.Work, firings []trigger.Firing, put []runs.Enqueued) {
	for i := range works {
		if there := i < len(put) && put[i].RunID != "" && !put[i].Known; !there && len(firings[i].Files) > 0 {
			h.dropFiles(works[i].Start.RunID)
		}
	}
}

// RunByKey implements trigger.Host.
func (h triggerHost) RunByKey(ctx context.Context, key string) (string, error) {
	return runs.FindByKey(ctx, h.runs, key, requestDigest(key))
}

// work returns the run that a firing starts. If its workflow cannot run, the run fails when it
// begins.
func (h triggerHost) work(ctx context.Context, f *trigger.Firing) (drive.Work, error) {
	made, err := h.plans.byDefinition(ctx, h.App, f.Definition)
	if _, invalid := errors.AsType[engine.ValidationErrors](err); err != nil && !invalid {
		return drive.Work{}, err
	}
	runID := f.RunID
	if runID == "" {
		if runID, err = runs.NewID(); err != nil {
			return drive.Work{}, err
		}
	}
	if err := h.takeFiles(runID, f.Files); err != nil {
		return drive.Work{}, err
	}
	return drive.Work{Plan: made.plan, Epoch: f.Armed, Start: run.Start{
		RunID: runID, Definition: made.definition, Workflows: made.workflows, Document: made.text(),
		Firing: f.Firing, StartedBy: &f.StartedBy, IdempotencyKey: f.Key,
		RequestDigest: requestDigest(f.Key),
	}}, nil
}

// requestDigest returns the digest of the request that a key of a firing stands for: the key
// without its zero byte, which not every store can keep.
func requestDigest(key string) string { return strings.TrimPrefix(key, "\x00") }

// waiting describes a run that waits.
func waiting(start *run.Start) trigger.Waiting {
	by := start.StartedBy
	return trigger.Waiting{
		RunID: start.RunID, WorkflowID: start.Definition.ID, Node: by.Trigger, Type: by.Type,
		Bytes: value.Size(start.Firing.Outputs, limit.WaitingBytes),
	}
}

// Waiting implements trigger.Host.
func (h triggerHost) Waiting(ctx context.Context) ([]trigger.Waiting, error) {
	var all []trigger.Waiting
	var failures error
	for start, err := range h.runs.Waiting(ctx) {
		if err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		all = append(all, waiting(&start))
	}
	return all, failures
}

// Interrupted implements trigger.Host.
func (h triggerHost) Interrupted() []trigger.Interrupted {
	var all []trigger.Interrupted
	for _, record := range h.runs.Interrupted() {
		found := trigger.Interrupted{RunID: record.RunID, WorkflowID: record.WorkflowID, Node: record.StartedBy.Trigger}
		for record.ResumedFrom != "" && found.Resumed <= limit.ResumedByItself {
			found.Resumed++
			record, _ = h.runs.Record(h.life, record.ResumedFrom) // of one that is gone, nothing is known
		}
		all = append(all, found)
	}
	return all
}

// Remembered implements trigger.Host.
func (h triggerHost) Remembered() { h.runs.Remembered() }

// Begin implements trigger.Host.
func (h triggerHost) Begin(ctx context.Context, runID string, armed int64) error {
	err := h.runs.Begin(ctx, runID, armed)
	if errors.Is(err, runs.ErrNotWaiting) {
		return trigger.ErrNotWaiting
	}
	return full(err)
}

// Drop implements trigger.Host.
func (h triggerHost) Drop(ctx context.Context, runID string) error { return h.runs.Drop(ctx, runID) }

// Chain implements trigger.Host. It is 0 for a run that is not kept.
func (h triggerHost) Chain(ctx context.Context, runID string) int {
	record, err := h.Record(ctx, runID)
	if err != nil || record.StartedBy == nil {
		return 0
	}
	return record.StartedBy.Chain
}

// full marks errors that are temporary for the service of triggers.
func full(err error) error {
	if errors.Is(err, runs.ErrRunLimit) || errors.Is(err, runs.ErrCrowded) || errors.Is(err, runs.ErrStopping) || errors.Is(err, store.ErrTooManyKeys) {
		return fmt.Errorf("%w: %w", trigger.ErrNoSlot, err)
	}
	return err
}

// Await implements trigger.Host.
func (h triggerHost) Await(ctx context.Context, runID string) (interrupted bool, err error) {
	result, err := h.await(ctx, runID)
	return err == nil && result.Error != nil && result.Error.Code == node.CodeInterrupted, err
}

// Resume implements trigger.Host. If a recorded run continues runID already, Resume returns that
// one: a crash after starting it may have lost the answer.
func (h triggerHost) Resume(ctx context.Context, runID string) (string, error) {
	defer h.resuming.Lock(runID)()
	page, err := h.Runs(ctx, run.Query{ResumedFrom: runID, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Items) > 0 {
		return page.Items[0].RunID, nil
	}
	id, err := h.App.Resume(ctx, runID, run.Resumption{})
	return id, full(err)
}
