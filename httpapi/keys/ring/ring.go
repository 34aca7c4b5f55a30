// Package ring keeps the named keys of a service, as digests: in a file of its data directory
// ([FileRing]), or where many processes share them ([SharedRing]).
package ring

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/httpapi/keys"
)

var (
	// ErrExists says that the name of a new key is taken.
	ErrExists = errors.New("there is a key of this name; revoke it first, or choose another name")
	// ErrNotFound says that there is no key of a name.
	ErrNotFound = errors.New("there is no key of this name")
	// ErrTooMany says that no more keys can be made.
	ErrTooMany = errors.New("there are too many keys; revoke some")
	// ErrDamaged says that what is kept of the keys cannot be understood.
	ErrDamaged = errors.New("the file of the named keys is damaged")
	// ErrRevoked says that a key was revoked while it was used.
	ErrRevoked = errors.New("the key was revoked")
)

// Ring is the named keys of a service. It is safe for concurrent use. Callers must
// close it.
type Ring interface {
	// Find returns the key with this secret, or nil. Its duration reveals nothing about existing
	// digests. After an error it is unknown whether there is such a key.
	Find(secret string) (*Held, error)
	// List describes all keys, by name.
	List(ctx context.Context) ([]keys.Key, error)
	// Make makes a key. Errors are [ErrExists], [ErrTooMany], and those of what keeps it.
	Make(ctx context.Context, q keys.Request) (keys.Made, error)
	// Revoke removes a key. Runs started with it continue. An unknown name is [ErrNotFound].
	Revoke(ctx context.Context, name string) error
	// Close writes down how keys were used.
	Close(ctx context.Context) error
}

// Held is the key of a caller. It stays valid during the request, even if it is revoked.
type Held struct {
	keys.Key
	Meter
}

// Meter counts what is done with a key, for its budget. It is safe for concurrent use.
type Meter interface {
	// Begin counts a request whose body has as many bytes, -1 if that is not known. The error
	// is a [Spent] if it may not be answered now, [ErrRevoked], or says that nobody knows.
	Begin(ctx context.Context, body int64) error
	// Count adds bytes of a request or an answer.
	Count(bytes int64)
	// StartRun takes a run slot, which the caller must free. Without a free one the error is a
	// [Spent].
	StartRun(ctx context.Context) (RunSlot, error)
}

// RunSlot is one of the simultaneous runs that the budget of a key allows.
type RunSlot interface {
	// Name says which run has the place. It is false if that run has one already, and gives
	// this one back then.
	Name(runID string) bool
	// Free gives the place back. Where runs outlive processes, the end of a run does that for
	// the place that has its name; it is not freed here. Free does nothing if the place was
	// given back already, by Free or by Name.
	Free()
}

// Spent says that the budget of a key does not allow something now.
type Spent struct {
	What  string        // "60 requests a minute"
	After time.Duration // until it is worth trying again
}

// Error implements error.
func (e *Spent) Error() string { return "the key has a budget of " + e.What + ", which is spent" }

func spentRequests(b *keys.Budget, after time.Duration) error {
	return &Spent{fmt.Sprintf("%d requests a minute", b.RequestsPerMinute), after}
}

func spentRuns(b *keys.Budget) error {
	return &Spent{fmt.Sprintf("%d runs at once", b.Runs), time.Second}
}

// spentBytes refuses a body that exceeds the bytes of the day.
func spentBytes(b *keys.Budget, used, body int64, tomorrow time.Duration) error {
	if most := b.BytesPerDay; most > 0 && (used >= most || used+body > most) {
		return &Spent{fmt.Sprintf("%d bytes a day", most), tomorrow}
	}
	return nil
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// tomorrow is when the next day of UTC begins.
func tomorrow(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) }

// newKey makes a key that nobody can guess.
func newKey(q keys.Request) (made keys.Made, digest [sha256.Size]byte) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	made.Request, made.CreatedAt = q, time.Now().UTC().Truncate(time.Second)
	made.Secret = keys.Prefix + base64.RawURLEncoding.EncodeToString(random[:])
	return made, sha256.Sum256([]byte(made.Secret))
}
