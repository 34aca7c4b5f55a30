package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// maxVerdicts is of how many workflows it is remembered whether they could run.
const maxVerdicts = 16 << 10

// verdicts remembers which revisions of workflows could run.
type verdicts struct {
	mu   sync.Mutex
	byID *simplelru.LRU[string, verdict]
	most int // about how much memory the plans take that one list makes
}

// verdict says whether a revision of a workflow could run.
type verdict struct {
	revision int
	updated  time.Time
	valid    bool
	versions map[string]string // of the stored workflows that it uses; nil if not all are known
}

func newVerdicts() *verdicts {
	c := &verdicts{most: maxJudged}
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

// keep fills in whether the workflow that m describes could run, and remembers it where the
// store tells when a workflow has changed.
func (c *verdicts) keep(key string, m *workflow.Meta, v verdict) {
	m.Valid = v.valid
	if m.Revision == 0 || m.UpdatedAt.IsZero() || v.versions == nil {
		return
	}
	v.revision, v.updated = m.Revision, m.UpdatedAt
	c.put(key, v)
}

// judge finds out of the workflows of one list which could run. It keeps neither them nor
// their plans: there may be very many.
type judge struct {
	app   *App
	load  func(context.Context, *workflow.Meta) (*workflow.Definition, error)
	spent int // about how much memory took what was judged
}

// maxJudged is about how much memory the plans take that one list makes, one after the other.
const maxJudged = 128 << 20

func (a *App) newJudge(load func(context.Context, *workflow.Meta) (*workflow.Definition, error)) *judge {
	return &judge{app: a, load: load}
}

// judge fills in whether the workflow that m describes could run, or that this is not known
// yet. What is known of it is kept under key.
func (j *judge) judge(ctx context.Context, key string, m *workflow.Meta) error {
	if m.Damaged {
		return nil
	}
	v, ok := j.app.verdicts.get(key)
	if ok && v.revision == m.Revision && v.updated.Equal(m.UpdatedAt) && j.app.current(ctx, v.versions) {
		m.Valid = v.valid
		return nil
	}
	if j.spent >= j.app.verdicts.most {
		m.Unchecked = true
		return nil
	}
	v, err := verdictOn(j.compile(ctx, m))
	if err != nil {
		return err
	}
	j.app.verdicts.keep(key, m, v)
	return nil
}

func (j *judge) compile(ctx context.Context, m *workflow.Meta) (*compiled, error) {
	def, err := j.load(ctx, m)
	if err != nil {
		return nil, err
	}
	made, err := j.app.compile(ctx, def)
	j.spent += made.weight()
	return made, err
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
