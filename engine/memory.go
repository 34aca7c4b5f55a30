package engine

import (
	"context"
	"fmt"
	"math"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// Memory bounds the memory that values of all runs take. The zero value sets no bound. Set its
// fields before the first run.
type Memory struct {
	// All is how many bytes the values of all runs may take; 0 means any number. Above it, the
	// run that takes most is ended.
	All int
	// Heap is how many bytes the heap may have, garbage included, before a large allocation; 0
	// means any number. Above it, the allocation waits for a collection or until memory is
	// freed. All does not replace it: it counts values of runs only, not responses that are
	// being sent, temporary data, or garbage that is not collected yet.
	Heap int
	// SetGCPercent sets the GOGC percentage of the process, as debug.SetGCPercent does. If it
	// is set and Heap is not 0, GOGC is raised before a large allocation and restored after the
	// next collection. Only a program may change its GOGC, so nil, which leaves it alone, is
	// right for libraries.
	SetGCPercent func(percent int)

	reservations heapReservations
	heap         atomic.Pointer[heapSize]
	held         atomic.Int64

	mu    sync.Mutex
	runs  map[*runBudget]context.CancelCauseFunc // how to end them
	freed chan struct{}                          // closed when memory is given back; nil if nobody waits
}

// Held returns how many bytes the values of all runs take.
func (m *Memory) Held() int { return int(m.held.Load()) }

// Keep counts n bytes that outlive their run, such as results that wait to be sent, against All.
// Callers must call release exactly once.
func (m *Memory) Keep(n int) (release func()) {
	m.held.Add(int64(n))
	return func() { m.free(int64(n)) }
}

// EndLargest ends the run that takes most, as failed with the code limit_exceeded, and reports
// whether there was one. It skips runs that are already ending.
func (m *Memory) EndLargest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.end(m.largest(), m.exceeded())
}

// runBudget counts the memory that one run holds.
type runBudget struct {
	all  *Memory
	most int64
	held atomic.Int64
	last atomic.Pointer[planNode] // the last node whose outputs were large
	over atomic.Bool              // the run is being ended
	done context.CancelCauseFunc  // of the context that was made for the run; nil if none was
}

// enter begins to count a run in s. If All is set, stop ends the run when it takes too much; if
// stop is nil, enter makes one, which ends the returned context.
func (m *Memory) enter(ctx context.Context, s *runBudget, stop context.CancelCauseFunc) context.Context {
	s.all = m
	if m.All <= 0 {
		return ctx
	}
	if stop == nil {
		ctx, stop = context.WithCancelCause(ctx)
		s.done = stop
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[*runBudget]context.CancelCauseFunc{}
	}
	m.runs[s] = stop
	return ctx
}

// leave gives back all that the run holds.
func (s *runBudget) leave() {
	s.give(s.held.Load())
	m := s.all
	if m.All <= 0 {
		return
	}
	m.mu.Lock()
	delete(m.runs, s)
	m.mu.Unlock()
	if s.done != nil {
		s.done(nil)
	}
}

// give counts n bytes less. Abandoned calls may give memory back after leave, which has already
// given back all, so it never counts below 0.
func (s *runBudget) give(n int64) {
	for {
		held := s.held.Load()
		n = min(n, held)
		if s.held.CompareAndSwap(held, held-n) {
			break
		}
	}
	s.all.free(n)
}

// free counts n bytes less and wakes those who wait for memory.
func (m *Memory) free(n int64) {
	if m.held.Add(-n); m.All <= 0 || n == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed != nil {
		close(m.freed)
		m.freed = nil
	}
}

// take counts n bytes more, for node by. If they exceed the bound of the run, it counts nothing
// and returns an error.
func (s *runBudget) take(n int64, by *planNode) error {
	held := s.held.Add(n)
	if held > s.most {
		s.held.Add(-n)
		return tooMuchMemory(s.most, limit.RunMemoryFlag, "one run")
	}
	if n > limit.Shown || s.last.Load() == nil {
		s.last.Store(by)
	}
	s.all.held.Add(n)
	return nil
}

