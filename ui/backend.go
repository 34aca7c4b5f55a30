package ui

import (
	"context"
	"iter"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// Backend is where workflows are kept and run: this computer (*app.App) or a server
// (*client.Client of httpapi/client). It is safe for concurrent use. Its errors are
// [workflow.ErrNotFound], [workflow.ErrConflict], [engine.ValidationErrors] or others
// whose texts tell the user what to do.
type Backend interface {
	NodeTypes(ctx context.Context) ([]*node.Spec, error)
	Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error)

	Workflows(ctx context.Context) ([]workflow.Meta, error)
	Workflow(ctx context.Context, id string) (*workflow.Definition, error)
	Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	Delete(ctx context.Context, id string, cond workflow.Condition) error

	Start(ctx context.Context, def *workflow.Definition, o run.Request) (runID string, err error)
	Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error]
	Cancel(ctx context.Context, runID string) error
	Resume(ctx context.Context, runID string) (newRunID string, err error)
	Runs(ctx context.Context, q run.Query) (run.Page, error)
	Run(ctx context.Context, runID string) (run.Record, error)
	RunWorkflow(ctx context.Context, runID string) (*workflow.Definition, error)
}
