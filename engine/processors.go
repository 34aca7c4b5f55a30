package engine

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// Processors limits how many long computations of all runs work at the same time: to one
// fewer than the number of processors, and at least one. So a processor stays free for
// short work, which takes no slot, and for the network, which Go polls when a processor is
// idle. A slot held for 5 ms passes to the next in the queue when its holder asks for
// memory or begins another round. The zero value is ready for use.
type Processors struct {
	// Count is the number of processors; 0 means GOMAXPROCS. Set it before the first run.
	Count int

	mu      sync.Mutex
	busy    int
	queue   []*CPUSlot // waiting, first come first served
	waiting atomic.Int32
	pushed  time.Time // when a waiter last got a slot beyond the limit
}

// CPUSlot is the slot of one goroutine, held or not. Make one with [Processors.Slot].
type CPUSlot struct {
	all   *Processors
	held  bool
	since time.Time
	ready chan struct{} // closed when it no longer waits
}

const (
	// slotTime is how long a slot may be held while others wait.
	slotTime = 5 * time.Millisecond
	// maxSlotWait is how long the first in the queue waits if no holder gives its slot up.
	maxSlotWait = time.Second
)

// Slot returns a slot that is not held yet.
func (p *Processors) Slot() *CPUSlot { return &CPUSlot{all: p} }

// Idle reports whether no slot is held or waited for.
func (p *Processors) Idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy == 0 && len(p.queue) == 0
}

// Acquire waits for a slot. If l is held already, it does what [CPUSlot.Yield] does. It returns
// the error of ctx if that ends first.
func (l *CPUSlot) Acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p := l.all
	p.mu.Lock()
	if l.held {
		p.mu.Unlock()
		return l.Yield(ctx)
	}
	if l.take() {
		p.mu.Unlock()
		return nil
	}
	return l.wait(ctx)
}

// TryAcquire takes a slot if one is free, and reports whether l is held.
func (l *CPUSlot) TryAcquire() bool {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	return l.held || l.take()
}

// Release gives the slot back, or stops waiting for one. It may be called at any time.
func (l *CPUSlot) Release() {
	p := l.all
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, l); i >= 0 {
		p.drop(i)
		close(l.ready)
	}
	if l.held {
		l.held = false
		p.next()
	}
}

// pause gives the slot back and reports whether it was held. Unlike Release, it does not end the
// wait for a slot.
func (l *CPUSlot) pause() bool {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if !l.held {
		return false
	}
	l.held = false
	l.all.next()
	return true
}

// Yield hands the slot to the next in the queue if it was held for 5 ms, and waits for another
// one. It does nothing if nobody waits or l is not held.
func (l *CPUSlot) Yield(ctx context.Context) error {
	p := l.all
	if p.waiting.Load() == 0 {
		return nil
	}
	p.mu.Lock()
	if !l.held || len(p.queue) == 0 || time.Since(l.since) < slotTime {
		p.mu.Unlock()
		return nil
	}
	l.held = false
	p.next()
	return l.wait(ctx)
}

// slots returns the number of slots.
func (p *Processors) slots() int { return max(1, cmp.Or(p.Count, runtime.GOMAXPROCS(0))-1) }

// take takes a slot if one is free and nobody waits. The caller holds mu.
func (l *CPUSlot) take() bool {
	p := l.all
	if len(p.queue) > 0 || p.busy >= p.slots() {
		return false
	}
	p.busy++
	l.begin()
	return true
}

func (l *CPUSlot) begin() { l.held, l.since = true, time.Now() }

// next gives a slot to the first in the queue, or frees it if nobody waits. The caller holds mu.
func (p *Processors) next() {
	if p.busy > p.slots() || len(p.queue) == 0 {
		p.busy--
		return
	}
	first := p.queue[0]
	p.drop(0)
	first.begin()
	close(first.ready)
}

func (p *Processors) drop(i int) {
	p.queue = slices.Delete(p.queue, i, i+1)
	p.waiting.Store(int32(len(p.queue)))
}

// wait waits for a slot. The caller holds mu, which wait unlocks.
func (l *CPUSlot) wait(ctx context.Context) error {
	p := l.all
	l.ready = make(chan struct{})
	p.queue = append(p.queue, l)
	p.waiting.Store(int32(len(p.queue)))
	ready := l.ready
	p.mu.Unlock()
	patience := time.NewTicker(maxSlotWait)
	defer patience.Stop()
	for {
		select {
		case <-ready:
			return nil
		case <-ctx.Done():
			l.Release()
			return ctx.Err()
		case now := <-patience.C:
			p.push(l, now)
		}
	}
}

// push gives l a slot beyond the limit if it is the first in the queue and nobody got one that way
// within maxSlotWait: the holders do not yield.
func (p *Processors) push(l *CPUSlot, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 || p.queue[0] != l || now.Sub(p.pushed) < maxSlotWait {
		return
	}
	p.pushed = now
	p.busy++
	p.drop(0)
	l.begin()
	close(l.ready)
}

// workerKey is the context key of the slot of a goroutine that works for an attempt.
type workerKey struct{ attempt *attempt }

// slotOf returns the slot of the goroutine that got ctx from [attempt.Worker]; else a new one, for
// a single round of the body, and own is true.
func slotOf(ctx context.Context, a *attempt) (l *CPUSlot, own bool) {
	if l, ok := ctx.Value(workerKey{a}).(*CPUSlot); ok {
		return l, false
	}
	return a.x.local.Processors.Slot(), true
}

// Worker implements [node.Workers].
func (a *attempt) Worker(ctx context.Context) (worker context.Context, done func()) {
	l := a.x.local.Processors.Slot()
	return context.WithValue(ctx, workerKey{a}, l), l.Release
}

// Compute implements [node.Computer]. It also limits how many nodes of one run compute at once, so
// that a run cannot fill the queue.
func (a *attempt) Compute(ctx context.Context) (done func(), err error) {
	if a.slot != nil {
		return func() {}, nil // the attempt has a slot already
	}
	ofRun := a.x.processors()
	if err := ofRun.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	l := a.x.local.Processors.Slot()
	if err := l.Acquire(ctx); err != nil {
		ofRun.Release(1)
		return nil, err
	}
	return func() {
		l.Release()
		ofRun.Release(1)
	}, nil
}

// computing counts how long the nodes of a run have computed. Go does not report the CPU
// time of a goroutine, so it is the wall time of nodes that only compute: pure ones and
// inline ones. Waiting nodes do not count. On a busy machine a run gets less done in the
// same time.
type computing struct {
	most time.Duration // 0 means any time
	used atomic.Int64
}

// errComputing is the cancellation cause of an attempt whose run exceeds its computing
// time.
var errComputing = errors.New("the run has computed for too long")

// left returns timeout, or the computing time that is left for the run if that is less.
func (e *computing) left(n *planNode, timeout time.Duration) time.Duration {
	if e.most == 0 || !n.computes {
		return timeout
	}
	return min(timeout, max(0, e.most-time.Duration(e.used.Load())))
}

// spend counts the computing time of node n. It returns an error if the limit is exceeded.
func (e *computing) spend(n *planNode, took time.Duration) error {
	if e.most == 0 || !n.computes || time.Duration(e.used.Add(int64(took))) <= e.most {
		return nil
	}
	return e.exceeded()
}

func (e *computing) exceeded() error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded,
		"the nodes of the run have computed for longer than the %v that they may (%s); give it less to do, or more time", e.most, limit.RunCPUFlag))
}
