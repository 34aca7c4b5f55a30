package app

import (
	"context"
	"sync"

	"github.com/svcflow/svc/app/runs"
)

// door lets runs in as long as there are places and the App is not stopping, and
// knows when everything that came in has left.
type door struct {
	mu      sync.Mutex
	closed  bool
	crowded func(context.Context) bool // nil if nobody can tell
	waited  places                     // synchronous runs
	async   places
	inbox   places         // of who puts down runs that wait, as long as that takes; as many as like
	inside  sync.WaitGroup // of runs and what they still do after their end
}

// places are those of one kind of run.
type places struct {
	taken, limit int
	full         error // when all are taken
}

// enter takes a place for the run that ctx is about, or says why there is none.
func (d *door) enter(ctx context.Context, p *places) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return runs.ErrStopping
	case p.taken == p.limit:
		return p.full
	case d.crowded != nil && d.crowded(ctx):
		return runs.ErrCrowded
	}
	p.taken++
	d.inside.Add(1)
	return nil
}

// free gives a place back before leaving.
func (d *door) free(p *places) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p.taken--
}

// leave gives a place back and goes.
func (d *door) leave(p *places) {
	d.free(p)
	d.inside.Done()
}

// count returns how many places are taken.
func (d *door) count(p *places) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return p.taken
}

// close lets nobody in from now on.
func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

// empty waits until everybody has left, or until ctx ends.
func (d *door) empty(ctx context.Context) error {
	left := make(chan struct{})
	go func() { // ends with the last run, which Close interrupts
		d.inside.Wait()
		close(left)
	}()
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
