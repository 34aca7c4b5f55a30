package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// memory is a store without optional interfaces.
type memory struct {
	mu   sync.Mutex
	defs map[string]*workflow.Definition
	made map[string]time.Time
}

func (m *memory) List(_ context.Context, q workflow.Query) (workflow.Page, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []workflow.Meta
	for _, def := range m.defs {
		list = append(list, m.describe(def))
	}
	slices.SortFunc(list, func(a, b workflow.Meta) int { return cmp.Compare(a.ID, b.ID) })
	return store.Paged(list, q)
}

func (m *memory) Load(_ context.Context, id string) (*workflow.Definition, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	def, ok := m.defs[id]
	if !ok {
		return nil, fmt.Errorf("%w: %q", workflow.ErrNotFound, id)
	}
	return def, nil
}

func (m *memory) Save(_ context.Context, def *workflow.Definition) (workflow.Meta, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.defs == nil {
		m.defs, m.made = map[string]*workflow.Definition{}, map[string]time.Time{}
	}
	m.defs[def.ID], m.made[def.ID] = def, time.Now()
	return m.describe(def), nil
}

func (m *memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.defs, id)
	return nil
}

func (m *memory) describe(def *workflow.Definition) workflow.Meta {
	return workflow.Meta{
		ID: def.ID, Name: def.Name, Description: def.Description, NodeCount: len(def.Nodes),
		CreatedAt: m.made[def.ID], UpdatedAt: m.made[def.ID],
	}
}
