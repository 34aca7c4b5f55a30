package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/google/uuid"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
)

// MaxRunning is how many synchronous runs may go on at once.
const MaxRunning = 1000

// ErrBusy says that as many runs as may go on at once are going on.
var ErrBusy = errors.New("too many runs at once; try again later")

// RunOptions is what one run may be given.
type RunOptions struct {
	// Inputs are the workflow's inputs by name.
	Inputs map[string]any
	// Overrides are put into the config of nodes for this run: node id → input
	// port → value.
	Overrides map[string]map[string]any
	// Observe is called with every event of the run; see engine.Options.
	Observe func(engine.Event)
}

// Execute runs def and waits for its end, or for ctx's, which cancels the run.
// An invalid workflow and unusable inputs are [engine.ValidationErrors]; then
// nothing was run.
func (a *App) Execute(ctx context.Context, def *workflow.Definition, o RunOptions) (*engine.Run, error) {
	made, err := a.compileWith(ctx, def, o.Overrides)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, made.plan, o)
}

// ExecuteJSON is Execute for a document's text, which it decodes strictly. The
// plans of recent texts are kept, so the same text again is neither decoded nor
// compiled.
func (a *App) ExecuteJSON(ctx context.Context, text []byte, o RunOptions) (*engine.Run, error) {
	made, err := a.compileText(ctx, text, o.Overrides)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, made.plan, o)
}

// ExecuteStored is Execute for a stored workflow; one that is not there is
// workflow.ErrNotFound.
func (a *App) ExecuteStored(ctx context.Context, id string, o RunOptions) (*engine.Run, error) {
	made, err := a.compileStored(ctx, id, o.Overrides)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, made.plan, o)
}

func (a *App) run(ctx context.Context, plan *engine.Plan, o RunOptions) (*engine.Run, error) {
	if err := a.door.enter(&a.door.waited); err != nil {
		return nil, err
	}
	defer a.door.leave(&a.door.waited)
	id, err := uuid.NewV7() // sorts by time
	if err != nil {
		return nil, err
	}
	ctx, cancel := a.bound(ctx)
	defer cancel(nil)
	run, err := a.runner.Run(ctx, plan, engine.Options{RunID: id.String(), Inputs: o.Inputs, Observe: o.Observe})
	if err != nil {
		return nil, err
	}
	a.log.LogAttrs(ctx, slog.LevelDebug, "run ended",
		slog.String("run", run.ID()), slog.String("workflow", plan.WorkflowID()), slog.String("status", run.Status().String()))
	return run, nil
}

// compileText compiles a document's text. Plans without overrides are kept.
func (a *App) compileText(ctx context.Context, text []byte, overrides map[string]map[string]any) (*compiled, error) {
	if len(overrides) == 0 {
		return a.plans.byText(ctx, a, text)
	}
	def, err := workflow.Decode(text, a.limits)
	if err != nil {
		return nil, err
	}
	return a.compileWith(ctx, def, overrides)
}

// compileStored compiles a stored workflow. Plans without overrides are kept.
func (a *App) compileStored(ctx context.Context, id string, overrides map[string]map[string]any) (*compiled, error) {
	if len(overrides) == 0 {
		return a.plans.byID(ctx, a, id)
	}
	def, err := a.store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.compileWith(ctx, def, overrides)
}

// compileWith compiles def with overrides put into its nodes.
func (a *App) compileWith(ctx context.Context, def *workflow.Definition, overrides map[string]map[string]any) (*compiled, error) {
	def, err := workflow.Override(def, overrides)
	if err != nil {
		return nil, overrideProblem(err)
	}
	made, err := a.compile(ctx, def)
	if err != nil {
		return nil, err
	}
	return made, nil
}

// overrideProblem makes an override that cannot be applied a problem of the
// workflow.
func overrideProblem(err error) error {
	var o *workflow.OverrideError
	if !errors.As(err, &o) {
		return err
	}
	return engine.ValidationErrors{{
		Code: engine.CodeInvalidConfig, NodeID: o.NodeID, Port: o.Port, Message: o.Error(),
	}}
}
