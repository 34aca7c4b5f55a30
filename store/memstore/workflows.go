package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Workflows is a [store.WorkflowStore] in memory, for tests and for programs that bring their own
// workflows. It implements none of the optional interfaces. The zero Workflows is ready for use.
type Workflows struct {
	mu     sync.RWMutex
	stored map[string]inMemory
}

type inMemory struct {
	def  *workflow.Definition
	meta workflow.Meta
}

// List implements [store.WorkflowStore].
func (m *Workflows) List(ctx context.Context, q workflow.Query) (workflow.Page, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	metas := make([]workflow.Meta, 0, len(m.stored))
	for _, id := range slices.Sorted(maps.Keys(m.stored)) {
		metas = append(metas, m.stored[id].meta)
	}
	page, err := store.Paged(metas, q)
	return page, cmp.Or(ctx.Err(), err)
}

// Load implements [store.WorkflowStore].
func (m *Workflows) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	w, ok := m.stored[id]
	if !ok {
		return nil, fmt.Errorf("load workflow: %w", workflow.ErrNotFound)
	}
	return w.def, ctx.Err()
}

// Save implements [store.WorkflowStore].
func (m *Workflows) Save(ctx context.Context, def *workflow.Definition) (workflow.Meta, error) {
	if err := workflow.CheckID(def.ID); err != nil {
		return workflow.Meta{}, fmt.Errorf("save workflow: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, ok := m.stored[def.ID]
	if err := ctx.Err(); err != nil || ok && old.def.Digest() == def.Digest() {
		return old.meta, err
	}
	def, err := workflow.Decode(def.Format(), workflow.Limits{}) // for the reasons see filestore.Store.replace
	if err != nil {
		return workflow.Meta{}, fmt.Errorf("save workflow: %w", err)
	}
	meta := store.Describe(def)
	meta.Revision = old.meta.Revision + 1
	meta.CreatedAt, meta.UpdatedAt = old.meta.CreatedAt, time.Now().UTC()
	if !ok {
		meta.CreatedAt = meta.UpdatedAt
	}
	if m.stored == nil {
		m.stored = map[string]inMemory{}
	}
	m.stored[def.ID] = inMemory{def: def, meta: meta}
	return meta, nil
}

// Delete implements [store.WorkflowStore].
func (m *Workflows) Delete(ctx context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	delete(m.stored, id)
	return nil
}
