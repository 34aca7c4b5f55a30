package credentialstest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/svcflow/svc/credentials"
)

// Memory is a source that lives as long as the test. Make one with [NewMemory].
type Memory struct {
	mu       sync.Mutex
	held     Holding
	revision int64 // the last one given
}

// NewMemory returns a source that holds these credentials.
func NewMemory(held Holding) *Memory {
	m := &Memory{held: Holding{}}
	for ref, c := range held {
		m.put(ref, c)
	}
	return m
}

func (m *Memory) put(ref credentials.Ref, c credentials.Credential) {
	m.revision++
	c.Revision = m.revision
	m.held[ref] = c
}

// Credential implements [credentials.Provider].
func (m *Memory) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return credentials.Credential{}, err
	}
	c, ok := m.held[ref]
	if !ok {
		return credentials.Credential{}, credentials.ErrNotFound
	}
	return c, nil
}

// SetCredential implements [credentials.Provider].
func (m *Memory) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.Revision != 0 && c.Revision != m.held[ref].Revision {
		return credentials.ErrConflict
	}
	m.put(ref, c)
	return nil
}

// Delete implements [credentials.Provider].
func (m *Memory) Delete(ctx context.Context, ref credentials.Ref) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	delete(m.held, ref)
	return nil
}

// List implements [credentials.Provider].
func (m *Memory) List(ctx context.Context) ([]credentials.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	infos := make([]credentials.Info, 0, len(m.held))
	for _, ref := range slices.Sorted(maps.Keys(m.held)) {
		c := m.held[ref]
		infos = append(infos, credentials.Info{Ref: ref, Source: "memory", Scopes: c.Scopes, ExpiresAt: c.ExpiresAt})
	}
	return infos, ctx.Err()
}
