package app

import (
	"bytes"
	"context"
	"hash/maphash"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/svcflow/svc/app/internal/lru"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Limits of the plan cache: bytes for posted and for stored workflows each, with their texts and
// definitions; the number of stored ones; the number of active ones.
const (
	maxCachedText = 48 << 20
	maxCachedIDs  = 1024
	maxArmed      = 256
)

// planCache keeps compiled plans: of posted texts by their content, and of stored
// workflows by id and version. A plan that was compiled from stored workflows is
// used only as long as none of them has changed.
type planCache struct {
	seed maphash.Seed

	mu    sync.Mutex
	texts *lru.Cache[uint64, *cachedPlan]
	ids   *lru.Cache[string, *cachedPlan]
	armed *simplelru.LRU[*workflow.Definition, *compiled] // of active workflows
	kept  *lru.Cache[run.Digest, *compiled]               // of recorded runs, by the digest of their documents
}

// cachedPlan is a plan with the posted text that it was compiled from, or the version
// of the stored workflow.
type cachedPlan struct {
	*compiled
	text    []byte
	version string
}

// compiled is a plan with what it was compiled from.
type compiled struct {
	plan       *engine.Plan
	definition *workflow.Definition
	workflows  map[string]*workflow.Definition // the stored ones in it, at any depth
	versions   map[string]string               // stored workflow → its version then; nil if the store cannot tell

	once     sync.Once
	document *run.Document
}

// text returns what the plan was compiled from as journals keep it.
func (c *compiled) text() *run.Document {
	c.once.Do(func() {
		made := run.NewDocument(c.definition, c.workflows)
		if _, _, err := made.Decode(); err == nil { // else the store says what is wrong
			c.document = made
		}
	})
	return c.document
}

// weight returns about how many bytes of memory a plan takes together with what it was
// compiled from.
func (m *compiled) weight() int {
	const plan = 4 // times what the definition takes, for ports, slots and what nodes make of their config
	n := m.definition.Weight()
	for _, inner := range m.workflows {
		n += inner.Weight()
	}
	return plan * n
}

func newPlanCache() *planCache {
	c := &planCache{
		seed:  maphash.MakeSeed(),
		texts: lru.New[uint64, *cachedPlan](maxCachedText, maxCachedText), // each has a byte
		ids:   lru.New[string, *cachedPlan](maxCachedIDs, maxCachedText),
		kept:  lru.New[run.Digest, *compiled](maxCachedIDs, maxCachedText),
	}
	c.armed, _ = simplelru.NewLRU[*workflow.Definition, *compiled](maxArmed, nil) // fails for sizes below 1 only
	return c
}

// byDefinition returns the plan of a definition that is never changed. If it is invalid, the
// result still has its versions.
func (c *planCache) byDefinition(ctx context.Context, a *App, def *workflow.Definition) (*compiled, error) {
	c.mu.Lock()
	made, ok := c.armed.Get(def)
	c.mu.Unlock()
	if ok && a.current(ctx, made.versions) {
		return made, nil
	}
	made, err := a.compile(ctx, def)
	if err == nil && made.versions != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.armed.Add(def, made)
	}
	return made, err
}

// byRecord returns the plan of what a run was started with, as it was then: many runs of a
// workflow share it, in whatever process they were started.
func (c *planCache) byRecord(ctx context.Context, a *App, start *run.Start) (*compiled, error) {
	digest := run.NewDocument(start.Definition, start.Workflows).Digest
	c.mu.Lock()
	made, ok := c.kept.Get(digest)
	c.mu.Unlock()
	if ok {
		return made, nil
	}
	made, err := a.compileFrom(ctx, start.Definition, func(_ context.Context, id string) (*workflow.Definition, error) {
		if def := start.Workflows[id]; def != nil {
			return def, nil
		}
		return nil, workflow.ErrNotFound
	})
	if err != nil {
		return nil, err
	}
	if size := made.weight(); size <= maxCachedText/4 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.kept.Add(digest, made, size)
	}
	return made, nil
}

