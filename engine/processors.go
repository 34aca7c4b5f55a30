package engine

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Processors are places for what computes for long, of all runs together: one fewer than
// there are processors, and at least one. So there is always a processor for what is short,
// which takes no place, and for the network, which Go looks at when a processor has nothing
// to do. Who has a place hands it on after a while, if it asks for memory or begins another
// round meanwhile. Its zero value is ready for use.
type Processors struct {
	// Count is how many processors there are; 0 means as many as Go uses. Set it before the first run.
	Count int

	mu      sync.Mutex
	busy    int
	queue   []*CPUSlot // those who wait, in the order in which they came
	waiting atomic.Int32
	pushed  time.Time // when one last went on without a place
}

// CPUSlot is what one goroutine has of the processors. Make one with [Processors.Slot].
type CPUSlot struct {
	all   *Processors
	held  bool
	since time.Time
	ready chan struct{} // closed when it waits no more
}

const (
	// slotTime is how long one may compute while others wait.
	slotTime = 5 * time.Millisecond
	// maxSlotWait is how long the first in the line waits for those who hand nothing on.
	maxSlotWait = time.Second
)

// Slot returns a place that is not taken yet.
func (p *Processors) Slot() *CPUSlot { return &CPUSlot{all: p} }

// Idle reports whether nobody has a place or waits for one.
func (p *Processors) Idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy == 0 && len(p.queue) == 0
}

// Acquire waits until there is a place. Who has one already hands it on first, if it is time.
// Its error is that of ctx; then it has none, or keeps the one that it has.
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

// TryAcquire takes a place if there is one.
func (l *CPUSlot) TryAcquire() bool {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	return l.held || l.take()
}

// Release gives the place back, if there is one.
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

// pause gives the place back, and reports whether there was one. Who waits for one goes on
// waiting.
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

// Yield hands the place on if others wait and it was held for long enough, and waits until it
// is the turn of l again. Who has no place goes on.
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

// slots is how many may compute at once.
func (p *Processors) slots() int { return max(1, cmp.Or(p.Count, runtime.GOMAXPROCS(0))-1) }

// take takes a place if one is free and nobody was there before. The caller holds mu.
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

// next gives a place to the first in the line, or back if nobody waits. The caller holds mu.
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

// wait waits for a place. The caller holds mu, which wait unlocks.
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

// push lets l go on without a place, if it is the first in the line and none has done so for
// a while: those who have places hand nothing on.
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

// workerKey is for the place of a goroutine of one attempt.
type workerKey struct{ attempt *attempt }

// slotOf returns the place of the goroutine that ctx was made for by [attempt.Worker], or
// else one that is for a single round of the body.
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

// Compute implements [node.Computer]. Nodes of one run have no more turns at once than those
// of others.
func (a *attempt) Compute(ctx context.Context) (done func(), err error) {
	if a.slot != nil {
		return func() {}, nil // it takes turns as it is
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
