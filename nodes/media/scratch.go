package media

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

const scratchPrefix = "svc-media-"

// desk is the folder in which one process works. It is locked as long as somebody works
// there, so that the next start can tell what was left behind.
type desk struct {
	dir  string
	lock *flock.Flock
}

func newDesk(base string) (*desk, error) {
	d := &desk{dir: filepath.Join(base, scratchPrefix+rand.Text())}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		return nil, err
	}
	d.lock = flock.New(filepath.Join(d.dir, "lock"))
	if _, err := d.lock.TryLock(); err != nil {
		_ = os.RemoveAll(d.dir) // the first error is the one to tell
		return nil, err
	}
	return d, nil
}

// clear removes all that is there.
func (d *desk) clear() {
	_ = os.RemoveAll(d.dir) // what cannot be removed now is removed at the next start
	_ = d.lock.Close()
}

// sweep removes what processes left that are no more.
func sweep(base string) {
	left, _ := filepath.Glob(filepath.Join(base, scratchPrefix+"*")) // the pattern is well formed
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		lock := flock.New(filepath.Join(dir, "lock"))
		if ours, err := lock.TryLock(); err != nil || !ours {
			_ = lock.Close()
			continue
		}
		_ = os.RemoveAll(dir) // it may belong to another user
		_ = lock.Close()
	}
}
