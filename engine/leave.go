package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// handOff tracks the calls of a run, so that its host can hand it to another driver as soon as no
// call is at work. Its methods are safe for concurrent use, and do nothing on nil.
type handOff struct {
	cancel context.CancelCauseFunc
	asked  atomic.Bool // no call begins any more

	mu    sync.Mutex
	calls map[*attempt]bool // begun and not reported; true if it is at work in this process
	work  int               // how many of calls are true

	closed  chan struct{}
	waiting sync.WaitGroup
}

// newHandOff watches leave until close.
func newHandOff(leave <-chan struct{}, cancel context.CancelCauseFunc) *handOff {
	l := &handOff{cancel: cancel, calls: map[*attempt]bool{}, closed: make(chan struct{})}
	select {
	case <-leave:
		l.ask()
		return l
	default:
	}
	l.waiting.Go(func() {
		select {
		case <-leave:
			l.ask()
		case <-l.closed:
		}
	})
	return l
}

func (l *handOff) close() {
	if l != nil {
		close(l.closed)
		l.waiting.Wait()
	}
}

func (l *handOff) ask() {
	l.mu.Lock()
	l.asked.Store(true)
	l.mu.Unlock()
	l.handOffIfIdle()
}

// mayBegin reports whether a may begin, and counts it as at work. Containers are not counted: the
// nodes inside are.
func (l *handOff) mayBegin(a *attempt) bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked.Load() {
		return false
	}
	if a.x.plan.nodes[a.node].mode != modeContainer {
		l.calls[a] = true
		l.work++
	}
	return true
}

// ended forgets a, whose result has been reported.
func (l *handOff) ended(a *attempt) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[a] {
		l.work--
	}
	delete(l.calls, a)
}

// markRemote marks a as waiting for another process or a timer. The next driver of the run can
// wait as well, so the run may be handed off meanwhile. Calling back marks a as at work again.
func (l *handOff) markRemote(a *attempt) (back func()) {
	if l == nil {
		return func() {}
	}
	l.turn(a, false)
	l.handOffIfIdle()
	return func() { l.turn(a, true) }
}

// turn sets whether a is at work. It does nothing if a has ended.
func (l *handOff) turn(a *attempt, works bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, known := l.calls[a]
	if !known || now == works {
		return
	}
	l.calls[a] = works
	if works {
		l.work++
	} else {
		l.work--
	}
}

// handOffIfIdle ends the run with ErrHandedOff if that was asked for and no call is at work. It is
// called whenever a part of the run begins to wait.
func (l *handOff) handOffIfIdle() {
	if l == nil || !l.asked.Load() {
		return
	}
	l.mu.Lock()
	idle := l.work == 0
	l.mu.Unlock()
	if idle {
		l.cancel(ErrHandedOff)
	}
}

// hold keeps a from beginning, because the run is about to be handed off.
func (a *attempt) hold(ctx context.Context) {
	a.leaveSlot()
	if places := a.places(); places != nil {
		places.Release(1)
	}
	<-ctx.Done()
	a.x.reports <- a
}

func (g *hostControl) onHandOff() *handOff {
	if g == nil {
		return nil
	}
	return g.handOff
}
