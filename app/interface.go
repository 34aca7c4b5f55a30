package app

import (
	"context"
	"iter"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Interface returns what def takes and gives, in document order, once overrides
// have been put into the config of its nodes (see [run.Request]). If def is
// invalid, the error is [engine.ValidationErrors].
func (a *App) Interface(ctx context.Context, def *workflow.Definition, overrides map[string]map[string]any) (inputs, outputs []node.Port, err error) {
	made, err := a.compileWith(ctx, def, overrides)
	if err != nil {
		return nil, nil, err
	}
	return made.plan.Inputs(), made.plan.Outputs(), nil
}

// Steps returns the nodes that a run of def may call, at any depth, once overrides have been
// put into the config of its nodes. If def is invalid, the error is
// [engine.ValidationErrors].
func (a *App) Steps(ctx context.Context, def *workflow.Definition, overrides map[string]map[string]any) (iter.Seq[engine.Step], error) {
	made, err := a.compileWith(ctx, def, overrides)
	if err != nil {
		return nil, err
	}
	return made.plan.Steps(), nil
}

// Hints returns doubts about a workflow that can run; see [engine.Hints]. If def
// is invalid, the error is [engine.ValidationErrors].
func (a *App) Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error) {
	made, err := a.compile(ctx, def)
	if err != nil {
		return nil, err
	}
	return engine.Hints(made.plan), nil
}

// Layout returns where everything of def goes when it is arranged as the editor does it,
// whether def can run or not; see [cards.Arranged]. What is to keep its place stays where it
// is, and only the rest is arranged; see [cards.Shown]. It changes nothing.
func (a *App) Layout(def *workflow.Definition, keep bool) cards.Layout {
	if keep {
		return cards.Shown(def, a.registry)
	}
	return cards.Arranged(def, a.registry)
}
