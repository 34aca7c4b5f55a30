package ring

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
)

// sharedKey is a key of a [SharedRing], with this process's share of its budget.
type sharedKey struct {
	held   Held
	digest Digest
	ring   *SharedRing

	asking sync.Mutex // held while the store is asked for a share

	mu       sync.Mutex
	used     bool  // since the last report
	bytes    int64 // not reported yet
	waiting  int   // requests that wait for a share
	requests int   // requests left in the share
	begun    int   // requests since the last tick
	opens    time.Time
	again    time.Time // do not ask the store before
	today    int64     // today's use in the store
	told     time.Time // when the store was last asked
	tomorrow time.Time
	gone     bool
}

func newSharedKey(r *SharedRing, k Kept) *sharedKey {
	made := &sharedKey{digest: k.Digest, ring: r}
	made.held = Held{k.Key, made}
	return made
}

// counted reports whether requests or bytes of the key are limited.
func (k *sharedKey) counted() bool {
	return k.held.Budget.RequestsPerMinute > 0 || k.held.Budget.BytesPerDay > 0
}

// Begin implements [Meter].
func (k *sharedKey) Begin(ctx context.Context, body int64) error {
	if done, err := k.spend(body); done {
		return err
	}
	k.wait(1)
	defer k.wait(-1)
	for {
		if err := k.ask(ctx); err != nil {
			return err
		}
		if done, err := k.spend(body); done {
			return err
		}
	}
}

func (k *sharedKey) wait(more int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting += more
}

// spend takes a request from the share. It returns false if the store must be asked first.
func (k *sharedKey) spend(body int64) (done bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, budget := time.Now(), &k.held.Budget
	switch {
	case k.gone:
		return true, ErrRevoked
	case !k.short(now):
	case budget.RequestsPerMinute > 0 && k.requests == 0 && now.Before(k.again):
		return true, spentRequests(budget, k.opens.Sub(now))
	default:
		return false, nil
	}
	k.used = true
	k.begun++
	if budget.RequestsPerMinute > 0 {
		k.requests--
	}
	return true, spentBytes(budget, k.today+k.bytes, body, k.tomorrow.Sub(now))
}

// short reports whether the store must be asked before a request is answered.
func (k *sharedKey) short(now time.Time) bool {
	return k.held.Budget.RequestsPerMinute > 0 && k.requests == 0 ||
		k.held.Budget.BytesPerDay > 0 && now.Sub(k.told) > 2*settleEvery
}

// ask asks the store for a share, unless another goroutine already has.
func (k *sharedKey) ask(ctx context.Context) error {
	k.asking.Lock()
	defer k.asking.Unlock()
	k.mu.Lock()
	now := time.Now()
	enough := k.gone || !k.short(now) || k.requests == 0 && now.Before(k.again)
	c := Claim{Key: k.digest, Used: k.used, Bytes: k.bytes, Requests: k.waiting, Ahead: k.begun}
	if k.requests > 0 {
		c.Requests = 0
	}
	k.mu.Unlock()
	if enough {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWithin) // others wait for the answer, too
	defer cancel()
	shares, err := k.ring.store.Account(ctx, []Claim{c})
	if err != nil {
		return fmt.Errorf("count a request: %w", err)
	}
	k.learn(&c, &shares[0])
	return nil
}

// report returns a claim that reports the use and returns the unused share, and whether it is worth
// sending. It asks for as many requests ahead as were used since the last tick. The caller holds
// asking.
func (k *sharedKey) report() (c Claim, worth bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c = Claim{Key: k.digest, Used: k.used, Bytes: k.bytes, Unused: k.requests}
	if !k.ring.closed.Load() {
		c.Ahead = k.begun
	}
	k.begun, k.requests = 0, 0
	return c, c.Used || c.Bytes > 0 || c.Unused > 0
}

// learn applies the answer to a claim.
func (k *sharedKey) learn(c *Claim, s *Share) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	k.gone = k.gone || s.Gone
	k.used = k.used && !c.Used
	k.bytes -= c.Bytes
	k.requests += s.Requests
	k.today, k.told, k.tomorrow = s.BytesToday, now, now.Add(s.Tomorrow)
	if s.After > 0 { // others may return requests before
		k.opens, k.again = now.Add(s.After), now.Add(min(s.After, settleEvery))
	}
}

// Count implements [Meter].
func (k *sharedKey) Count(bytes int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes += bytes
}

// StartRun implements [Meter].
func (k *sharedKey) StartRun(ctx context.Context) (RunSlot, error) {
	most := k.held.Budget.Runs
	if most == 0 {
		return unbounded{}, nil
	}
	p := &sharedSlot{ring: k.ring, id: uuid.NewString()}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	p.keep(true)
	taken, err := k.ring.store.TakePlace(ctx, k.digest, p.id, most)
	if err == nil && taken {
		return p, nil
	}
	p.keep(false)
	if err != nil {
		return nil, fmt.Errorf("count a run: %w", err)
	}
	return nil, spentRuns(&k.held.Budget)
}

// unbounded is a [RunSlot] of a key without a limit on runs.
type unbounded struct{}

// Name implements [RunSlot].
func (unbounded) Name(string) bool { return true }

// Free implements [RunSlot].
func (unbounded) Free() {}

// sharedSlot is a [RunSlot] in a [Store].
type sharedSlot struct {
	ring *SharedRing
	id   string
}

// keep starts or stops renewing the lease of the slot in this process.
func (p *sharedSlot) keep(mine bool) {
	p.ring.mu.Lock()
	defer p.ring.mu.Unlock()
	if mine {
		p.ring.places[p.id] = true
	} else {
		delete(p.ring.places, p.id)
	}
}

// Name implements [RunSlot]. If the store is unavailable, the slot is freed when its lease expires.
func (p *sharedSlot) Name(runID string) bool {
	p.keep(false)
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	own, err := p.ring.store.NamePlace(ctx, p.id, runID)
	return own || err != nil
}

// Free implements [RunSlot]. If the store is unavailable, the slot is freed when its lease expires.
func (p *sharedSlot) Free() {
	p.keep(false)
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	_ = p.ring.store.FreePlace(ctx, p.id)
}
