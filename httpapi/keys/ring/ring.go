// Package ring stores the named keys of a service, as digests: in a file of its data directory
// ([FileRing]), or in a store that several processes share ([SharedRing]).
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
	// ErrExists says that the name of a new key is in use.
	ErrExists = errors.New("there is a key of this name; revoke it first, or choose another name")
	// ErrNotFound says that there is no key with that name.
	ErrNotFound = errors.New("there is no key of this name")
	// ErrTooMany says that the limit of keys is reached.
	ErrTooMany = errors.New("there are too many keys; revoke some")
	// ErrDamaged says that the stored keys cannot be read.
	ErrDamaged = errors.New("the file of the named keys is damaged")
	// ErrRevoked says that a key was revoked during its use.
	ErrRevoked = errors.New("the key was revoked")
)

// Ring holds the named keys of a service. It is safe for concurrent use. Callers must close it.
type Ring interface {
	// Find returns the key with this secret, or nil. Its duration reveals nothing about existing
	// digests. After an error it is unknown whether there is such a key.
	Find(secret string) (*Held, error)
	// List describes all keys, by name.
	List(ctx context.Context) ([]keys.Key, error)
	// Make makes a key. It may return [ErrExists], [ErrTooMany], or an error of the storage.
	Make(ctx context.Context, q keys.Request) (keys.Made, error)
	// Revoke removes a key. Runs started with it continue. For an unknown name it returns
	// [ErrNotFound].
	Revoke(ctx context.Context, name string) error
	// Close saves the use of keys.
	Close(ctx context.Context) error
}

// Held is the key of a caller. It stays valid during the request, even if it is revoked.
type Held struct {
	keys.Key
	Meter
}

// Meter counts the use of a key for its budget. It is safe for concurrent use.
type Meter interface {
	// Begin counts a request with the size of its body, -1 if unknown. It returns a [Spent] if the
	// budget does not allow the request, [ErrRevoked], or another error if the use cannot be
	// counted.
	Begin(ctx context.Context, body int64) error
	// Count adds bytes of a request or an answer.
	Count(bytes int64)
	// StartRun takes a run slot, which the caller must free. If no slot is free, it returns a
	// [Spent].
	StartRun(ctx context.Context) (RunSlot, error)
}

// RunSlot is one of the concurrent runs that the budget of a key allows.
type RunSlot interface {
	// Name assigns the slot to a run. If the run already has a slot, Name frees this one and
	// returns false.
	Name(runID string) bool
	// Free frees the slot. If runs outlive processes, a named slot is freed by the end of its run
	// instead, and Free has no effect on it. Free does nothing if the slot is already free.
	Free()
}

// Spent says that the budget of a key does not allow something now.
type Spent struct {
	What  string        // "60 requests a minute"
	After time.Duration // time until a retry may succeed
}

// Error implements error.
func (e *Spent) Error() string { return "the key has a budget of " + e.What + ", which is spent" }

func spentRequests(b *keys.Budget, after time.Duration) error {
	return &Spent{fmt.Sprintf("%d requests a minute", b.RequestsPerMinute), after}
}

func spentRuns(b *keys.Budget) error {
	return &Spent{fmt.Sprintf("%d runs at once", b.Runs), time.Second}
}

// spentBytes returns a [Spent] if a body exceeds the bytes of the day.
func spentBytes(b *keys.Budget, used, body int64, tomorrow time.Duration) error {
	if most := b.BytesPerDay; most > 0 && (used >= most || used+body > most) {
		return &Spent{fmt.Sprintf("%d bytes a day", most), tomorrow}
	}
	return nil
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// tomorrow returns the start of the next UTC day.
func tomorrow(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) }

// newKey makes a key with a random secret.
func newKey(q keys.Request) (made keys.Made, digest [sha256.Size]byte) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	made.Request, made.CreatedAt = q, time.Now().UTC().Truncate(time.Second)
	made.Secret = keys.Prefix + base64.RawURLEncoding.EncodeToString(random[:])
	return made, sha256.Sum256([]byte(made.Secret))
}
