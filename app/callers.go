package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// CalledError says that a workflow cannot be deleted because others call it.
type CalledError struct {
	WorkflowID string
	Callers    []string // ids of the workflows that call it, sorted
}

// shownCallers is how many callers the text of a [CalledError] names.
const shownCallers = 10

// Error implements error.
func (e *CalledError) Error() string {
	named := make([]string, 0, shownCallers)
	for _, id := range e.Callers[:min(len(e.Callers), shownCallers)] {
		named = append(named, fmt.Sprintf("%q", id))
	}
	if more := len(e.Callers) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("the workflow %q is called by %s; delete or change these first", e.WorkflowID, strings.Join(named, ", "))
}

// callers returns the stored and active workflows that call a workflow, apart from itself. Documents
// that cannot be read are skipped: they cannot run either.
func (a *App) callers(ctx context.Context, id string) ([]string, error) {
	found := map[string]bool{}
	for q := (workflow.Query{Limit: workflow.MaxLimit}); ; {
		page, err := a.store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			def, err := a.store.Load(ctx, page.Items[i].ID)
			switch {
			case errors.Is(err, workflow.ErrNotFound), errors.Is(err, store.ErrDamaged):
				continue
			case err != nil:
				return nil, err
			}
			found[def.ID] = found[def.ID] || a.callsStored(def, id)
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	if a.activations != nil {
		for active, err := range a.activations.Activations(ctx) { // of an earlier revision, maybe
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil {
				found[active.Definition.ID] = found[active.Definition.ID] || a.callsStored(active.Definition, id)
			}
		}
	}
	maps.DeleteFunc(found, func(caller string, does bool) bool { return !does || caller == id })
	return slices.Sorted(maps.Keys(found)), nil
}

// callsStored reports whether a node of def, at any depth, calls a stored workflow.
func (a *App) callsStored(def *workflow.Definition, id string) bool {
	return slices.ContainsFunc(def.Nodes, func(n workflow.Node) bool {
		typ, known := a.registry.Lookup(n.Type)
		return known && typ.Spec.Container && n.Config["workflowId"] == id || n.Body != nil && a.callsStored(n.Body, id)
	})
}