// blame adds the node whose outputs were large to the failure of a run that was ended for its
// memory.
func (s *runBudget) blame(f *Failure) *Failure {
	if last := s.last.Load(); f != nil && last != nil && s.over.Load() {
		f.NodeID = last.id
	}
	return f
}

// underHalfBudget reports whether all values of the process together take less than half of what the
// run alone may, so that nobody has to count them.
func (s *runBudget) underHalfBudget() bool {
	bound := s.most
	if s.all.All > 0 {
		bound = min(bound, int64(s.all.All))
	}
	return s.all.heapNow() < bound/2
}

// heapSize is the heap goal of the collector at a time.
type heapSize struct {
	bytes int64
	at    time.Time
}

// heapNow returns the size at which the heap is collected next. It may be 1 ms old.
func (m *Memory) heapNow() int64 {
	now := time.Now()
	if h := m.heap.Load(); h != nil && now.Sub(h.at) < time.Millisecond {
		return h.bytes
	}
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	h := &heapSize{bytes: int64(min(sample[0].Value.Uint64(), math.MaxInt64)), at: now}
	m.heap.Store(h)
	return h.bytes
}

// fits ends a run if all runs take too much, as waiter.within does, but never waits: it is for
// values that exist already.
func (s *runBudget) fits() error {
	if s.all.All <= 0 || s.all.Held() <= s.all.All {
		return nil
	}
	_, err := s.all.makeRoom(s)
	return err
}

// makeRoom ends the largest run if all runs take too much and none is ending. It reports whether
// there is enough memory now.
func (m *Memory) makeRoom(s *runBudget) (enough bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Held() <= m.All {
		return true, nil
	}
	if s.over.Load() {
		return false, m.exceeded()
	}
	if !m.ending() {
		largest := m.largest()
		m.end(largest, m.exceeded())
		if largest == s {
			return false, m.exceeded()
		}
	}
	return false, nil
}

// whenFreed returns a channel that is closed when memory is given back.
func (m *Memory) whenFreed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed == nil {
		m.freed = make(chan struct{})
	}
	return m.freed
}

// ending reports whether a run is being ended that still holds memory.
func (m *Memory) ending() bool {
	for s := range m.runs {
		if s.over.Load() && s.held.Load() > 0 {
			return true
		}
	}
	return false
}

// largest returns the run that takes most and is not ending, or nil.
func (m *Memory) largest() *runBudget {
	var largest *runBudget
	for s := range m.runs {
		if !s.over.Load() && (largest == nil || s.held.Load() > largest.held.Load()) {
			largest = s
		}
	}
	return largest
}

// end ends the run of s, if it is still there, and reports whether it did. The caller holds mu.
func (m *Memory) end(s *runBudget, why error) bool {
	if s == nil || m.runs[s] == nil {
		return false
	}
	s.over.Store(true)
	m.runs[s](why)
	return true
}

// exceeded returns the error for all runs taking too much.
func (m *Memory) exceeded() error {
	return tooMuchMemory(int64(m.All), limit.MemoryFlag, "all runs together")
}

// failForHeap ends the run of s, because the heap has no room for n bytes, and returns the error.
func (m *Memory) failForHeap(s *runBudget, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := node.Permanent(node.Errorf(node.CodeLimitExceeded,
		"there is no memory for %s more: all that is going on takes the %s that it may (%s); work on less at once, or give it more",
		sizeText(n), sizeText(int64(m.Heap)), limit.MemoryFlag))
	m.end(s, err)
	return err
}

func tooMuchMemory(most int64, flag, who string) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded,
		"the values of %s take more than the %s of memory that they may (%s); work on less at once, or give it more", who, sizeText(most), flag))
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
