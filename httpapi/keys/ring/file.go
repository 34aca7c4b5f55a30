package ring

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/httpapi/keys"
)

// file is the JSON of the file.
type file struct {
	Keys []stored `json:"keys"` // by name
}

// stored is the JSON of a key.
type stored struct {
	keys.Key

	Digest string `json:"digest"`        // SHA-256 of the secret, in hexadecimal
	Day    string `json:"day,omitempty"` // of BytesToday, such as 2026-11-22
}

func (f *file) index(name string) int {
	return slices.IndexFunc(f.Keys, func(k stored) bool { return k.Name == name })
}

// lockPoll is the interval at which a process checks whether another has released the lock.
const lockPoll = 2 * time.Millisecond

// change calls f with the content of the file and writes it back, while it holds the lock.
func (r *FileRing) change(ctx context.Context, f func(*file) error) error {
	if err := durable.MakeDir(filepath.Dir(r.path)); err != nil {
		return err
	}
	lock := flock.New(r.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("lock the keys: %w", err)
	}
	defer func() { _ = lock.Close() }() // closing releases the lock, so the error does not matter
	now, err := r.read()
	if err != nil {
		return err
	}
	if err := f(now); err != nil {
		return err
	}
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(r.path, append(text, '\n'), durable.Options{})
}

// read returns the content of the file, which need not exist.
func (r *FileRing) read() (*file, error) {
	text, err := os.ReadFile(r.path)
	f := new(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, r.path, err)
	}
	return f, nil
}

// look reads the file if it has been replaced, as every change does. The caller holds mu. If the
// file does not exist, there are no keys.
func (r *FileRing) look() error {
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.seen, r.held = nil, nil
		return nil
	case err != nil:
		return fmt.Errorf("read the keys: %w", err)
	case r.seen != nil && os.SameFile(info, r.seen) && info.ModTime().Equal(r.seen.ModTime()) && info.Size() == r.seen.Size():
		return nil
	}
	f, err := r.read()
	if err != nil {
		return err
	}
	held := make([]*fileKey, len(f.Keys))
	for i := range f.Keys {
		if held[i], err = r.hold(&f.Keys[i]); err != nil {
			return err
		}
	}
	r.seen, r.held = info, held
	return nil
}

// hold returns a key of the file and keeps the counts so far.
func (r *FileRing) hold(k *stored) (*fileKey, error) {
	h := &fileKey{ring: r}
	h.held = Held{k.Key, h}
	if n, err := hex.Decode(h.digest[:], []byte(k.Digest)); err != nil || n != len(h.digest) || hex.DecodedLen(len(k.Digest)) != n {
		return nil, fmt.Errorf("%w: %s: the digest of %q is none", ErrDamaged, r.path, k.Name)
	}
	i := slices.IndexFunc(r.held, func(before *fileKey) bool { return before.digest == h.digest })
	if i >= 0 {
		h.meter = r.held[i].meter
	} else {
		h.meter = newMeter(k.Budget)
	}
	h.meter.learn(k)
	return h, nil
}
