package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Workflows describes all stored workflows, sorted by id, and says of each
// whether it could run.
func (a *App) Workflows(ctx context.Context) ([]workflow.Meta, error) {
	metas, err := a.store.List(ctx)
	if err != nil {
		return nil, err
	}
	metas = slices.Clone(metas) // they are the store's
	for i := range metas {
		if err := a.judge(ctx, &metas[i]); err != nil {
			return nil, err
		}
	}
	return metas, nil
}

// Workflow returns a stored workflow; one that is not there is workflow.ErrNotFound.
func (a *App) Workflow(ctx context.Context, id string) (*workflow.Definition, error) {
	return a.store.Load(ctx, id)
}

// Save stores def, a draft included, provided that cond holds; else the error is
// workflow.ErrConflict.
func (a *App) Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	meta, err := a.save(ctx, def, cond)
	if err != nil {
		return workflow.Meta{}, err
	}
	return meta, a.judge(ctx, &meta)
}

func (a *App) save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	if err := workflow.CheckID(def.ID); err != nil {
		return workflow.Meta{}, engine.ValidationErrors{{Code: engine.CodeInvalidID, Message: "the workflow's id: " + err.Error()}}
	}
	if s, ok := a.store.(store.Conditional); ok {
		return s.SaveIf(ctx, def, cond)
	}
	defer a.saves.lock(def.ID)()
	if err := a.check(ctx, def.ID, cond); err != nil {
		return workflow.Meta{}, err
	}
	return a.store.Save(ctx, def)
}

// Delete removes a stored workflow, provided that cond holds; else the error is
// workflow.ErrConflict. One that is not there is no error.
func (a *App) Delete(ctx context.Context, id string, cond workflow.Condition) error {
	defer a.validity.forget(id)
	if s, ok := a.store.(store.Conditional); ok {
		return s.DeleteIf(ctx, id, cond)
	}
	defer a.saves.lock(id)()
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

// Revisions describes the stored revisions of a workflow, newest first, and says
// of each whether it could run.
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
	for i := range metas {
		def, err := s.LoadRevision(ctx, id, metas[i].Revision)
		if metas[i].Valid, _, err = a.canRun(ctx, def, err); err != nil {
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

// validityCache remembers which revisions of workflows can run.
type validityCache struct {
	mu   sync.Mutex
	byID map[string]judged
}

type judged struct {
	revision int
	updated  time.Time
	valid    bool
	versions map[string]string // of the stored workflows that it uses
}

func (c *validityCache) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byID, id)
}

// judge fills in whether the workflow that m describes could run.
func (a *App) judge(ctx context.Context, m *workflow.Meta) error {
	if m.Damaged {
		return nil
	}
	a.validity.mu.Lock()
	j, ok := a.validity.byID[m.ID]
	a.validity.mu.Unlock()
	if ok && j.revision == m.Revision && j.updated.Equal(m.UpdatedAt) && a.current(ctx, j.versions) {
		m.Valid = j.valid
		return nil
	}
	def, err := a.store.Load(ctx, m.ID)
	valid, versions, err := a.canRun(ctx, def, err)
	if err != nil {
		return err
	}
	m.Valid = valid
	if m.Revision == 0 || m.UpdatedAt.IsZero() || versions == nil {
		return nil // this store does not tell when a workflow has changed
	}
	a.validity.mu.Lock()
	defer a.validity.mu.Unlock()
	if a.validity.byID == nil {
		a.validity.byID = map[string]judged{}
	}
	a.validity.byID[m.ID] = judged{m.Revision, m.UpdatedAt, m.Valid, versions}
	return nil
}

// canRun reports whether a workflow that was loaded with this error could run,
// and the versions of the stored workflows that it uses, nil if not all of them
// are known. One that has gone since it was listed cannot run, nor can one that
// is damaged or uses a damaged one.
func (a *App) canRun(ctx context.Context, def *workflow.Definition, err error) (bool, map[string]string, error) {
	var versions map[string]string
	if err == nil {
		var made *compiled
		made, err = a.compile(ctx, def)
		versions = made.versions
	}
	var problems engine.ValidationErrors
	switch {
	case errors.As(err, &problems):
		return false, versions, nil
	case errors.Is(err, workflow.ErrNotFound) || errors.Is(err, store.ErrDamaged):
		return false, nil, nil
	}
	return err == nil, versions, err
}
