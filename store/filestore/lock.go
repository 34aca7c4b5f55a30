package filestore

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
)

// lockPoll is how often a process looks whether another has finished its change.
const lockPoll = 2 * time.Millisecond

// lock waits until no other goroutine and no other process changes files in the
// directory, which it makes if need be. A process that dies gives up its lock.
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
		_ = file.Unlock() // closing the file is enough, and cannot fail to matter
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
