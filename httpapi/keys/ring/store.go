package ring

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/svcflow/svc/httpapi/keys"
)

// Store stores the named keys of several processes and counts their use. It uses its own clock, so
// the clocks of processes may differ. Implementations are safe for concurrent use and pass the
// suite of package ringtest. Errors are those of [Ring] or of ctx, or say that the store is
// unavailable.
type Store interface {
	// Keys returns all keys by name, and the number of their current state, which is above 0. If
	// the state is still seen, it returns no keys.
	Keys(ctx context.Context, seen int64) (all []Kept, state int64, err error)
	// Uses returns all keys by name, with their use.
	Uses(ctx context.Context) ([]keys.Key, error)
	AddKey(ctx context.Context, k Kept) error
	RemoveKey(ctx context.Context, name string) error
	// Account records the use of keys, at most one claim each, and returns shares of their budgets
	// in the order of the claims.
	Account(ctx context.Context, claims []Claim) ([]Share, error)
	// TakePlace takes a run slot for [PlaceLife]. It returns false if most slots are taken. The id
	// is a UUID.
	TakePlace(ctx context.Context, key Digest, id string, most int) (bool, error)
	// KeepPlaces renews slots for another [PlaceLife].
	KeepPlaces(ctx context.Context, ids []string) error
	// NamePlace assigns a slot to a run until the run ends. If the run already has one, it frees
	// the slot and returns false.
	NamePlace(ctx context.Context, id, runID string) (bool, error)
	FreePlace(ctx context.Context, id string) error
}

// Digest is the SHA-256 of a key.
type Digest [sha256.Size]byte

// Kept is a key in its stored form.
type Kept struct {
	keys.Key

	Digest Digest
}

// PlaceLife is how long a run slot stays taken without a renewal. It is longer than a short outage
// of a store: a run that continues without its slot would be one too many.
const PlaceLife = 15 * time.Second

// AheadOf limits the requests granted ahead: at most one AheadOf-th of those left after waiting
// requests are served, so that no process holds the last ones unused.
const AheadOf = 8

// Claim reports the use of a key by a process, and asks for a share of its budget.
type Claim struct {
	Key   Digest
	Used  bool
	Bytes int64 // not reported before
	// Unused is the number of requests returned from an earlier share, Requests the number that
	// wait for a share, and Ahead the number that is expected soon.
	Unused, Requests, Ahead int
}

// Share is the answer to a claim.
type Share struct {
	Gone bool // the key does not exist
	// Requests is the number of requests granted. If it is less than asked for, After is the time
	// until the next one.
	Requests int
	After    time.Duration
	// BytesToday is the use by all processes today; it starts again after Tomorrow.
	BytesToday int64
	Tomorrow   time.Duration
}

// Balance is the recorded use of a key. The zero Balance belongs to an unused key.
type Balance struct {
	Used  time.Time // to the minute
	Day   string    // of Bytes, such as 2026-11-22
	Bytes int64
	Full  time.Time // when a full minute's burst of requests is available again
}

// Account records a claim for a key with a budget, and returns the share.
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
	const exact = time.Microsecond // the precision of databases
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
