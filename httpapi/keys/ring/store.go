package ring

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/svcflow/svc/httpapi/keys"
)

// Store keeps the named keys of many processes, and counts what is done with them. Times are
// its own: processes need not agree on one. Implementations are safe for concurrent use, and
// pass the suite of package ringtest. Errors are those of [Ring], ctx's, or say that it cannot
// be reached.
type Store interface {
	// Keys returns all keys by name, and the number of this state of them; nothing but that if
	// it is the state that was seen. Numbers of states are above 0.
	Keys(ctx context.Context, seen int64) (all []Kept, state int64, err error)
	// Uses returns all keys by name with what is known of their use.
	Uses(ctx context.Context) ([]keys.Key, error)
	AddKey(ctx context.Context, k Kept) error
	RemoveKey(ctx context.Context, name string) error
	// Account takes note of what was done with keys, each of which is claimed for once, and
	// gives shares of their budgets, in the order of the claims.
	Account(ctx context.Context, claims []Claim) ([]Share, error)
	// TakePlace takes a place for a run, which is free again after [PlaceLife]. It returns
	// false if most are taken. The id is a UUID.
	TakePlace(ctx context.Context, key Digest, id string, most int) (bool, error)
	// KeepPlaces says that places are in use, for another [PlaceLife].
	KeepPlaces(ctx context.Context, ids []string) error
	// NamePlace leaves a place to a run until that has ended. It is false, and frees the place,
	// if the run has one.
	NamePlace(ctx context.Context, id, runID string) (bool, error)
	FreePlace(ctx context.Context, id string) error
}

// Digest is the SHA-256 of a key.
type Digest [sha256.Size]byte

// Kept is a key as it is kept.
type Kept struct {
	keys.Key

	Digest Digest
}

// PlaceLife is how long a run slot stays taken without a renewal. It is longer than a short outage
// of a store: a run that continues without its slot would be one too many.
const PlaceLife = 15 * time.Second

// AheadOf is which part of the requests that those who wait leave is given ahead at most, so
// that no process sits on the last ones.
const AheadOf = 8

// Claim reports the use of a key by a process, and asks for a share of its budget.
type Claim struct {
	Key   Digest
	Used  bool
	Bytes int64 // not reported before
	// Unused are requests of an earlier share that go back. Requests wait for a share, and Ahead
	// would use one soon.
	Unused, Requests, Ahead int
}

// Share is what a process gets of the budget of a key.
type Share struct {
	Gone bool // there is no such key
	// Requests is the number of requests granted. If it is less than asked for, After is the time
	// until the next one.
	Requests int
	After    time.Duration
	// BytesToday is the use by all processes today; it starts again after Tomorrow.
	BytesToday int64
	Tomorrow   time.Duration
}

// Balance is what is known of the use of a key. The zero Balance is that of one that was never
// used.
type Balance struct {
	Used  time.Time // to the minute
	Day   string    // that of Bytes, such as 2026-11-22
	Bytes int64
	Full  time.Time // when as many requests as in a minute may come at once again
}

// Account takes note of a claim for a key with a budget, and returns the share.
func (b *Balance) Account(budget *keys.Budget, c *Claim, now time.Time) Share {
	if day := dayOf(now); b.Day != day {
		b.Day, b.Bytes = day, 0
	}
	b.Bytes += c.Bytes
	if c.Used {
		b.Used = now.UTC().Truncate(time.Minute)
	}
	s := Share{BytesToday: b.Bytes, Tomorrow: tomorrow(now).Sub(now)}
	if budget.RequestsPerMinute > 0 {
		s.Requests, s.After = b.requests(budget.RequestsPerMinute, c, now)
	}
	return s
}

// requests grants requests from a rate per minute. Used ones become available again evenly.
func (b *Balance) requests(perMinute int, c *Claim, now time.Time) (given int, after time.Duration) {
	const exact = time.Microsecond // as databases keep times
	each := float64(time.Minute) / float64(perMinute)
	span := func(n int) time.Duration { return time.Duration(float64(n) * each) }
	missing := max(0, b.Full.Sub(now)-span(c.Unused))
	free := min(perMinute, int(float64(time.Minute-missing+exact)/each))
	given = min(free, c.Requests+min(c.Ahead, max(0, free-c.Requests)/AheadOf))
	missing += span(given)
	b.Full = now.Add(missing)
	if given < c.Requests {
		after = max(exact, span(1)-(time.Minute-missing))
	}
	return given, after
}

// Describe returns k with its use.
func (b *Balance) Describe(k keys.Key, now time.Time) keys.Key {
	k.LastUsedAt, k.BytesToday = b.Used, 0
	if b.Day == dayOf(now) {
		k.BytesToday = b.Bytes
	}
	return k
}
