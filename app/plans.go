package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// The plan cache keeps this many bytes of posted text with their plans, and this
// many plans of stored workflows.
const (
	maxCachedText = 16 << 20
	maxCachedIDs  = 1024
)

// planCache keeps compiled plans: of posted texts by their content, and of stored
// workflows by id and version. A plan that was compiled from stored workflows is
// used only as long as none of them has changed.
type planCache struct {
	seed maphash.Seed

	mu    sync.Mutex
	texts *simplelru.LRU[uint64, *cachedPlan]
	bytes int // of all texts
	ids   *simplelru.LRU[string, *cachedPlan]
}

// cachedPlan is a plan with what it was compiled from.
type cachedPlan struct {
	plan     *engine.Plan
	text     []byte            // of a posted workflow
	versions map[string]string // stored workflow → its version then
}

func newPlanCache() *planCache {
	c := &planCache{seed: maphash.MakeSeed()}
	// The sizes are positive, so neither call can fail. Texts are bounded by
	// their bytes below; their number only has to be out of the way.
	c.texts, _ = simplelru.NewLRU(maxCachedText, func(_ uint64, p *cachedPlan) { c.bytes -= len(p.text) })
	c.ids, _ = simplelru.NewLRU[string, *cachedPlan](maxCachedIDs, nil)
	return c
}

// byText returns the plan of a document's text.
func (c *planCache) byText(ctx context.Context, a *App, text []byte) (*engine.Plan, error) {
	hash := maphash.Bytes(c.seed, text)
	c.mu.Lock()
	p, ok := c.texts.Get(hash)
	c.mu.Unlock()
	if ok && bytes.Equal(p.text, text) && a.current(ctx, p.versions) {
		return p.plan, nil
	}
	def, err := workflow.Decode(text, a.limits)
	if err != nil {
		return nil, err
	}
	plan, versions, err := a.compileTracked(ctx, def)
	if err != nil {
		return nil, err
	}
	if versions != nil && len(text) <= maxCachedText/16 {
		c.keepText(hash, &cachedPlan{plan, bytes.Clone(text), versions})
	}
	return plan, nil
}

func (c *planCache) keepText(hash uint64, p *cachedPlan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts.Remove(hash)
	c.texts.Add(hash, p)
	c.bytes += len(p.text)
	for c.bytes > maxCachedText {
		c.texts.RemoveOldest()
	}
}

// byID returns the plan of a stored workflow.
func (c *planCache) byID(ctx context.Context, a *App, id string) (*engine.Plan, error) {
	c.mu.Lock()
	p, ok := c.ids.Get(id)
	c.mu.Unlock()
	if ok && a.current(ctx, p.versions) {
		return p.plan, nil
	}
	version, known := a.version(ctx, id)
	def, err := a.store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	plan, versions, err := a.compileTracked(ctx, def)
	if err != nil {
		return nil, err
	}
	if known && versions != nil {
		versions[id] = version
		c.mu.Lock()
		c.ids.Add(id, &cachedPlan{plan: plan, versions: versions})
		c.mu.Unlock()
	}
	return plan, nil
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

// compileTracked compiles def and tells the versions of the stored workflows in
// it, from before they were loaded; nil if the store cannot tell them.
func (a *App) compileTracked(ctx context.Context, def *workflow.Definition) (*engine.Plan, map[string]string, error) {
	versions := map[string]string{}
	load := func(ctx context.Context, id string) (*workflow.Definition, error) {
		tag, ok := a.version(ctx, id)
		switch {
		case !ok:
			versions = nil
		case versions != nil:
			versions[id] = tag
		}
		inner, err := a.store.Load(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%w: %w", engine.ErrNoWorkflow, err)
		}
		return inner, err
	}
	plan, err := engine.Compile(ctx, def, engine.Env{Registry: a.registry, Load: load, Limits: a.limits})
	return plan, versions, err
}
