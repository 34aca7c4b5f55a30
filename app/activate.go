package app

import (
	"context"
	"errors"
	"slices"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// Why nothing can be armed.
var (
	// ErrNoTriggers says that the App lets no triggers fire.
	ErrNoTriggers = errors.New("this service lets no triggers fire; it was started without them")
	// ErrActive says that a workflow cannot be deleted as long as its triggers are armed.
	ErrActive = errors.New("the workflow is active; deactivate it first")
	// ErrNeverFired says that nothing is known of what a trigger told last.
	ErrNeverFired = errors.New("the trigger is not armed, has not fired yet, or its last run is not kept any more")
)

// keptPlaces is how many places of asynchronous runs are never taken by triggers.
const keptPlaces = 2

// newTriggers lets the triggers of active workflows fire, once all runs of an earlier process
// have been brought to their end.
func (a *App) newTriggers(s store.ActivationStore) triggers {
	if s == nil {
		s = &memstore.ActivationStore{}
	}
	a.activations = s
	c := trigger.Config{
		Host: triggerHost{a}, Store: s, Slots: runs.MaxAsync - keptPlaces, Log: a.log,
		Ready: func(ctx context.Context) { _ = a.runs.Ready(ctx) }, // it has said so
		Around: func(ctx context.Context) context.Context {
			return context.WithValue(ctx, node.RunsKey{}, sourceRuns{a})
		},
	}
	waits, shares := a.runs.(runs.SharedTriggerQueue)
	kept, shared := s.(store.SharedActivations)
	if !shares || !shared {
		return trigger.New(c)
	}
	c.Slots = waits.Places()
	return trigger.NewShared(c, sharedHost{triggerHost{a}, waits}, kept)
}

// Activate arms the triggers of a stored workflow at one of its revisions, instead of those that
// were armed before. Saving the workflow later does not change this. If the workflow cannot run,
// the error is [engine.ValidationErrors].
func (a *App) Activate(ctx context.Context, workflowID string, how run.Arming) (run.Activation, error) {
	if a.triggers == nil {
		return run.Activation{}, ErrNoTriggers
	}
	kept := store.Activation{Revision: how.Revision, Concurrency: how.Concurrency, OnInterrupted: how.OnInterrupted}
	if kept.OnInterrupted == "" {
		kept.OnInterrupted = run.Resume
	}
	var err error
	if kept.Definition, kept.Revision, err = a.revisionOf(ctx, workflowID, how.Revision); err != nil {
		return run.Activation{}, err
	}
	made, err := a.compile(ctx, kept.Definition)
	if err != nil {
		return run.Activation{}, err
	}
	if problems := armable(made.plan); len(problems) > 0 {
		return run.Activation{}, problems
	}
	active, err := a.triggers.Activate(ctx, kept, made.plan)
	a.outlook(ctx, workflowID, active.Triggers)
	a.addHookProblems(ctx, workflowID, active.Triggers)
	return active, err
}

// revisionOf returns a revision of a stored workflow, of 0 the one that is stored now, and
// its number; that is 0 if the store counts none.
func (a *App) revisionOf(ctx context.Context, id string, n int) (*workflow.Definition, int, error) {
	s, counts := a.store.(store.Revisions)
	switch {
	case n != 0 && !counts:
		return nil, 0, ErrNoRevisions
	case n != 0:
		def, err := s.LoadRevision(ctx, id, n)
		return def, n, err
	case counts:
		metas, err := s.Revisions(ctx, id)
		if err != nil || len(metas) == 0 {
			return nil, 0, errors.Join(err, workflow.ErrNotFound)
		}
		n = metas[0].Revision
	}
	def, err := a.store.Load(ctx, id)
	return def, n, err
}

// armable returns what keeps the triggers of a plan from being armed.
func armable(plan *engine.Plan) engine.ValidationErrors {
	problems := plan.CheckInputs(nil) // triggers give none
	if !slices.ContainsFunc(plan.Triggers(), func(t engine.Trigger) bool { return t.Source != nil }) {
		problems = append(problems, &engine.ValidationError{
			Code: engine.CodeUnknownTrigger, Message: "the workflow has no trigger that fires by itself", Hint: "add one, for example trigger.schedule",
		})
	}
	return problems
}

// Deactivate takes the triggers of a workflow away, and what waits at them. Its runs go on.
// A workflow that is not active is [store.ErrNotActive].
func (a *App) Deactivate(ctx context.Context, workflowID string) error {
	if a.triggers == nil {
		return ErrNoTriggers
	}
	return a.triggers.Deactivate(ctx, workflowID)
}

// Activations describes all workflows that are active, sorted by id.
func (a *App) Activations(ctx context.Context) ([]run.Activation, error) {
	if a.triggers == nil {
		return nil, nil
	}
	return a.triggers.Activations(ctx)
}

// Activation describes an active workflow; one that is not is [store.ErrNotActive].
func (a *App) Activation(ctx context.Context, workflowID string) (run.Activation, error) {
	if a.triggers == nil {
		return run.Activation{}, store.ErrNotActive
	}
	active, err := a.triggers.Activation(ctx, workflowID)
	a.outlook(ctx, workflowID, active.Triggers)
	a.addHookProblems(ctx, workflowID, active.Triggers)
	return active, err
}

// Triggers describes all triggers that are armed, in the order in which they fire next;
// those that nobody knows it of come last.
func (a *App) Triggers(ctx context.Context) ([]run.Trigger, error) {
	active, err := a.Activations(ctx)
	var all []run.Trigger
	for i := range active {
		for _, t := range active[i].Triggers {
			t.WorkflowID = active[i].WorkflowID
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(x, y run.Trigger) int {
		switch {
		case x.Next.IsZero() == y.Next.IsZero():
			return x.Next.Compare(y.Next)
		case x.Next.IsZero():
			return 1
		}
		return -1
	})
	a.outlook(ctx, "", all)
	a.addHookProblems(ctx, "", all)
	return all, err
}

// TriggerCounts counts firings by outcome since the App began, for each type of trigger.
func (a *App) TriggerCounts() map[string]trigger.Counts {
	if a.triggers == nil {
		return nil
	}
	return a.triggers.Counts()
}

// LastFiring returns what came of a trigger of an active workflow last, as long as its run is
// kept. The error is [ErrNeverFired] if there is nothing.
func (a *App) LastFiring(ctx context.Context, workflowID, nodeID string) (run.LastFiring, error) {
	active, err := a.Activation(ctx, workflowID)
	if err != nil {
		return run.LastFiring{}, err
	}
	i := slices.IndexFunc(active.Triggers, func(t run.Trigger) bool { return t.NodeID == nodeID })
	if i < 0 || active.Triggers[i].LastRunID == "" {
		return run.LastFiring{}, ErrNeverFired
	}
	start, err := a.runs.Started(ctx, active.Triggers[i].LastRunID)
	if errors.Is(err, store.ErrRunNotFound) || err == nil && start.Firing == nil {
		err = ErrNeverFired
	}
	if err != nil {
		return run.LastFiring{}, err
	}
	return run.LastFiring{RunID: start.RunID, FiredAt: start.StartedAt, Outputs: start.Firing.Outputs}, nil
}
