// Package ring keeps the named keys of a service in a file of its data directory. The
// file has digests of keys, never keys, and is there once there is a key. All who open
// it, in whatever process, see the same keys at every moment.
package ring

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/httpapi/keys"
)

// File is the name of the file in a data directory.
const File = "keys.json"

var (
	// ErrExists says that the name of a new key is taken.
	ErrExists = errors.New("there is a key of this name; revoke it first, or choose another name")
	// ErrNotFound says that there is no key of a name.
	ErrNotFound = errors.New("there is no key of this name")
	// ErrTooMany says that no more keys can be made.
	ErrTooMany = errors.New("there are too many keys; revoke some")
	// ErrDamaged says that the file of the keys cannot be understood.
	ErrDamaged = errors.New("the file of the named keys is damaged")
)

// Ring is the keys of a data directory. It is safe for concurrent use.
type Ring struct {
	path string

	mu    sync.Mutex
	seen  os.FileInfo // the file as it was read; nil if there was none
	held  []*Held
	saver *time.Timer // set while uses are to be written

	saving sync.Mutex // held by Save
	closed atomic.Bool
}

// Open returns the keys in a data directory. Whoever uses keys closes it.
func Open(dataDir string) *Ring {
	r := &Ring{path: filepath.Join(dataDir, File)}
	r.saver = time.AfterFunc(saveEvery, r.saveLater)
	r.saver.Stop()
	return r
}

// saveLater is Save for the timer. If it fails, the next use tries again.
func (r *Ring) saveLater() { _ = r.Save(context.Background()) }

// Close writes down how keys were used. From then on only Save does.
func (r *Ring) Close(ctx context.Context) error {
	r.closed.Store(true)
	return r.Save(ctx)
}

// Held is a key that somebody has shown. It stays good for what that one does with it.
type Held struct {
	keys.Key

	digest [sha256.Size]byte
	meter  *meter
	ring   *Ring
}

// Find returns the key with this secret; nil if there is none. How long that takes tells
// nothing about the digests that there are.
func (r *Ring) Find(secret string) (*Held, error) {
	if !strings.HasPrefix(secret, keys.Prefix) {
		return nil, nil
	}
	digest := sha256.Sum256([]byte(secret))
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.look(); err != nil {
		return nil, err
	}
	var found *Held
	for _, h := range r.held {
		if subtle.ConstantTimeCompare(h.digest[:], digest[:]) == 1 {
			found = h
		}
	}
	return found, nil
}

// List describes all keys, by name.
func (r *Ring) List() ([]keys.Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.look(); err != nil {
		return nil, err
	}
	list := make([]keys.Key, len(r.held))
	for i, h := range r.held {
		list[i] = h.meter.describe(h.Key, time.Now())
	}
	return list, nil
}

// Make makes a key.
func (r *Ring) Make(ctx context.Context, q keys.Request) (keys.Made, error) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	secret := keys.Prefix + base64.RawURLEncoding.EncodeToString(random[:])
	digest := sha256.Sum256([]byte(secret))
	made := keys.Key{Request: q, CreatedAt: time.Now().UTC().Truncate(time.Second)}
	err := r.change(ctx, func(f *file) error {
		switch {
		case f.index(q.Name) >= 0:
			return ErrExists
		case len(f.Keys) >= limit.Keys:
			return ErrTooMany
		}
		f.Keys = append(f.Keys, stored{Key: made, Digest: hex.EncodeToString(digest[:])})
		slices.SortFunc(f.Keys, func(a, b stored) int { return strings.Compare(a.Name, b.Name) })
		return nil
	})
	if err != nil {
		return keys.Made{}, err
	}
	return keys.Made{Key: made, Secret: secret}, nil
}

// Revoke takes a key away. It is good for nothing from then on; what was begun with it
// goes on.
func (r *Ring) Revoke(ctx context.Context, name string) error {
	return r.change(ctx, func(f *file) error {
		i := f.index(name)
		if i < 0 {
			return ErrNotFound
		}
		f.Keys = slices.Delete(f.Keys, i, i+1)
		return nil
	})
}
