package ring

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
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

// FileRing is the keys of a data directory. The file has digests of keys, never keys, and is
// there once there is a key. All who open it, in whatever process, see the same keys at every
// moment; requests and runs are counted by each of them. It is safe for concurrent use. It is safe for concurrent use.
type FileRing struct {
	path string

	mu    sync.Mutex
	seen  os.FileInfo // the file as it was read; nil if there was none
	held  []*fileKey
	saver *time.Timer // set while uses are to be written

	saving sync.Mutex // held by Save
	closed atomic.Bool
}

// Open returns the keys in a data directory. Callers must close it.
func Open(dataDir string) *FileRing {
	r := &FileRing{path: filepath.Join(dataDir, File)}
	r.saver = time.AfterFunc(saveEvery, r.saveLater)
	r.saver.Stop()
	return r
}

// saveLater is Save for the timer. If it fails, the next use tries again.
func (r *FileRing) saveLater() { _ = r.Save(context.Background()) }

// Close writes down how keys were used. From then on only Save does.
func (r *FileRing) Close(ctx context.Context) error {
	r.closed.Store(true)
	return r.Save(ctx)
}

// fileKey is a key of the file.
type fileKey struct {
	held   Held
	digest [sha256.Size]byte
	meter  *meter
	ring   *FileRing
}

func (h *fileKey) budget() *keys.Budget { return &h.held.Budget }

// Find implements [Ring].
func (r *FileRing) Find(secret string) (*Held, error) {
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
			found = &h.held
		}
	}
	return found, nil
}

// List implements [Ring].
func (r *FileRing) List(context.Context) ([]keys.Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.look(); err != nil {
		return nil, err
	}
	list := make([]keys.Key, len(r.held))
	for i, h := range r.held {
		list[i] = h.meter.describe(h.held.Key, time.Now())
	}
	return list, nil
}

// Make implements [Ring].
func (r *FileRing) Make(ctx context.Context, q keys.Request) (keys.Made, error) {
	made, digest := newKey(q)
	err := r.change(ctx, func(f *file) error {
		switch {
		case f.index(q.Name) >= 0:
			return ErrExists
		case len(f.Keys) >= limit.Keys:
			return ErrTooMany
		}
		f.Keys = append(f.Keys, stored{Key: made.Key, Digest: hex.EncodeToString(digest[:])})
		slices.SortFunc(f.Keys, func(a, b stored) int { return strings.Compare(a.Name, b.Name) })
		return nil
	})
	if err != nil {
		return keys.Made{}, err
	}
	return made, nil
}

// Revoke implements [Ring]. The key is good for nothing from then on.
func (r *FileRing) Revoke(ctx context.Context, name string) error {
	return r.change(ctx, func(f *file) error {
		i := f.index(name)
		if i < 0 {
			return ErrNotFound
		}
		f.Keys = slices.Delete(f.Keys, i, i+1)
		return nil
	})
}
