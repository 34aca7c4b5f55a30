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

// FileRing stores the keys of a data directory. The file contains digests of keys, never secrets,
// and is created with the first key. All processes that open it see changes of keys immediately;
// requests and runs are counted per process. It is safe for concurrent use.
type FileRing struct {
	path string

	mu    sync.Mutex
	seen  os.FileInfo // the file when it was read; nil if it did not exist
	held  []*fileKey
	saver *time.Timer // runs while there is unsaved use

	saving sync.Mutex // held by Save
	closed atomic.Bool
}

// Open returns the keys of a data directory. Callers must close it.
func Open(dataDir string) *FileRing {
	r := &FileRing{path: filepath.Join(dataDir, File)}
	r.saver = time.AfterFunc(saveEvery, r.saveLater)
	r.saver.Stop()
	return r
}

// saveLater is Save for the timer. If it fails, the next use tries again.
func (r *FileRing) saveLater() { _ = r.Save(context.Background()) }

// Close saves the use of keys. Later use is only written by Save.
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

// Revoke implements [Ring]. It takes effect at once.
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
