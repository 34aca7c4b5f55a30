package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// handOff knows what is being called, for a host that wants the run left once that has
// ended. Its methods may be called by several goroutines, and on nil: then the run is not
// left that way.
type handOff struct {
	cancel context.CancelCauseFunc
	asked  atomic.Bool // nothing begins any more

	mu    sync.Mutex
	calls map[*attempt]bool // that have begun and not been told, and whether they are at work here
	work  int               // how many of them are

	closed  chan struct{}
	waiting sync.WaitGroup
}

// newHandOff heeds leave, until close.
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

// mayBegin reports whether a may begin. What a container does is done by the nodes inside.
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

// ended says that what came of a has been told.
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

// markRemote says that a waits here for what happens elsewhere, or for its time: whoever goes on
// with the run waits on, so that it can be left meanwhile. It is at work again once back is
// called.
func (l *handOff) markRemote(a *attempt) (back func()) {
	if l == nil {
		return func() {}
	}
	l.turn(a, false)
	l.handOffIfIdle()
	return func() { l.turn(a, true) }
}

// turn says whether a is at work here, unless nobody waits for it any more.
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

// handOffIfIdle leaves the run if that was asked for and nothing is being called. It is called
// whenever some part of the run can do nothing but wait.
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

// hold keeps a, whose turn it is, from beginning: the run is about to be left.
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
