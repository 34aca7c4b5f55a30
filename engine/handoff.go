package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/node"
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

// Parked is the error of a run that stopped because it only waits; see [Options.Park].
type Parked struct {
	// Until is when the first wait ends.
	Until time.Time
}

// Error implements error.
func (p *Parked) Error() string {
	return fmt.Sprintf("the run only waits, until %s", p.Until.UTC().Format(time.RFC3339))
}

// quietFor is how long no node may be called before a run is parked. It is more than the
// time between two nodes.
const quietFor = time.Second

// parking detects that a run only waits, and stops it. Its methods are safe for concurrent
// use.
type parking struct {
	least  time.Duration
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	calling int                    // node calls that do more than wait
	waits   map[*attempt]time.Time // attempts that only wait → end of the wait
	timer   *time.Timer            // runs while nothing is called
}

func newParking(least time.Duration, cancel context.CancelCauseFunc) *parking {
	return &parking{least: least, cancel: cancel, waits: map[*attempt]time.Time{}}
}

func (p *parking) called()   { p.change(func() { p.calling++ }) }
func (p *parking) returned() { p.change(func() { p.calling-- }) }

// wait records that a waits until a time, before it is called or during the call.
func (p *parking) wait(a *attempt, until time.Time) {
	if p != nil {
		p.change(func() { p.waits[a] = until })
	}
}

func (p *parking) waited(a *attempt) {
	if p != nil {
		p.change(func() { delete(p.waits, a) })
	}
}

// change calls f and restarts the timer.
func (p *parking) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.stop()
	if p.calling == 0 && len(p.waits) > 0 {
		var timer *time.Timer
		timer = time.AfterFunc(quietFor, func() { p.park(&timer) })
		p.timer = timer
	}
}

// stop stops the timer. The caller holds mu.
func (p *parking) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// close stops the timer when the run ends.
func (p *parking) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
}

// park stops the run, unless something has changed since timer was set.
func (p *parking) park(timer **time.Timer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil || p.timer != *timer {
		return
	}
	var first time.Time
	for _, due := range p.waits {
		if first.IsZero() || due.Before(first) {
			first = due
		}
	}
	if time.Until(first) > p.least {
		p.cancel(&Parked{Until: first})
	}
}

func (g *hostControl) waits() *parking {
	if g == nil {
		return nil
	}
	return g.parking
}

// Wait implements [node.Waiter]. If the attempt was running when its run was interrupted or
// parked, the wait counts from its first start.
func (a *attempt) Wait(ctx context.Context, d time.Duration) error {
	since := a.x.began.Add(a.start)
	if a.resumed {
		if r, ok := a.x.control.recorded(a.x.pathOf(a.node)); ok {
			since = r.since()
		}
	}
	until, end := since.Add(d), since.Add(a.x.plan.nodes[a.node].timeout)
	over := until.After(end)
	if over {
		until = end
	}
	defer a.x.control.onHandOff().markRemote(a)()
	if p := a.x.control.waits(); p != nil {
		p.wait(a, earliest(ctx, until))
		p.returned()
		defer p.called()
		defer p.waited(a)
	}
	err := node.Sleep(ctx, time.Until(until))
	if err == nil && over {
		a.cancel(errTimeout)
		err = errTimeout
	}
	return err
}

// earliest returns until, or the deadline of ctx if that comes first.
func earliest(ctx context.Context, until time.Time) time.Time {
	if end, ok := ctx.Deadline(); ok && end.Before(until) {
		return end
	}
	return until
}
