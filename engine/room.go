package engine

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// largeAllocation is from how many bytes on what is made needs room on the heap, and ahead for how
	// many of the like there should be some before garbage is collected.
	largeAllocation  = 4 << 20
	allocationsAhead = 4
	// maxMemoryWait is how long a node waits for memory that others have.
	maxMemoryWait = 2 * time.Second
	// collectEvery is how often garbage is collected for those who wait for room.
	collectEvery = 25 * time.Millisecond
)

// heapReservations is what is free on the heap for large things.
type heapReservations struct {
	mu        sync.Mutex
	promised  int64     // to calls that may not have made it yet
	collected time.Time // when garbage was last collected for somebody
	pace      pace
}

// Collect makes room on the heap for n bytes, if they are many: see Heap.
func (m *Memory) Collect(n int) {
	if m.Heap <= 0 || n < largeAllocation {
		return
	}
	m.reservations.mu.Lock()
	defer m.reservations.mu.Unlock()
	m.fitsHeap(int64(n))
	m.expect(int64(n))
}

// fitsHeap reports whether there is room for n bytes, having collected garbage if there is
// little. The caller holds room.mu.
func (m *Memory) fitsHeap(n int64) bool {
	r, most := &m.reservations, int64(m.Heap)
	used := heapUsed() + r.promised
	if used+allocationsAhead*n > most && time.Since(r.collected) > collectEvery {
		runtime.GC()
		r.collected = time.Now()
		used = heapUsed() + r.promised
	}
	return used+n <= most
}

// heapUsed returns how many bytes there are on the heap, garbage included.
func heapUsed() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) //nolint:gosec // there is no heap of 2^63 bytes
}

// claim is what one call holds of the memory.
type claim struct {
	held atomic.Int64 // bytes
	next atomic.Int64 // of them, what it may not have made yet
}

// hold counts n bytes more for a call that is about to make something, or fewer. What it was
// promised before it has made by now. place is that of the call; nil if it has none.
func (c *claim) hold(ctx context.Context, s *runBudget, bytes int, by *planNode, place *CPUSlot) error {
	n := max(int64(bytes), -c.held.Load())
	c.made(s.all)
	if n <= 0 {
		s.give(-n)
		c.held.Add(n)
		return nil
	}
	err := s.take(n, by)
	if err != nil {
		return err
	}
	w := waiter{s, place}
	if err = w.within(ctx); err == nil {
		err = w.room(ctx, n, c)
	}
	if err != nil {
		s.give(n)
		return err
	}
	c.held.Add(n)
	return nil
}

// made says that what was promised is there.
func (c *claim) made(m *Memory) {
	if c.next.Load() == 0 {
		return
	}
	m.reservations.mu.Lock()
	m.reservations.promised -= c.next.Swap(0)
	m.reservations.mu.Unlock()
}

// giveBack gives everything back.
func (c *claim) giveBack(s *runBudget) {
	c.made(s.all)
	if c.held.Load() != 0 {
		s.give(c.held.Swap(0))
	}
}

// waiter is a call that waits for memory.
type waiter struct {
	share *runBudget
	slot  *CPUSlot
}

// within makes sure that all runs together take no more than they may: the largest run is
// ended, which may be that of w. It waits until there is room.
func (w waiter) within(ctx context.Context) error {
	m := w.share.all
	if m.All <= 0 || m.Held() <= m.All {
		return nil
	}
	enough, err := w.until(ctx, func() (bool, error) { return m.makeRoom(w.share) })
	if err == nil && !enough {
		err = m.exceeded()
	}
	return err
}

// room waits until there is room on the heap for n bytes, if they are many, and promises it to c.
func (w waiter) room(ctx context.Context, n int64, c *claim) error {
	m := w.share.all
	if m.Heap <= 0 || n < largeAllocation {
		return nil
	}
	fits := func() (bool, error) {
		m.reservations.mu.Lock()
		defer m.reservations.mu.Unlock()
		if !m.fitsHeap(n) {
			return false, nil
		}
		m.expect(n)
		m.reservations.promised += n
		c.next.Add(n)
		return true, nil
	}
	enough, _ := fits()
	if enough {
		return nil
	}
	enough, err := w.until(ctx, fits)
	if err == nil && !enough {
		err = m.failForHeap(w.share, n)
	}
	return err
}

// until waits until there is enough memory, but no longer than its patience. Meanwhile it has no
// place: those that are to give something back may need one.
func (w waiter) until(ctx context.Context, there func() (bool, error)) (enough bool, err error) {
	if w.slot != nil && w.slot.pause() {
		defer func() {
			if entered := w.slot.Acquire(ctx); err == nil {
				err = entered
			}
		}()
	}
	late := time.NewTimer(maxMemoryWait)
	defer late.Stop()
	again := time.NewTicker(collectEvery)
	defer again.Stop()
	for {
		freed := w.share.all.whenFreed()
		if enough, err = there(); enough || err != nil {
			return enough, err
		}
		select {
		case <-freed:
		case <-again.C:
		case <-ctx.Done():
			return false, ctx.Err()
		case <-late.C:
			return false, nil
		}
	}
}
