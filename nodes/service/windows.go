package service

import (
	"context"
	"sync"
	"time"
)

// Windows keeps the windows of accounts for all who send requests with them: other processes, if
// it is kept where these reach it. Implementations are safe for concurrent use, and pass the
// suite of package servicetest.
//
// A window is kept by places, as many as requests may be sent in it. Who sends one has a place
// meanwhile, and the place opens again when the window has passed since the answer. The network
// counted the request at some moment in between, so whatever that moment was, no span of the
// window's length ever sees more requests than there are places.
type Windows interface {
	// Lease takes note of what became of a holder's places, gives it more, and tells what the
	// network wants. A claim whose grant was lost may be made again. All times are spans, by the
	// clock of whoever keeps the windows. Errors are ctx's, or say that they cannot be reached.
	Lease(ctx context.Context, c Claim) (Grant, error)
}

// LeaseLife is how long a place may be taken to send a request, counted from before it was
// claimed. What nobody has told of by then counts as sent just then: it opens when a window
// has passed.
const LeaseLife = 5 * time.Second

// Claim is what a holder of places in the window of an account tells, and asks for.
type Claim struct {
	Account string // as [Windows] knows it; tells nothing of its secret
	Holder  string // a UUID of the holder's own
	Window  Window // if its Requests are 0, there are no places
	// Held are the places that the holder keeps. Answered are those whose requests were answered,
	// by how long ago that was; Unused were not used. Whatever is not the holder's any more stays
	// as it is.
	Held     []int
	Answered map[int]time.Duration
	Unused   []int
	// Waiting is how many requests wait for a place. Ahead is how many more places would be used
	// soon; they are given where there are plenty.
	Waiting, Ahead int
	// Closed is for how long the network wants no more requests of some calls.
	Closed map[string]time.Duration
}

// Grant is what a holder gets.
type Grant struct {
	// Places are open, and the holder's for [LeaseLife]. They are fewer than wait if no more are
	// open; then Opens is when the next one does, unless its holder gives it back before.
	Places []int
	Opens  time.Duration
	// Closed is for how long the network wants no more requests of calls, whoever was told.
	Closed map[string]time.Duration
}

// AheadOf is which part of the places that those who wait leave is given ahead at most, so that
// the last ones are only given to who waits.
const AheadOf = 8

// MemoryWindows are the [Windows] of one process. The zero value is ready for use.
type MemoryWindows struct {
	mu       sync.Mutex
	accounts map[string]*memoryWindow
}

var _ Windows = (*MemoryWindows)(nil)

// memoryWindow is the window of an account. Places that it does not have are open.
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

// note takes note of what became of a holder's places.
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

// grant gives a holder open places, and tells when the next one opens.
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

// close notes which calls the network does not want any more, and returns all of them.
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
