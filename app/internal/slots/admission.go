// Package slots decides whether work may begin: [Admission] hands out run slots, and
// [KeyedMutex] lets one goroutine at a time work on a key.
package slots

import (
	"context"
	"sync"

	"github.com/svcflow/svc/app/runs"
)

// Admission hands out run slots until it is closed, and waits for the work it admitted. Its zero
// value is ready for use. It is safe for concurrent use.
type Admission struct {
	// LowMemory, if set, reports whether there is too little memory for another run. Set it
	// before the first call of Acquire.
	LowMemory func(context.Context) bool

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // admitted and not done, with or without a slot
}

// Pool is the run slots for one kind of work. Use it with one [Admission] only.
type Pool struct {
	taken, limit int
	full         error
}

// NewPool returns a pool of limit slots. When all of them are taken, Acquire returns full.
func NewPool(limit int, full error) Pool { return Pool{limit: limit, full: full} }

// Acquire takes a slot for the work that ctx belongs to. Without an error, the caller must call
// Finish, or Release and then Done. The error is [runs.ErrStopping] after Close,
// [runs.ErrCrowded] if memory is low, or that of the pool.
func (a *Admission) Acquire(ctx context.Context, p *Pool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return runs.ErrStopping
	case p.taken == p.limit:
		return p.full
	case a.LowMemory != nil && a.LowMemory(ctx):
		return runs.ErrCrowded
	}
	p.taken++
	a.work.Add(1)
	return nil
}

// Release returns a slot. The work may continue without it until Done.
func (a *Admission) Release(p *Pool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.taken--
}

// Done ends work whose slot was released.
func (a *Admission) Done() { a.work.Done() }

// Finish returns a slot and ends its work.
func (a *Admission) Finish(p *Pool) {
	a.Release(p)
	a.Done()
}

// Go runs f in a goroutine, as work that needs no slot.
func (a *Admission) Go(f func()) { a.work.Go(f) }

// Taken returns the number of taken slots of a pool.
func (a *Admission) Taken(p *Pool) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return p.taken
}

// Close makes Acquire fail from now on.
func (a *Admission) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// Wait waits until all admitted work is done, or until ctx ends. Its goroutine ends with the last
// work, so callers must see to it that all work ends.
func (a *Admission) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		a.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WaitAll waits until all admitted work is done.
func (a *Admission) WaitAll() { a.work.Wait() }
