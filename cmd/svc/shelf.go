package main

import (
	"context"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// shelf keeps workflows and what they remember, and judges them: the data directory of this machine, or a server.
type shelf interface {
	memory
	Workflows(ctx context.Context, q workflow.Query) (workflow.Page, error)
	Workflow(ctx context.Context, id string) (*workflow.Definition, error)
	Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	Delete(ctx context.Context, id string, cond workflow.Condition) error
	Revisions(ctx context.Context, id string) ([]workflow.Meta, error)
	Revision(ctx context.Context, id string, n int) (*workflow.Definition, error)
	Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error)
	Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error)
}

var (
	_ shelf = (*app.App)(nil)
	_ shelf = (*client.Client)(nil)
)

// shelf returns the workflows of the place that the flags name.
func (f *placeFlags) shelf(h *host) (shelf, error) {
	server, err := f.remote(h)
	switch {
	case err != nil:
		return nil, err
	case server != nil:
		return server, nil
	}
	return h.open(f.dir())
}
