package engine

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// largeAllocation is the size in bytes from which an allocation needs a reservation.
	// Garbage is collected while there is room for fewer than allocationsAhead of its size.
	largeAllocation  = 4 << 20
	allocationsAhead = 4
	// maxMemoryWait is how long a node waits for memory that others hold.
	maxMemoryWait = 2 * time.Second
	// collectEvery is how often garbage is collected while a node waits for memory.
	collectEvery = 25 * time.Millisecond
)

// heapReservations counts heap memory that is reserved for large allocations.
type heapReservations struct {
	mu        sync.Mutex
	promised  int64     // reserved, and perhaps not allocated yet
	collected time.Time // the last forced collection
	pace      pace
}

// Collect collects garbage if n bytes are a large allocation for which Heap has no room.
func (m *Memory) Collect(n int) {
	if m.Heap <= 0 || n < largeAllocation {
		return
	}
	m.reservations.mu.Lock()
	defer m.reservations.mu.Unlock()
	m.fitsHeap(int64(n))
	m.expect(int64(n))
}

// fitsHeap reports whether the heap has room for n bytes. It collects garbage first if there is
// little room. The caller holds reservations.mu.
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

// claim is the memory that one call holds.
type claim struct {
	held atomic.Int64 // bytes
	next atomic.Int64 // of them, reserved and perhaps not allocated yet
}

// hold counts bytes more, or fewer if negative, for a call that is about to allocate them. A call
// to hold means that earlier reservations are allocated. slot is the CPU slot of the call, or nil.
func (c *claim) hold(ctx context.Context, s *runBudget, bytes int, by *planNode, slot *CPUSlot) error {
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
	w := waiter{s, slot}
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

// made ends the reservation of c: its memory is allocated, and the heap counts it.
func (c *claim) made(m *Memory) {
	if c.next.Load() == 0 {
		return
	}
	m.reservations.mu.Lock()
	m.reservations.promised -= c.next.Swap(0)
	m.reservations.mu.Unlock()
}

// giveBack gives back all that the call holds.
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

// within waits until all runs take no more than Memory.All. It ends the largest run, which may be
// that of w.
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

// room waits until the heap has room for n bytes, if they are a large allocation, and reserves
// them for c.
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

// until waits until there reports true, for at most maxMemoryWait. Meanwhile it gives its CPU slot
// back, because a call that is to free memory may need one.
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

// spare is the step, in bytes, by which the heap goal is raised for large allocations.
const spare = 64 << 20

// pace remembers the GOGC percentage that expect replaced.
type pace struct {
	before int // GOGC before it was raised; 0 while it is not raised
}

// expect raises GOGC so that the heap can grow by n bytes before the next collection, and
// restores it after that collection. Without it, one large allocation passes the heap goal at
// once, and every goroutine that allocates has to assist the collector: a request that takes
// 1 ms then takes 10. It does nothing if SetGCPercent is nil. The caller holds
// reservations.mu.
func (m *Memory) expect(n int64) {
	if m.SetGCPercent == nil {
		return
	}
	for range 2 { // a collection may end meanwhile and set a new goal
		h := readHeap()
		want := h.used + m.reservations.promised + n + m.spare()
		if h.percent == 0 || h.live == 0 || min(want, int64(m.Heap)) <= h.goal {
			return
		}
		want = min(want+m.spare(), int64(m.Heap))
		m.SetGCPercent(int(min((want-h.live)*100/h.live+1, math.MaxInt32)))
		if m.reservations.pace.before == 0 {
			m.reservations.pace.before = h.percent
			runtime.AddCleanup(new([2]*Memory), (*Memory).collected, m)
		}
	}
}

// spare returns by how much more than needed the heap goal is raised, so that not every large
// allocation changes GOGC.
func (m *Memory) spare() int64 { return min(spare, int64(m.Heap)/8) }

// collected restores GOGC after a collection. Another Memory of the process may have raised it
// too, so the lower of the current and the remembered value counts.
func (m *Memory) collected() {
	m.reservations.mu.Lock()
	defer m.reservations.mu.Unlock()
	m.SetGCPercent(min(m.reservations.pace.before, cmp.Or(readHeap().percent, m.reservations.pace.before)))
	m.reservations.pace.before = 0
}

// heapState is the collector's view of the heap.
type heapState struct {
	used, live, goal int64 // bytes: in use, alive after the last collection, and at which the next begins
	percent          int   // GOGC; 0 if it is off
}

func readHeap() heapState {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}, {Name: "/gc/gogc:percent"},
	}
	metrics.Read(s)
	bytes := func(i int) int64 { return int64(min(s[i].Value.Uint64(), math.MaxInt64)) }
	h := heapState{used: bytes(0), live: bytes(1), goal: bytes(2)}
	if percent := bytes(3); percent < math.MaxInt32 {
		h.percent = int(percent)
	}
	return h
}
