package service

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// account is this process's share of the rate limit window of one credential: the places that
// it has leased, and the requests that wait for one. It makes one call of [Windows.Lease] at a
// time for all of them: a call reports the state of many places and brings many. Calls stop when
// nothing is left to report.
type account struct {
	windows      Windows
	name, holder string
	window       Window // with the margin

	mu       sync.Mutex
	visiting bool        // a call of Lease is under way
	next     time.Time   // when the next visit is due; zero: never
	timer    *time.Timer // of the next visit
	queue    []*waiter
	free     []int                // leased places without a request
	taken    map[int]bool         // places of requests under way
	answered map[int]time.Time    // places of answered requests, not yet reported
	unused   []int                // places to give back
	until    time.Time            // when the lease of the free places ends
	seen     time.Time            // when Lease was last called
	opens    time.Time            // when a place becomes free; zero if there were enough
	beat     time.Time            // when the current second began
	begun    [2]int               // places taken in this second, and in the one before
	closed   map[string]time.Time // until when the network refuses a call
	closing  map[string]time.Time // entries of closed that are not yet reported
}

// waiter is a request that waits for a place.
type waiter struct {
	ctx   context.Context //nolint:containedctx // serve reads its deadline
	ready chan entry      // takes one
}

type entry struct {
	place int
	err   error
}

// take takes a free place, or waits for one in order of arrival.
func (a *account) take(ctx context.Context) (place int, err error) {
	w := &waiter{ctx: ctx, ready: make(chan entry, 1)}
	a.mu.Lock()
	a.queue = append(a.queue, w)
	a.serve()
	if len(w.ready) == 0 && !a.knowsOpens(time.Now()) {
		a.visitIn(0)
	}
	a.visitIn(beat)
	a.mu.Unlock()
	select {
	case e := <-w.ready:
		return e.place, e.err
	case <-ctx.Done():
	}
	a.mu.Lock()
	a.queue = slices.DeleteFunc(a.queue, func(other *waiter) bool { return other == w })
	a.mu.Unlock()
	select {
	case e := <-w.ready: // served while ctx ended
		if e.err == nil {
			a.untake(e.place)
		}
	default:
	}
	return noPlace, ctx.Err()
}

// untake returns a place whose request was not sent.
func (a *account) untake(place int) {
	if place == noPlace {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.taken, place)
	a.free = append(a.free, place)
	a.serve()
	a.visitIn(beat)
}

// serve gives places to waiting requests. A request whose deadline is before the next place
// becomes free gets an error.
func (a *account) serve() {
	now := time.Now()
	for len(a.queue) > 0 && now.Before(a.until) && (len(a.free) > 0 || a.window.Requests == 0) {
		e := entry{place: noPlace}
		if a.window.Requests > 0 {
			e.place, a.free = a.free[0], a.free[1:]
			a.taken[e.place] = true
		}
		a.begun[0]++
		a.queue[0].ready <- e
		a.queue = a.queue[1:]
	}
	if !a.knowsOpens(now) {
		return
	}
	a.queue = slices.DeleteFunc(a.queue, func(w *waiter) bool {
		err := tooLate(w.ctx, a.opens)
		if err != nil {
			w.ready <- entry{err: err}
		}
		return err != nil
	})
}

// knowsOpens reports whether opens lies ahead and is less than a beat old.
func (a *account) knowsOpens(now time.Time) bool {
	return a.opens.After(now) && now.Sub(a.seen) < beat
}

// visitIn schedules a visit after pause, unless an earlier one is due.
func (a *account) visitIn(pause time.Duration) {
	at := time.Now().Add(pause)
	if !a.next.IsZero() && !at.Before(a.next) {
		return
	}
	a.next = at
	if a.visiting {
		return // visit schedules it
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer = time.AfterFunc(pause, a.visit)
}

// beat is how often the state of places is reported.
const beat = time.Second

// visit calls Lease, unless a call is under way, and schedules the next visit.
func (a *account) visit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.visiting {
		return
	}
	a.visiting, a.next = true, time.Time{}
	pause := a.settle()
	wish := a.next
	a.visiting, a.next = false, time.Time{}
	if pause != never {
		a.visitIn(pause)
	}
	if !wish.IsZero() {
		a.visitIn(time.Until(wish))
	}
}

