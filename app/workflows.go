package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
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
	defer a.verdicts.forget(id)
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
		v, err := verdictOn(a.compileRevision(ctx, s, id, metas[i].Revision))
		if err != nil {
			return nil, err
		}
		metas[i].Valid = v.valid
	}
	return metas, nil
}

func (a *App) compileRevision(ctx context.Context, s store.Revisions, id string, n int) (*compiled, error) {
	def, err := s.LoadRevision(ctx, id, n)
	if err != nil {
		return nil, err
	}
	return a.compile(ctx, def)
}

// Revision returns revision n, counted from 1, of a stored workflow.
func (a *App) Revision(ctx context.Context, id string, n int) (*workflow.Definition, error) {
	s, ok := a.store.(store.Revisions)
	if !ok {
		return nil, ErrNoRevisions
	}
	return s.LoadRevision(ctx, id, n)
}

// maxVerdicts is of how many workflows it is remembered whether they could run.
const maxVerdicts = 16 << 10

// verdicts remembers which revisions of workflows could run.
type verdicts struct {
	mu   sync.Mutex
	byID *simplelru.LRU[string, verdict]
}

// verdict says whether a revision of a workflow could run.
type verdict struct {
	revision int
	updated  time.Time
	valid    bool
	versions map[string]string // of the stored workflows that it uses; nil if not all are known
}

func newVerdicts() *verdicts {
	c := &verdicts{}
	c.byID, _ = simplelru.NewLRU[string, verdict](maxVerdicts, nil) // fails for sizes below 1 only
	return c
}

func (c *verdicts) get(id string) (verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID.Get(id)
}

func (c *verdicts) put(id string, v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID.Add(id, v)
}

func (c *verdicts) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID.Remove(id)
}

// judge fills in whether the workflow that m describes could run. Its plan is kept
// for when it does.
func (a *App) judge(ctx context.Context, m *workflow.Meta) error {
	if m.Damaged {
		return nil
	}
	v, ok := a.verdicts.get(m.ID)
	if ok && v.revision == m.Revision && v.updated.Equal(m.UpdatedAt) && a.current(ctx, v.versions) {
		m.Valid = v.valid
		return nil
	}
	v, err := verdictOn(a.plans.byID(ctx, a, m.ID))
	if err != nil {
		return err
	}
	m.Valid = v.valid
	if m.Revision == 0 || m.UpdatedAt.IsZero() || v.versions == nil {
		return nil // this store does not tell when a workflow has changed
	}
	v.revision, v.updated = m.Revision, m.UpdatedAt
	a.verdicts.put(m.ID, v)
	return nil
}

// verdictOn tells from the attempt to compile a stored workflow whether it could run.
// One that has gone since it was listed cannot, nor can one that is damaged or uses a
// damaged one.
func verdictOn(made *compiled, err error) (verdict, error) {
	var problems engine.ValidationErrors
	switch {
	case errors.Is(err, workflow.ErrNotFound) || errors.Is(err, store.ErrDamaged):
		return verdict{}, nil
	case err != nil && (made == nil || !errors.As(err, &problems)):
		return verdict{}, err
	}
	return verdict{valid: err == nil, versions: made.versions}, nil
}
