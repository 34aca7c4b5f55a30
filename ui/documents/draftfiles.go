package documents

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// page is the content of a draft file.
type page struct {
	Origin     Origin          `json:"origin"`
	Name       string          `json:"name"`
	SavedAt    time.Time       `json:"savedAt"`
	Definition json.RawMessage `json:"definition"`
}

func readPage(path string) (p page, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// filesOf returns the names of a draft's files.
type filesOf struct{ dir, id string }

const (
	textEnd = ".json"
	lockEnd = ".lock"
	tempEnd = ".tmp"
)

func (f filesOf) text() string { return filepath.Join(f.dir, f.id+textEnd) }
func (f filesOf) temp() string { return filepath.Join(f.dir, f.id+tempEnd) }
func (f filesOf) key() string  { return filepath.Join(f.dir, f.id+lockEnd) }

// busy reports whether a window holds the draft. It creates no file and may be called
// concurrently.
func (f filesOf) busy() bool {
	probe := flock.New(f.key(), flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	_ = probe.Close() // it was only a probe
	return !free && !errors.Is(err, fs.ErrNotExist)
}

// lock locks the draft, or returns ErrTaken. It retries, because a probe may hold the lock
// for a moment.
func (f filesOf) lock() (*flock.Flock, error) {
	lock := flock.New(f.key(), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, 5*time.Millisecond)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, ErrTaken
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrTaken
	}
	return lock, nil
}

// remove deletes all files, the text first: without its text, a draft does not exist.
func (f filesOf) remove(lock *flock.Flock) error {
	err := errors.Join(remove(f.text()), remove(f.temp()), lock.Close())
	return errors.Join(err, remove(f.key()))
}

// remove is os.Remove, but ignores missing files.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
