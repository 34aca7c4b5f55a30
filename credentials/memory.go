package credentials

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Memory is a source that holds credentials in memory. It is a [Locker] among goroutines.
// The zero Memory is empty and ready for use.
type Memory struct {
	mu       sync.Mutex
	held     map[Ref]Credential
	revision int64                       // the last one assigned
	turns    map[Ref]*semaphore.Weighted // held while the reference is locked
}

// Credential implements [Provider].
func (m *Memory) Credential(ctx context.Context, ref Ref) (Credential, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Credential{}, err
	}
	c, ok := m.held[ref]
	if !ok {
		return Credential{}, fmt.Errorf("%w: %s", ErrNotFound, ref)
	}
	return c, nil
}

// SetCredential implements [Provider], except that nothing survives a crash.
func (m *Memory) SetCredential(ctx context.Context, ref Ref, c Credential) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.Revision != 0 && c.Revision != m.held[ref].Revision {
		return fmt.Errorf("%w: %s", ErrConflict, ref)
	}
	if m.held == nil {
		m.held = map[Ref]Credential{}
	}
	m.revision++
	c.Revision = m.revision
	m.held[ref] = c
	return nil
}

// Delete implements [Provider].
func (m *Memory) Delete(ctx context.Context, ref Ref) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	delete(m.held, ref)
	return nil
}

// List implements [Provider].
func (m *Memory) List(ctx context.Context) ([]Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	infos := make([]Info, 0, len(m.held))
	for _, ref := range slices.Sorted(maps.Keys(m.held)) {
		c := m.held[ref]
		infos = append(infos, Info{Ref: ref, Source: "memory", Scopes: c.Scopes, ExpiresAt: c.ExpiresAt})
	}
	return infos, ctx.Err()
}

// Lock implements [Locker].
func (m *Memory) Lock(ctx context.Context, ref Ref) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	turn := m.turn(ref)
	if err := turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { turn.Release(1) }, nil
}

func (m *Memory) turn(ref Ref) *semaphore.Weighted {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns = map[Ref]*semaphore.Weighted{}
	}
	if m.turns[ref] == nil {
		m.turns[ref] = semaphore.NewWeighted(1)
	}
	return m.turns[ref]
}
