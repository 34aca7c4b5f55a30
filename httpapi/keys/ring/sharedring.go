package ring

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/store"
)

const (
	// settleEvery is the interval at which a process reports the use of keys and reads which keys
	// exist.
	settleEvery = 500 * time.Millisecond
	// KnownFor is how long keys stay valid while the [Store] is unavailable. It is short because a
	// key may have been revoked meanwhile.
	KnownFor = 5 * time.Second
	// askWithin is the time limit of a store call, since a caller waits for it.
	askWithin = 2 * time.Second
)

// SharedRing is a [Ring] over a [Store] that several processes share. All processes notice a new or
// revoked key within a second. Budgets count the use in all processes: requests and runs exactly,
// bytes except those of the last second. Make one with [Join].
type SharedRing struct {
	store Store
	log   *slog.Logger
	end   context.CancelFunc
	work  sync.WaitGroup

	mu     sync.Mutex
	held   map[Digest]*sharedKey
	state  int64     // of the store
	known  time.Time // when the store last answered
	saved  time.Time // last report of the use of keys without a budget
	places map[string]bool

	away   bool // the store was unavailable at the last tick
	closed atomic.Bool
}

// Join returns the keys of a store, which must be available.
func Join(ctx context.Context, s Store, log *slog.Logger) (*SharedRing, error) {
	r := &SharedRing{store: s, log: log, held: map[Digest]*sharedKey{}, places: map[string]bool{}, saved: time.Now()}
	if err := r.look(ctx); err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	r.work.Go(func() { r.settle(ctx) })
	return r, nil
}

// Find implements [Ring].
func (r *SharedRing) Find(secret string) (*Held, error) {
	if !strings.HasPrefix(secret, keys.Prefix) {
		return nil, nil
	}
	digest := Digest(sha256.Sum256([]byte(secret)))
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.known) > KnownFor {
		return nil, fmt.Errorf("find a key: %w", store.ErrUnavailable)
	}
	if k := r.held[digest]; k != nil { // timing reveals nothing: callers cannot choose digests
		return &k.held, nil
	}
	return nil, nil
}

// List implements [Ring].
func (r *SharedRing) List(ctx context.Context) ([]keys.Key, error) {
	if err := r.tell(ctx, true); err != nil {
		return nil, err
	}
	return r.store.Uses(ctx)
}

// Make implements [Ring].
func (r *SharedRing) Make(ctx context.Context, q keys.Request) (keys.Made, error) {
	made, digest := newKey(q)
	if err := r.store.AddKey(ctx, Kept{made.Key, digest}); err != nil {
		return keys.Made{}, err
	}
	_ = r.look(ctx) // an error does not matter: the next tick tries again
	return made, nil
}

// Revoke implements [Ring].
func (r *SharedRing) Revoke(ctx context.Context, name string) error {
	if err := r.store.RemoveKey(ctx, name); err != nil {
		return err
	}
	_ = r.look(ctx) // an error does not matter: the next tick tries again
	return nil
}

// Close implements [Ring].
func (r *SharedRing) Close(ctx context.Context) error {
	r.closed.Store(true)
	r.end()
	r.work.Wait()
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return r.tell(ctx, true)
}

// settle exchanges changes with the store until ctx ends.
func (r *SharedRing) settle(ctx context.Context) {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asking, cancel := context.WithTimeout(ctx, askWithin)
		err := errors.Join(r.look(asking), r.tell(asking, false), r.keepPlaces(asking))
		cancel()
		if away := err != nil && ctx.Err() == nil; away != r.away {
			if r.away = away; away {
				r.log.WarnContext(ctx, "the named keys cannot be looked up; those that are known are good for some seconds", "error", err)
			} else {
				r.log.InfoContext(ctx, "the named keys can be looked up again")
			}
		}
	}
}

// look reads which keys exist.
func (r *SharedRing) look(ctx context.Context) error {
	r.mu.Lock()
	seen, asked := r.state, time.Now()
	r.mu.Unlock()
	all, state, err := r.store.Keys(ctx, seen)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if state < r.state { // a concurrent call has read a newer state
		return nil
	}
	r.known = asked
	if state == r.state || state == seen {
		return nil
	}
	held := make(map[Digest]*sharedKey, len(all))
	for _, k := range all {
		if held[k.Digest] = r.held[k.Digest]; held[k.Digest] == nil {
			held[k.Digest] = newSharedKey(r, k)
		}
	}
	r.held, r.state = held, state
	return nil
}

// tell reports the use of keys, of those without a budget only now and then, or if all is true.
func (r *SharedRing) tell(ctx context.Context, all bool) error {
	r.mu.Lock()
	now := time.Now()
	if now.Sub(r.saved) >= saveEvery {
		all = true
	}
	if all {
		r.saved = now
	}
	held := slices.Collect(maps.Values(r.held))
	r.mu.Unlock()
	var telling []*sharedKey
	var claims []Claim
	for _, k := range held {
		if !all && !k.counted() || !k.asking.TryLock() { // a goroutine that asks for a share also reports
			continue
		}
		defer k.asking.Unlock()
		if c, worth := k.report(); worth {
			telling, claims = append(telling, k), append(claims, c)
		}
	}
	if len(claims) == 0 {
		return nil
	}
	shares, err := r.store.Account(ctx, claims)
	if err != nil { // the store may have counted it: better too few requests than too many
		return err
	}
	for i, k := range telling {
		k.learn(&claims[i], &shares[i])
	}
	return nil
}

// keepPlaces renews the leases of the run slots in this process.
func (r *SharedRing) keepPlaces(ctx context.Context) error {
	r.mu.Lock()
	ids := slices.Sorted(maps.Keys(r.places))
	r.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	return r.store.KeepPlaces(ctx, ids)
}
