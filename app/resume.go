package app

import (
	"bytes"
	"context"
	"errors"
	"maps"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// ErrNoSuchNode means that the workflow does not have the node to resume from.
var ErrNoSuchNode = errors.New("the workflow has no node of the name that the run should go on from; name it by its id, or in a body like loop/fmt")

// Resume starts a new run that continues one that has ended, with the same workflow, inputs and
// overrides or with those in how. Nodes that have succeeded are not called again, whatever body
// they are in, unless their type, config, body or input values have changed. The new run takes a
// run slot. The error is [runs.ErrRunNotResumable] if the run is unfinished, is being resumed, or
// has completed and nothing is changed.
func (a *App) Resume(ctx context.Context, runID string, how run.Resumption) (newRunID string, err error) {
	record, err := a.runs.Record(ctx, runID)
	if err != nil {
		return "", err
	}
	if record.Status.GoesOn() {
		return "", runs.ErrRunNotResumable
	}
	before, err := a.runs.Started(ctx, runID)
	if err != nil {
		return "", err
	}
	made, err := a.compileResumed(ctx, &before, how)
	if err != nil {
		return "", err
	}
	inputs := maps.Clone(orEmpty(before.Inputs))
	maps.Copy(inputs, how.Inputs)
	w, err := made.work(run.Start{
		ResumedFrom: runID, From: how.From, Inputs: inputs, Firing: before.Firing, StartedBy: before.StartedBy, Stored: before.Stored,
	})
	if err == nil {
		err = resumable(&record, &before, &w.Start)
	}
	if err != nil {
		return "", err
	}
	return a.runs.Resume(ctx, w)
}

// resumable returns why the run start cannot continue the run in record, which was started as
// before says.
func resumable(record *run.Record, before, start *run.Start) error {
	if record.Status != engine.StatusCompleted && start.From == "" {
		return nil
	}
	now := drive.ShapeOf(start.Definition, start.Workflows)
	if start.From != "" {
		if !now.Has(start.From) {
			return ErrNoSuchNode
		}
		return nil
	}
	changed := !bytes.Equal(value.Append(nil, start.Inputs), value.Append(nil, orEmpty(before.Inputs))) ||
		!now.Same(drive.ShapeOf(before.Definition, before.Workflows))
	if !changed {
		return runs.ErrRunNotResumable
	}
	return nil
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// compileResumed makes the plan of a run that resumes another.
func (a *App) compileResumed(ctx context.Context, start *run.Start, how run.Resumption) (*compiled, error) {
	switch {
	case how.Workflow != nil:
		return a.compile(ctx, how.Workflow)
	case how.Current:
		return a.compileStored(ctx, start.Definition.ID, nil)
	}
	return a.plans.byRecord(ctx, a, start)
}

// compileRecorded makes the plan of what a run was started with.
func (a *App) compileRecorded(ctx context.Context, start *run.Start) (*engine.Plan, error) {
	made, err := a.plans.byRecord(ctx, a, start)
	if err != nil {
		return nil, err
	}
	return made.plan, nil
}
