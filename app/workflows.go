package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Workflows describes a page of the stored workflows, in the order of the store, and says of
// each whether it could run; [workflow.All] has all pages. If many large ones have changed since
// the last call, it checks some of them and reports the others as unchecked; repeated calls check
// the rest.
func (a *App) Workflows(ctx context.Context, q workflow.Query) (workflow.Page, error) {
	page, err := a.store.List(ctx, q)
	if err != nil {
		return workflow.Page{}, err
	}
	page.Items = slices.Clone(page.Items) // they are the store's
	j := a.newJudge(func(ctx context.Context, m *workflow.Meta) (*workflow.Definition, error) {
		return a.store.Load(ctx, m.ID)
	})
	for i := range page.Items {
		if err := j.judge(ctx, page.Items[i].ID, &page.Items[i]); err != nil {
			return workflow.Page{}, err
		}
	}
	return page, nil
}

// Workflow returns a stored workflow; one that is not there is workflow.ErrNotFound.
func (a *App) Workflow(ctx context.Context, id string) (*workflow.Definition, error) {
	return a.store.Load(ctx, id)
}

// Save stores def, a draft included, provided that cond holds; else the error is
// workflow.ErrConflict. It is judged before it is stored: what its caller does not wait for
// changes nothing.
func (a *App) Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	if err := workflow.CheckID(def.ID); err != nil {
		return workflow.Meta{}, engine.ValidationErrors{{Code: engine.CodeInvalidID, Message: "the workflow's id: " + err.Error()}}
	}
	v, unknown := verdictOn(a.compile(ctx, def))
	if err := ctx.Err(); err != nil {
		return workflow.Meta{}, err
	}
	meta, err := a.save(ctx, def, cond)
	if err != nil {
		return workflow.Meta{}, err
	}
	if meta.Unchecked = unknown != nil; !meta.Unchecked {
		a.verdicts.keep(def.ID, &meta, v)
	}
	return meta, nil
}

func (a *App) save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	if s, ok := a.store.(store.Conditional); ok {
		return s.SaveIf(ctx, def, cond)
	}
	defer a.saves.Lock(def.ID)()
	if err := a.check(ctx, def.ID, cond); err != nil {
		return workflow.Meta{}, err
	}
	return a.store.Save(ctx, def)
}

// Delete removes a stored workflow and its state, provided that cond holds; else the error
// is workflow.ErrConflict. One that is not there is no error. The error is a [*CalledError] if other
// workflows call it, and [ErrActive] if its triggers are armed.
func (a *App) Delete(ctx context.Context, id string, cond workflow.Condition) error {
	defer a.verdicts.forget(id)
	switch _, err := a.Activation(ctx, id); {
	case err == nil:
		return ErrActive
	case !errors.Is(err, store.ErrNotActive):
		return err
	}
	switch callers, err := a.callers(ctx, id); {
	case err != nil:
		return err
	case len(callers) > 0:
		return &CalledError{id, callers}
	}
	if err := a.remove(ctx, id, cond); err != nil {
		return err
	}
	return a.env.State.ForgetState(ctx, id)
}

func (a *App) remove(ctx context.Context, id string, cond workflow.Condition) error {
	if s, ok := a.store.(store.Conditional); ok {
		return s.DeleteIf(ctx, id, cond)
	}
	defer a.saves.Lock(id)()
	if err := a.check(ctx, id, cond); err != nil {
		return err
	}
	return a.store.Delete(ctx, id)
}

// check compares cond with what is stored, for stores that cannot.
func (a *App) check(ctx context.Context, id string, cond workflow.Condition) error {
	if !cond.Absent && len(cond.Match) == 0 {
		return nil
	}
	def, err := a.store.Load(ctx, id)
	digest := ""
	switch {
	case err == nil:
		digest = def.Digest()
	case !errors.Is(err, workflow.ErrNotFound) && !errors.Is(err, store.ErrDamaged):
		return err
	}
	if !cond.Holds(!errors.Is(err, workflow.ErrNotFound), digest) {
		return workflow.ErrConflict
	}
	return nil
}

// ErrNoRevisions says that the store keeps only the latest state of a workflow.
var ErrNoRevisions = errors.New("this store keeps no earlier revisions")

// Revisions describes the stored revisions of a workflow, newest first, and says of each
// whether it could run, as Workflows does.
func (a *App) Revisions(ctx context.Context, id string) ([]workflow.Meta, error) {
	s, ok := a.store.(store.Revisions)
	if !ok {
		return nil, ErrNoRevisions
	}
	metas, err := s.Revisions(ctx, id)
	if err != nil {
		return nil, err
	}
	metas = slices.Clone(metas)
	j := a.newJudge(func(ctx context.Context, m *workflow.Meta) (*workflow.Definition, error) {
		return s.LoadRevision(ctx, id, m.Revision)
	})
	for i := range metas {
		key := id
		if i > 0 {
			key += "\x00" + strconv.Itoa(metas[i].Revision) // no id has such a character
		}
		if err := j.judge(ctx, key, &metas[i]); err != nil {
			return nil, err
		}
	}
	return metas, nil
}

// Revision returns revision n, counted from 1, of a stored workflow.
func (a *App) Revision(ctx context.Context, id string, n int) (*workflow.Definition, error) {
	s, ok := a.store.(store.Revisions)
	if !ok {
		return nil, ErrNoRevisions
	}
	return s.LoadRevision(ctx, id, n)
}

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
