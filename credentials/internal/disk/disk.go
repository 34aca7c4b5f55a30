// Package disk writes credentials to files: atomically, readable only by their owner, and
// by one process at a time.
package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
)

// Replace returns once text is the file at path, on the disk, with mode 0600. At
// any moment the file is complete, with the old text or the new one. Callers must hold
// a lock that covers path.
func Replace(path string, text []byte) error {
	return durable.Replace(path, text, durable.Options{Temp: filepath.Base(path) + ".tmp"})
}

// lockPoll is how often a process looks whether another has given up a lock.
const lockPoll = 5 * time.Millisecond

// Lock acquires the lock file at path, which excludes all callers in this process and
// others. It creates the file and its directory if needed. The system frees the lock of a
// process that dies. The file stays. Errors are ctx's and the file system's.
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