// byText returns the plan of a document's text.
func (c *planCache) byText(ctx context.Context, a *App, text []byte) (*compiled, error) {
	hash := maphash.Bytes(c.seed, text)
	c.mu.Lock()
	p, ok := c.texts.Get(hash)
	c.mu.Unlock()
	if ok && bytes.Equal(p.text, text) && a.current(ctx, p.versions) {
		return p.compiled, nil
	}
	def, err := workflow.Decode(text, a.limits)
	if err != nil {
		return nil, err
	}
	made, err := a.compile(ctx, def)
	if err != nil {
		return nil, err
	}
	if size := len(text) + made.weight(); made.versions != nil && size <= maxCachedText/4 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.texts.Add(hash, &cachedPlan{compiled: made, text: bytes.Clone(text)}, size)
	}
	return made, nil
}

// byID returns the plan of a stored workflow. If it is invalid, the result still has its versions.
func (c *planCache) byID(ctx context.Context, a *App, id string) (*compiled, error) {
	c.mu.Lock()
	p, ok := c.ids.Get(id)
	c.mu.Unlock()
	version, known := a.version(ctx, id)
	if ok && known && version == p.version && a.current(ctx, p.versions) {
		return p.compiled, nil
	}
	def, err := a.load(ctx, id)
	if err != nil {
		return nil, err
	}
	made, err := a.compile(ctx, def)
	if err != nil {
		return made, err
	}
	if size := made.weight(); known && made.versions != nil && size <= maxCachedText/4 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ids.Add(id, &cachedPlan{compiled: made, version: version}, size)
	}
	return made, nil
}

// current reports whether every stored workflow is as it was.
func (a *App) current(ctx context.Context, versions map[string]string) bool {
	for id, then := range versions {
		if now, ok := a.version(ctx, id); !ok || now != then {
			return false
		}
	}
	return true
}

// version returns the store's tag for a workflow, if it has one.
func (a *App) version(ctx context.Context, id string) (string, bool) {
	v, ok := a.store.(store.Versioned)
	if !ok {
		return "", false
	}
	tag, err := v.Version(ctx, id)
	return tag, err == nil
}

// load returns a stored workflow to be compiled.
func (a *App) load(ctx context.Context, id string) (*workflow.Definition, error) {
	if a.loading == nil {
		return a.store.Load(ctx, id)
	}
	bytes := 0
	if w, ok := a.store.(store.Weighed); ok {
		var err error
		if bytes, err = w.Weight(ctx, id); err != nil {
			return nil, err
		}
	}
	return a.loading(ctx, bytes, func() (*workflow.Definition, error) { return a.store.Load(ctx, id) })
}

// compile turns def into a plan. The versions of the stored workflows in it are
// from before they were loaded. They are returned even if def is invalid.
func (a *App) compile(ctx context.Context, def *workflow.Definition) (*compiled, error) {
	versions := map[string]string{}
	made, err := a.compileFrom(ctx, def, func(ctx context.Context, id string) (*workflow.Definition, error) {
		tag, ok := a.version(ctx, id)
		switch {
		case !ok:
			versions = nil
		case versions != nil:
			versions[id] = tag
		}
		return a.load(ctx, id)
	})
	made.versions = versions
	return made, err
}

// compileFrom turns def into a plan, with stored workflows from load.
func (a *App) compileFrom(ctx context.Context, def *workflow.Definition, load func(context.Context, string) (*workflow.Definition, error)) (*compiled, error) {
	made := &compiled{definition: def, workflows: map[string]*workflow.Definition{}}
	keep := func(ctx context.Context, id string) (*workflow.Definition, error) {
		inner, err := load(ctx, id)
		if err == nil {
			made.workflows[id] = inner
		}
		return inner, err
	}
	var err error
	made.plan, err = engine.Compile(ctx, def, engine.Env{Registry: a.registry, Load: keep, Limits: a.limits})
	return made, err
}
