// Package ringtest tests implementations of [ring.Store].
package ringtest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/store"
)

// Memory is a [ring.Store] in memory. The zero value is ready for use. It is safe for concurrent
// use.
type Memory struct {
	mu     sync.Mutex
	keys   []memoryKey // by name
	state  int64
	places map[string]*memoryPlace
	ended  map[string]bool // ids of runs that have ended
	away   bool
	asked  int
}

var _ ring.Store = (*Memory)(nil)

type memoryKey struct {
	ring.Kept
	ring.Balance
}

type memoryPlace struct {
	key   ring.Digest
	runID string
	until time.Time
}

// Away makes the store unavailable, or available again.
func (m *Memory) Away(away bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = away
}

// Accounted returns how often Account was called.
func (m *Memory) Accounted() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// End records that a run has ended.
func (m *Memory) End(runID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended == nil {
		m.ended = map[string]bool{}
	}
	m.ended[runID] = true
}

// with calls do with the lock held, if the store is available.
func (m *Memory) with(ctx context.Context, do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case m.away:
		return store.ErrUnavailable
	}
	if m.state == 0 {
		m.state, m.places = 1, map[string]*memoryPlace{}
	}
	return do()
}

// Keys implements [ring.Store].
func (m *Memory) Keys(ctx context.Context, seen int64) (all []ring.Kept, state int64, err error) {
	err = m.with(ctx, func() error {
		if state = m.state; state != seen {
			for _, k := range m.keys {
				all = append(all, k.Kept)
			}
		}
		return nil
	})
	return all, state, err
}

// Uses implements [ring.Store].
func (m *Memory) Uses(ctx context.Context) (all []keys.Key, err error) {
	all = []keys.Key{}
	err = m.with(ctx, func() error {
		for _, k := range m.keys {
			all = append(all, k.Describe(k.Key, time.Now()))
		}
		return nil
	})
	return all, err
}

// AddKey implements [ring.Store].
func (m *Memory) AddKey(ctx context.Context, k ring.Kept) error {
	return m.with(ctx, func() error {
		at, taken := slices.BinarySearchFunc(m.keys, k.Name, func(k memoryKey, name string) int { return strings.Compare(k.Name, name) })
		switch {
		case taken:
			return ring.ErrExists
		case len(m.keys) >= limit.Keys:
			return ring.ErrTooMany
		}
		m.keys = slices.Insert(m.keys, at, memoryKey{Kept: k})
		m.state++
		return nil
	})
}

// RemoveKey implements [ring.Store].
func (m *Memory) RemoveKey(ctx context.Context, name string) error {
	return m.with(ctx, func() error {
		at := slices.IndexFunc(m.keys, func(k memoryKey) bool { return k.Name == name })
		if at < 0 {
			return ring.ErrNotFound
		}
		m.keys = slices.Delete(m.keys, at, at+1)
		m.state++
		return nil
	})
}

// Account implements [ring.Store].
func (m *Memory) Account(ctx context.Context, claims []ring.Claim) (shares []ring.Share, err error) {
	err = m.with(ctx, func() error {
		m.asked++
		for i := range claims {
			at := slices.IndexFunc(m.keys, func(k memoryKey) bool { return k.Digest == claims[i].Key })
			if at < 0 {
				shares = append(shares, ring.Share{Gone: true})
				continue
			}
			shares = append(shares, m.keys[at].Account(&m.keys[at].Budget, &claims[i], time.Now()))
		}
		return nil
	})
	return shares, err
}

// TakePlace implements [ring.Store].
func (m *Memory) TakePlace(ctx context.Context, key ring.Digest, id string, most int) (taken bool, err error) {
	err = m.with(ctx, func() error {
		n := 0
		for _, p := range m.places {
			if p.key == key && (p.runID == "" && time.Now().Before(p.until) || p.runID != "" && !m.ended[p.runID]) {
				n++
			}
		}
		if taken = n < most; taken {
			m.places[id] = &memoryPlace{key: key, until: time.Now().Add(ring.PlaceLife)}
		}
		return nil
	})
	return taken, err
}

// KeepPlaces implements [ring.Store].
func (m *Memory) KeepPlaces(ctx context.Context, ids []string) error {
	return m.with(ctx, func() error {
		for _, id := range ids {
			if p := m.places[id]; p != nil {
				p.until = time.Now().Add(ring.PlaceLife)
			}
		}
		return nil
	})
}

// NamePlace implements [ring.Store].
func (m *Memory) NamePlace(ctx context.Context, id, runID string) (own bool, err error) {
	err = m.with(ctx, func() error {
		for _, p := range m.places {
			if p.runID == runID {
				delete(m.places, id)
				return nil
			}
		}
		if p := m.places[id]; p != nil {
			p.runID = runID
		}
		own = true
		return nil
	})
	return own, err
}

// FreePlace implements [ring.Store].
func (m *Memory) FreePlace(ctx context.Context, id string) error {
	return m.with(ctx, func() error {
		delete(m.places, id)
		return nil
	})
}
