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
	line    []*Place // those who wait, in the order in which they came
	waiting atomic.Int32
	pushed  time.Time // when one last went on without a place
}

// Place is what one goroutine has of the processors. Make one with [Processors.Place].
type Place struct {
	all   *Processors
	held  bool
	since time.Time
	ready chan struct{} // closed when it waits no more
}

const (
	// placeFor is how long one may compute while others wait.
	placeFor = 5 * time.Millisecond
	// placeWithin is how long the first in the line waits for those who hand nothing on.
	placeWithin = time.Second
)

// Place returns a place that is not taken yet.
func (p *Processors) Place() *Place { return &Place{all: p} }

// Idle reports whether nobody has a place or waits for one.
func (p *Processors) Idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy == 0 && len(p.line) == 0
}

// Enter waits until there is a place. Who has one already hands it on first, if it is time.
// Its error is that of ctx; then it has none, or keeps the one that it has.
func (l *Place) Enter(ctx context.Context) error {
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

// TryEnter takes a place if there is one.
func (l *Place) TryEnter() bool {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	return l.held || l.take()
}

// Leave gives the place back, if there is one.
func (l *Place) Leave() {
	p := l.all
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.line, l); i >= 0 {
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
func (l *Place) pause() bool {
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
func (l *Place) Yield(ctx context.Context) error {
	p := l.all
	if p.waiting.Load() == 0 {
		return nil
	}
	p.mu.Lock()
	if !l.held || len(p.line) == 0 || time.Since(l.since) < placeFor {
		p.mu.Unlock()
		return nil
	}
	l.held = false
	p.next()
	return l.wait(ctx)
}

// places is how many may compute at once.
func (p *Processors) places() int { return max(1, cmp.Or(p.Count, runtime.GOMAXPROCS(0))-1) }

// take takes a place if one is free and nobody was there before. The caller holds mu.
func (l *Place) take() bool {
	p := l.all
	if len(p.line) > 0 || p.busy >= p.places() {
		return false
	}
	p.busy++
	l.begin()
	return true
}

func (l *Place) begin() { l.held, l.since = true, time.Now() }

// next gives a place to the first in the line, or back if nobody waits. The caller holds mu.
func (p *Processors) next() {
	if p.busy > p.places() || len(p.line) == 0 {
		p.busy--
		return
	}
	first := p.line[0]
	p.drop(0)
	first.begin()
	close(first.ready)
}

func (p *Processors) drop(i int) {
	p.line = slices.Delete(p.line, i, i+1)
	p.waiting.Store(int32(len(p.line)))
}

// wait waits for a place. The caller holds mu, which wait unlocks.
func (l *Place) wait(ctx context.Context) error {
	p := l.all
	l.ready = make(chan struct{})
	p.line = append(p.line, l)
	p.waiting.Store(int32(len(p.line)))
	ready := l.ready
	p.mu.Unlock()
	patience := time.NewTicker(placeWithin)
	defer patience.Stop()
	for {
		select {
		case <-ready:
			return nil
		case <-ctx.Done():
			l.Leave()
			return ctx.Err()
		case now := <-patience.C:
			p.push(l, now)
		}
	}
}

// push lets l go on without a place, if it is the first in the line and none has done so for
// a while: those who have places hand nothing on.
func (p *Processors) push(l *Place, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.line) == 0 || p.line[0] != l || now.Sub(p.pushed) < placeWithin {
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

// placeOf returns the place of the goroutine that ctx was made for by [attempt.Worker], or
// else one that is for a single round of the body.
func placeOf(ctx context.Context, a *attempt) (l *Place, own bool) {
	if l, ok := ctx.Value(workerKey{a}).(*Place); ok {
		return l, false
	}
	return a.x.local.Processors.Place(), true
}

// Worker implements [node.Workers].
func (a *attempt) Worker(ctx context.Context) (worker context.Context, done func()) {
	l := a.x.local.Processors.Place()
	return context.WithValue(ctx, workerKey{a}, l), l.Leave
}

// Compute implements [node.Computer]. Nodes of one run have no more turns at once than those
// of others.
func (a *attempt) Compute(ctx context.Context) (done func(), err error) {
	if a.place != nil {
		return func() {}, nil // it takes turns as it is
	}
	ofRun := a.x.processors()
	if err := ofRun.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	l := a.x.local.Processors.Place()
	if err := l.Enter(ctx); err != nil {
		ofRun.Release(1)
		return nil, err
	}
	return func() {
		l.Leave()
		ofRun.Release(1)
	}, nil
}
