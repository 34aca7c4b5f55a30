// Package disk is how credentials get into files: whole or not at all, for nobody
// but their owner to read, and one process at a time.
package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// Replace returns once text is the file at path, on the disk, with mode 0600. At
// any moment the file is complete, with the old text or the new one. Whoever calls
// it holds a lock that covers path.
func Replace(path string, text []byte) error {
	temp := path + ".tmp" // the one name for it: a file of this name is the leftover of a crash
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in dir survive a loss of power. Windows has no such
// thing and needs none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockPoll is how often a process looks whether another has given up a lock.
const lockPoll = 5 * time.Millisecond

// Lock waits until nobody else, in this process or another, holds the lock file at
// path, which it makes with its directory if need be. The system frees the lock of
// a process that dies. The file stays. Errors are ctx's and the file system's.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil // closing frees it, and cannot fail to matter
}
