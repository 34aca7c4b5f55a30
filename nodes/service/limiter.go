package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// Window is a rate limit for one credential: at most Requests in any span of Per. The zero
// Window is no limit.
type Window struct {
	Requests int
	Per      time.Duration
}

// margin is added to a window, since the network's clock and ours differ.
const margin = time.Second

// limiter keeps requests within the window of each credential, and within the limits that
// the network announces. It belongs to one plugin, so all runs of the process share it. Its
// windows are shared by all processes that send requests with the credential.
type limiter struct {
	windows Windows
	network string
	window  Window

	mu       sync.Mutex
	accounts map[credentials.Ref]*account
}

func (l *limiter) account(ref credentials.Ref) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.accounts[ref]
	if !ok {
		a = newAccount(l, ref)
		if l.accounts == nil {
			l.accounts = map[credentials.Ref]*account{}
		}
		l.accounts[ref] = a
	}
	return a
}

// newAccount returns this process's share of the window of a credential. The name of the
// account is a hash, which reveals nothing.
func newAccount(l *limiter, ref credentials.Ref) *account {
	name := sha256.Sum256([]byte(l.network + "\n" + string(ref)))
	a := &account{
		windows: l.windows, name: hex.EncodeToString(name[:]), holder: uuid.NewString(), window: l.window,
		taken: map[int]bool{}, answered: map[int]time.Time{}, closed: map[string]time.Time{}, closing: map[string]time.Time{},
	}
	if a.window.Requests > 0 {
		a.window.Per += margin
	}
	return a
}

// noPlace is the place of a request without a window.
const noPlace = -1

// enter waits until a request of the call may be sent, and returns the place that it takes.
// If that is later than ctx allows, it fails at once with the code rate_limited.
// Callers must call leave after the answer.
func (a *account) enter(ctx context.Context, call string) (place int, err error) {
	for {
		if err := waitUntil(ctx, a.closedUntil(call)); err != nil {
			return noPlace, err
		}
		if place, err = a.take(ctx); err != nil {
			return noPlace, err
		}
		if !a.closedUntil(call).After(time.Now()) { // it may have been closed during the wait
			return place, nil
		}
		a.untake(place)
	}
}

// leave gives the place back. If until is later than the time that is known, the call is
// closed until then.
func (a *account) leave(call string, place int, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if place != noPlace {
		delete(a.taken, place)
		a.answered[place] = time.Now()
	}
	if until.After(a.closed[call]) {
		a.closed[call], a.closing[call] = until, until
		a.visitIn(0) // report it to other processes at once
	}
	a.visitIn(beat)
}

func (a *account) closedUntil(call string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed[call]
}

// waitUntil waits until open. If ctx ends before, it fails at once.
func waitUntil(ctx context.Context, open time.Time) error {
	if !open.After(time.Now()) {
		return nil
	}
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

// tooLate returns the failure of a request whose ctx ends before open.
func tooLate(ctx context.Context, open time.Time) error {
	if deadline, ok := ctx.Deadline(); !ok || open.Before(deadline) {
		return nil
	}
	return node.Errorf(node.CodeRateLimited,
		"the rate limit of this account is used up until %s (in %s); run the node again then, or raise its timeoutMs to make it wait",
		open.UTC().Format(time.RFC3339), time.Until(open).Round(time.Second))
}
