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

// ErrNoSuchNode says that a run cannot go on from a node that its workflow does not have.
var ErrNoSuchNode = errors.New("the workflow has no node of the name that the run should go on from; name it by its id, or in a body like loop/fmt")

// Resume starts a new run that goes on with one that has ended: with the workflow, inputs
// and overrides as they were then, or with what how says. Nodes that have succeeded are
// not called again, whatever body they are in, unless their type, their config, their
// body or the values of their inputs are others now. It takes a place like any run. Of a
// run that goes on or is being resumed already, or has completed while nothing is changed,
// the error is [ErrRunNotResumable].
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

// resumable says why a run cannot go on with one that has ended, and was started as before
// says.
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

// compileResumed makes the plan that goes on with a run.
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
