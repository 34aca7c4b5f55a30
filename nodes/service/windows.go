package service

import (
	"context"
	"sync"
	"time"
)

// Windows keeps the rate limit windows of accounts. Processes that share an implementation share
// the limits. Implementations are safe for concurrent use and pass the suite of package
// servicetest.
//
// A window has one place for each request that may be sent in it. A request takes a place when
// it is sent; the place becomes free again one window after the answer. The network counts the
// request at some moment in between. Whichever moment that is, no span of the window's length
// has more requests than places.
type Windows interface {
	// Lease records the state of a holder's places, leases more to it, and returns which calls
	// the network refuses. A claim whose grant was lost may be repeated. All times are durations
	// by the clock of the implementation, since clocks of processes differ. Errors are those of
	// ctx, or mean that the windows cannot be reached.
	Lease(ctx context.Context, c Claim) (Grant, error)
}

// LeaseLife is how long a leased place may be used, counted from the moment before its claim.
// A place that is not reported by then counts as used at that moment: it becomes free one
// window later.
const LeaseLife = 5 * time.Second

// Claim reports the places of one holder in an account's window, and asks for more.
type Claim struct {
	Account string // a name that reveals nothing of the secret
	Holder  string // a UUID of the holder's own
	Window  Window // if its Requests are 0, there are no places
	// Held are the places that the holder keeps. Answered has the places whose requests were
	// answered, and how long ago. Unused were not used. Places that the holder has lost meanwhile
	// are ignored.
	Held     []int
	Answered map[int]time.Duration
	Unused   []int
	// Waiting is how many requests wait for a place. Ahead is how many more places the holder
	// expects to use soon; it gets them only while many are free.
	Waiting, Ahead int
	// Closed has the calls that the network refuses, and for how long.
	Closed map[string]time.Duration
}

// Grant is the answer to a [Claim].
type Grant struct {
	// Places are leased to the holder for [LeaseLife]. If they are fewer than Waiting, Opens is
	// when the next one becomes free, unless its holder gives it back earlier.
	Places []int
	Opens  time.Duration
	// Closed has the calls that the network refuses, reported by any holder, and for how long.
	Closed map[string]time.Duration
}

// AheadOf bounds what is leased ahead: at most one AheadOf-th of the places that remain after
// waiting requests are served, so that the last places go to waiting requests only.
const AheadOf = 8

// MemoryWindows are the [Windows] of one process. The zero value is ready for use.
type MemoryWindows struct {
	mu       sync.Mutex
	accounts map[string]*memoryWindow
}

var _ Windows = (*MemoryWindows)(nil)

// memoryWindow is the window of an account. Places without an entry are free.
type memoryWindow struct {
	places map[int]memoryPlace
	closed map[string]time.Time
}

type memoryPlace struct {
	opens  time.Time
	holder string // "" once its request was answered
}

// Lease implements [Windows].
func (m *MemoryWindows) Lease(ctx context.Context, c Claim) (g Grant, err error) {
	if ctx.Err() != nil {
		return g, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w, ok := m.accounts[c.Account]
	if !ok {
		w = &memoryWindow{places: map[int]memoryPlace{}, closed: map[string]time.Time{}}
		if m.accounts == nil {
			m.accounts = map[string]*memoryWindow{}
		}
		m.accounts[c.Account] = w
	}
	now := time.Now()
	w.note(&c, now)
	g.Places, g.Opens = w.grant(&c, now)
	g.Closed = w.close(&c, now)
	return g, nil
}

// note records the state of a holder's places.
func (w *memoryWindow) note(c *Claim, now time.Time) {
	for _, n := range c.Held {
		if w.places[n].holder == c.Holder {
			w.places[n] = memoryPlace{opens: now.Add(LeaseLife + c.Window.Per), holder: c.Holder}
		}
	}
	for n, ago := range c.Answered {
		if w.places[n].holder == c.Holder {
			w.places[n] = memoryPlace{opens: now.Add(c.Window.Per - ago)}
		}
	}
	for _, n := range c.Unused {
		if w.places[n].holder == c.Holder {
			delete(w.places, n)
		}
	}
}

// grant leases free places, and returns when the next one becomes free.
func (w *memoryWindow) grant(c *Claim, now time.Time) (places []int, opens time.Duration) {
	for n := range c.Window.Requests {
		if !w.places[n].opens.After(now) {
			places = append(places, n)
		}
	}
	places = places[:min(len(places), c.Waiting+min(c.Ahead, max(0, len(places)-c.Waiting)/AheadOf))]
	for _, n := range places {
		w.places[n] = memoryPlace{opens: now.Add(LeaseLife + c.Window.Per), holder: c.Holder}
	}
	opens = LeaseLife + c.Window.Per
	for n := range c.Window.Requests {
		if until := w.places[n].opens.Sub(now); until > 0 {
			opens = min(opens, until)
		}
	}
	return places, opens
}

// close records which calls the network refuses, and returns all of them.
func (w *memoryWindow) close(c *Claim, now time.Time) map[string]time.Duration {
	for call, wait := range c.Closed {
		if until := now.Add(wait); until.After(w.closed[call]) {
			w.closed[call] = until
		}
	}
	all := map[string]time.Duration{}
	for call, until := range w.closed {
		if wait := until.Sub(now); wait > 0 {
			all[call] = wait
		} else {
			delete(w.closed, call)
		}
	}
	return all
}
