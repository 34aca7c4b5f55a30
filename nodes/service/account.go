package service

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// account is what a process has of the window of one credential: some of its places, and those
// who wait for one. One visit to the windows at a time is made for all of them, so that it tells
// what became of many places and brings many. They end when there is nothing to tell any more.
type account struct {
	windows      Windows
	name, holder string
	window       Window // with the margin

	mu       sync.Mutex
	visiting bool        // somebody does
	next     time.Time   // when the next visit is due; zero: never
	timer    *time.Timer // of the next visit
	queue    []*waiter
	free     []int             // places that nobody has taken yet
	taken    map[int]bool      // those of requests under way
	answered map[int]time.Time // those whose requests were, which the windows do not know yet
	unused   []int             // those that are given back
	until    time.Time         // when what is free may not be taken any more; of a lease
	seen     time.Time         // when the windows were visited
	opens    time.Time         // when there will be a place again; zero if there were enough
	beat     time.Time         // when the current second began
	begun    [2]int            // how many places were taken in it, and in the one before
	closed   map[string]time.Time
	closing  map[string]time.Time // what the windows do not know yet of that
}

// waiter is a request that waits for a place.
type waiter struct {
	ctx   context.Context //nolint:containedctx // it is asked for its deadline while it waits
	ready chan entry      // takes one
}

type entry struct {
	place int
	err   error
}

// take takes a place that is open, or waits for one, behind those who have waited before.
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
	case e := <-w.ready: // just then
		if e.err == nil {
			a.untake(e.place)
		}
	default:
	}
	return noPlace, ctx.Err()
}

// untake leaves a place that was not used to others.
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

// serve gives places to those who wait. Who cannot wait until there will be one is told so.
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

// knowsOpens reports whether it is known when there will be a place, and not for long.
func (a *account) knowsOpens(now time.Time) bool {
	return a.opens.After(now) && now.Sub(a.seen) < beat
}

// visitIn has the windows visited in a while, if not sooner.
func (a *account) visitIn(pause time.Duration) {
	at := time.Now().Add(pause)
	if !a.next.IsZero() && !at.Before(a.next) {
		return
	}
	a.next = at
	if a.visiting {
		return // until then it is a wish
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer = time.AfterFunc(pause, a.visit)
}

// beat is how often the windows are told what became of places.
const beat = time.Second

// visit visits the windows, unless somebody does, and sees to the next visit.
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

// settle tells the windows what there is to tell and takes what they give. It returns after
// which pause to do so again.
func (a *account) settle() (pause time.Duration) {
	at := time.Now()
	a.closeBooks(at)
	c := a.claim(at)
	answered, closing := maps.Clone(a.answered), maps.Clone(a.closing)

	a.mu.Unlock()
	g, err := a.windows.Lease(context.Background(), c) // for all who wait, not for one of them
	a.mu.Lock()

	if err != nil {
		return a.pauseAfterFailure()
	}
	maps.DeleteFunc(a.answered, func(n int, at time.Time) bool { return answered[n].Equal(at) })
	maps.DeleteFunc(a.closing, func(call string, until time.Time) bool { return closing[call].Equal(until) })
	a.receive(at, &c, g)
	return a.pause()
}

// closeBooks begins another second. What was free through one in which less was taken is given
// back, and so is all whose lease has ended.
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

// claim says what there is to say.
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

// receive takes what was granted to a claim made at a time.
func (a *account) receive(at time.Time, c *Claim, g Grant) {
	now := time.Now()
	a.seen, a.until, a.unused, a.opens = now, at.Add(LeaseLife), nil, time.Time{}
	for _, n := range g.Places {
		if !a.taken[n] { // by a request that is under way for longer than a window
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

// never is the pause of who has nothing to tell, and nobody who waits.
const never = -1

// pause returns after which pause to visit the windows again.
func (a *account) pause() time.Duration {
	has := len(a.free) + len(a.taken) + len(a.answered) + len(a.closing) + a.begun[0] + a.begun[1]
	const part = 8 // of the time that is left; some places may be given back before
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

// pauseAfterFailure is pause for when the windows were not reached. If nobody waits, what this
// has is left to lapse; what was answered has to be told while that matters.
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
