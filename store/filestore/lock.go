package filestore

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
)

// lockPoll is the interval at which a process checks whether another has released the lock.
const lockPoll = 2 * time.Millisecond

// lock waits until no other goroutine or process changes files in the directory, which it creates
// if necessary. If a process dies, the system releases its lock.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	file, err := s.lockFile(ctx)
	if err != nil {
		s.turn.Release(1)
		return nil, err
	}
	return func() {
		_ = file.Unlock() // closing the file releases the lock, so the error does not matter
		s.turn.Release(1)
	}, nil
}

func (s *Store) lockFile(ctx context.Context) (*flock.Flock, error) {
	if err := durable.MakeDir(s.dir); err != nil {
		return nil, err
	}
	file := flock.New(filepath.Join(s.dir, ".lock"))
	if _, err := file.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock the workflows: %w", err)
	}
	return file, nil
}