// settle calls Lease and stores what it grants. It returns the pause before the next visit.
// It unlocks a.mu during the call.
func (a *account) settle() (pause time.Duration) {
	at := time.Now()
	a.closeBooks(at)
	c := a.claim(at)
	answered, closing := maps.Clone(a.answered), maps.Clone(a.closing)

	a.mu.Unlock()
	g, err := a.windows.Lease(context.Background(), c) // for all waiting requests, so no request's ctx
	a.mu.Lock()

	if err != nil {
		return a.pauseAfterFailure()
	}
	maps.DeleteFunc(a.answered, func(n int, at time.Time) bool { return answered[n].Equal(at) })
	maps.DeleteFunc(a.closing, func(call string, until time.Time) bool { return closing[call].Equal(until) })
	a.receive(at, &c, g)
	return a.pause()
}

// closeBooks begins another second. It gives back the free places that the last second did not
// need, and all of them if the lease has ended.
func (a *account) closeBooks(now time.Time) {
	stay := len(a.free)
	if now.Sub(a.beat) >= beat {
		a.begun, a.beat = [2]int{0, a.begun[0]}, now
		stay = min(stay, a.begun[1])
	}
	if !now.Before(a.until) {
		stay = 0
	}
	a.unused = append(a.unused, a.free[stay:]...)
	a.free = a.free[:stay]
}

// claim returns the claim for the current state.
func (a *account) claim(now time.Time) Claim {
	c := Claim{
		Account: a.name, Holder: a.holder, Window: a.window,
		Held: append(slices.Collect(maps.Keys(a.taken)), a.free...), Unused: a.unused, Answered: map[int]time.Duration{},
		Closed: map[string]time.Duration{},
	}
	if a.window.Requests > 0 {
		c.Waiting, c.Ahead = len(a.queue), max(0, a.begun[0]+a.begun[1]-len(a.free))
	}
	for n, at := range a.answered {
		c.Answered[n] = now.Sub(at)
	}
	for call, until := range a.closing {
		c.Closed[call] = until.Sub(now)
	}
	return c
}

// receive stores the grant of a claim made at the time at.
func (a *account) receive(at time.Time, c *Claim, g Grant) {
	now := time.Now()
	a.seen, a.until, a.unused, a.opens = now, at.Add(LeaseLife), nil, time.Time{}
	for _, n := range g.Places {
		if !a.taken[n] { // true if a request takes longer than a window
			a.free = append(a.free, n)
		}
	}
	if len(g.Places) < c.Waiting {
		a.opens = now.Add(g.Opens)
	}
	for call, wait := range g.Closed {
		if until := now.Add(wait); until.After(a.closed[call]) {
			a.closed[call] = until
		}
	}
	a.serve()
}

// never is the pause when nothing is left to report and no request waits.
const never = -1

// pause returns the pause before the next visit.
func (a *account) pause() time.Duration {
	has := len(a.free) + len(a.taken) + len(a.answered) + len(a.closing) + a.begun[0] + a.begun[1]
	const part = 8 // ask after an eighth of the time left: a place may be given back earlier
	switch left := max(0, time.Until(a.opens)); {
	case len(a.queue) == 0 && has == 0:
		return never
	case len(a.queue) == 0:
		return beat
	case has == 0:
		return min(left, max(beat, left/part))
	default:
		return min(left, beat)
	}
}

// pauseAfterFailure is pause after Lease has failed. If no request waits, the leased places may
// expire. Answered places are reported as long as they count in the window.
func (a *account) pauseAfterFailure() time.Duration {
	now := time.Now()
	maps.DeleteFunc(a.answered, func(_ int, at time.Time) bool { return now.Sub(at) >= a.window.Per })
	maps.DeleteFunc(a.closing, func(_ string, until time.Time) bool { return !until.After(now) })
	if len(a.queue)+len(a.taken)+len(a.answered)+len(a.closing) > 0 || now.Before(a.until) {
		return beat
	}
	a.free, a.unused, a.begun = nil, nil, [2]int{}
	return never
}
