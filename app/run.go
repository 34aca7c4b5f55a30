package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// MaxRunning is how many synchronous runs may go on at once.
const MaxRunning = 1000

// ErrPinned says that a run with pins was to be recorded.
var ErrPinned = errors.New("a run with pins is not recorded: wait for its end instead, without an idempotency key")

// source is a workflow to run.
type source struct {
	kind       sourceKind
	definition *workflow.Definition
	text       []byte // of a document
	id         string // of a stored workflow
}

type sourceKind string

const (
	ofDefinition sourceKind = "definition"
	ofText       sourceKind = "text"
	ofStored     sourceKind = "stored"
)

// compileSource makes a plan of a workflow with overrides put into it.
func (a *App) compileSource(ctx context.Context, s source, overrides map[string]map[string]any) (*compiled, error) {
	switch s.kind {
	case ofText:
		return a.compileText(ctx, s.text, overrides)
	case ofStored:
		return a.compileStored(ctx, s.id, overrides)
	default:
		return a.compileWith(ctx, s.definition, overrides)
	}
}

// Execute runs def and waits for its end, or for ctx's, which cancels the run.
// observe, unless it is nil, is called with every event of the run (see
// engine.Options). An invalid workflow and unusable inputs are
// [engine.ValidationErrors]; then nothing was run.
//
// What [Config.Record] or the request says is recorded, behind the caller's back: then the
// run keeps what it is given.
//
// With an idempotency key the run is recorded, and belongs to the key: it continues after ctx
// has ended, and the same request with that key waits for it and gets the same outcome.
// The error is then also one of [Start], an [InterruptedError] or [ErrResultGone]; and
// observe is not called.
func (a *App) Execute(ctx context.Context, def *workflow.Definition, q run.Request, observe func(engine.Event)) (Outcome, error) {
	return a.execute(ctx, source{kind: ofDefinition, definition: def}, q, observe)
}

// ExecuteJSON is Execute for a document's text, which it decodes strictly. The
// plans of recent texts are kept, so the same text again is neither decoded nor
// compiled.
func (a *App) ExecuteJSON(ctx context.Context, text []byte, q run.Request) (Outcome, error) {
	return a.execute(ctx, source{kind: ofText, text: text}, q, nil)
}

// ExecuteStored is Execute for a stored workflow; one that is not there is
// workflow.ErrNotFound.
func (a *App) ExecuteStored(ctx context.Context, id string, q run.Request) (Outcome, error) {
	return a.execute(ctx, source{kind: ofStored, id: id}, q, nil)
}

func (a *App) execute(ctx context.Context, s source, q run.Request, observe func(engine.Event)) (Outcome, error) {
	if q.IdempotencyKey != "" {
		return a.executeOnce(ctx, s, q)
	}
	made, err := a.compileSource(ctx, s, q.Overrides)
	if err != nil {
		return nil, err
	}
	firing, err := made.fire(q)
	if err != nil {
		return nil, err
	}
	if err := a.admission.Acquire(ctx, &a.syncSlots); err != nil {
		return nil, err
	}
	defer a.admission.Finish(&a.syncSlots)
	id, err := uuid.NewV7() // sorts by time
	if err != nil {
		return nil, err
	}
	ctx, cancel := runs.JoinContexts(ctx, a.life)
	defer cancel(nil)
	recorded := a.keeps(s, q)
	if recorded {
		q.KeepOutputs = engine.KeepAll // a resume reuses them
	}
	start := run.Start{RunID: id.String(), Inputs: q.Inputs, Firing: firing, Stored: s.kind == ofStored, Definition: made.definition}
	begun := time.Now()
	ctx, leave := a.working(ctx, start.RunID)
	defer leave()
	ended, err := a.env.Runner.Run(ctx, made.plan, engine.Options{
		RunID: start.RunID, Inputs: q.Inputs, Firing: firing, Observe: observe, Pins: q.Pins, KeepOutputs: q.KeepOutputs, Asked: q.Asked, Before: q.Before, Stop: cancel,
		State: drive.NewState(&a.env, &start, nil),
	})
	if err != nil {
		return nil, err
	}
	runs.LogEnd(ctx, a.log, slog.LevelDebug, ended.ID(), made.plan.WorkflowID(), ended.Status(), time.Since(begun), ended.Err())
	if recorded {
		start.StartedAt, start.Workflows, start.Document = ended.StartedAt(), made.workflows, made.text()
		return a.keep(ended, start), nil
	}
	return ended, nil
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
	def, err := a.load(ctx, id)
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
