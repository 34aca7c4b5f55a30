package service

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// Window bounds the requests with one credential: at most Requests in any span of
// Per. The zero Window bounds nothing.
type Window struct {
	Requests int
	Per      time.Duration
}

// margin is added to a window, since the network's clock is not ours.
const margin = time.Second

// limiter keeps the window of each credential, and what the network announces. It
// belongs to one plugin, so all runs of the process share it.
type limiter struct {
	window Window

	mu       sync.Mutex
	accounts map[credentials.Ref]*account
}

// account is what the limiter knows of one credential. The window is kept by
// places: each request takes one, and gives it back when it was answered, to be
// used again when the window has passed since. The network counted the request at
// some moment in between, so whatever that moment was, no span of the window's
// length ever sees more requests than there are places.
type account struct {
	window Window

	mu     sync.Mutex
	places []time.Time          // that are not taken, by when they may be used, the earliest first
	back   chan struct{}        // closed when a place comes back
	closed map[string]time.Time // until when the network wants no request, by call
}

func (l *limiter) account(ref credentials.Ref) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.accounts[ref]
	if !ok {
		a = &account{
			window: l.window, places: make([]time.Time, l.window.Requests),
			back: make(chan struct{}), closed: map[string]time.Time{},
		}
		if l.accounts == nil {
			l.accounts = map[credentials.Ref]*account{}
		}
		l.accounts[ref] = a
	}
	return a
}

// enter waits until a request of the call may be sent. If that is later than ctx
// allows, it fails at once with the code rate_limited. Who may enter calls leave
// when the request was answered.
func (a *account) enter(ctx context.Context, call string) error {
	place, err := a.take(ctx)
	if err != nil {
		return err
	}
	for {
		open := a.opens(call, place)
		if !open.After(time.Now()) {
			return nil
		}
		if err := waitUntil(ctx, open); err != nil {
			a.put(place)
			return err
		}
	}
}

// leave gives the place back. The call stays closed until then, if that is later
// than what is known.
func (a *account) leave(call string, until time.Time) {
	a.put(time.Now().Add(a.window.Per + margin))
	a.mu.Lock()
	defer a.mu.Unlock()
	if until.After(a.closed[call]) {
		a.closed[call] = until
	}
}

// opens returns when a request of the call may go, given its place.
func (a *account) opens(call string, place time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if until := a.closed[call]; until.After(place) {
		return until
	}
	return place
}

// take takes the place that may be used first. If all belong to requests that are
// under way, none will be free before a window has passed.
func (a *account) take(ctx context.Context) (time.Time, error) {
	if a.window.Requests == 0 {
		return time.Time{}, nil
	}
	for {
		a.mu.Lock()
		if len(a.places) > 0 {
			first := a.places[0]
			a.places = slices.Delete(a.places, 0, 1)
			a.mu.Unlock()
			return first, nil
		}
		back := a.back
		a.mu.Unlock()
		if err := tooLate(ctx, time.Now().Add(a.window.Per+margin)); err != nil {
			return time.Time{}, err
		}
		select {
		case <-back:
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		}
	}
}

func (a *account) put(place time.Time) {
	if a.window.Requests == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := slices.BinarySearchFunc(a.places, place, time.Time.Compare)
	a.places = slices.Insert(a.places, i, place)
	close(a.back)
	a.back = make(chan struct{})
}

// waitUntil waits, or fails at once if ctx ends before.
func waitUntil(ctx context.Context, open time.Time) error {
	if err := tooLate(ctx, open); err != nil {
		return err
	}
	timer := time.NewTimer(time.Until(open))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tooLate is the failure of who cannot wait until open.
func tooLate(ctx context.Context, open time.Time) error {
	if deadline, ok := ctx.Deadline(); !ok || open.Before(deadline) {
		return nil
	}
	return node.Errorf(node.CodeRateLimited,
		"the rate limit of this account is used up until %s (in %s); run the node again then, or raise its timeoutMs to make it wait",
		open.UTC().Format(time.RFC3339), time.Until(open).Round(time.Second))
}
