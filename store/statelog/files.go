// Package statelog keeps the state of workflows: small values by key that outlive runs, in a file or in memory.
package statelog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
)

// Store stores state in a directory, in a log of JSON lines that is rewritten when most of it is
// outdated; see [stateLog]. Several processes may use one directory. Within a process, concurrent
// callers share syncs.
type Store struct {
	log   stateLog
	group stateGroup
}

// pollLock is the interval at which a process checks whether another has released the lock.
const pollLock = 2 * time.Millisecond

// shrinkFrom is the size from which on the log is rewritten when less than a quarter of it is live.
const shrinkFrom = 1 << 20

// Open returns the store of the state in dir, which need not exist.
func Open(dir string) *Store { return openState(dir, vfs.OS{}) }

// openState is [Open] with a given file system.
func openState(dir string, d vfs.FS) *Store {
	return &Store{log: stateLog{disk: d, dir: dir, from: shrinkFrom}, group: stateGroup{lead: make(chan struct{}, 1)}}
}

// State implements [store.StateStore].
func (s *Store) State(ctx context.Context, key store.StateKey) (v store.StateValue, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) {
		v = t.value(key, now)
		return nil, nil
	})
	return v, err
}

// States implements [store.StateStore].
func (s *Store) States(ctx context.Context, workflowID, after string, maxBytes int) (page []store.KeyedState, more bool, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) {
		page, more = t.page(workflowID, after, maxBytes, now)
		return nil, nil
	})
	return page, more, err
}

// ChangeState implements [store.StateStore].
func (s *Store) ChangeState(ctx context.Context, key store.StateKey, change func(now store.StateValue) (store.StateValue, error)) (v store.StateValue, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) (lines []*stateLine, err error) {
		v, lines, err = changeState(t, key, change, now)
		return lines, err
	})
	return v, err
}

// Lend implements [store.StateStore].
func (s *Store) Lend(ctx context.Context, key store.StateKey, l store.Lent) (isNew []bool, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) (lines []*stateLine, err error) {
		isNew, lines, err = lendItems(t, key, l, now)
		return lines, err
	})
	return isNew, err
}

// Settle implements [store.StateStore].
func (s *Store) Settle(ctx context.Context, holder string, seen bool) error {
	return s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) { return t.settle(holder, seen, now), nil })
}

// Relend implements [store.StateStore].
func (s *Store) Relend(ctx context.Context, holder string) error {
	return s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) { return t.relend(holder, now), nil })
}

// ForgetState implements [store.StateStore].
func (s *Store) ForgetState(ctx context.Context, workflowID string) error {
	file, err := s.log.disk.Open(s.log.path(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return ctx.Err() // there is no state, and no file should be created
	}
	if err == nil {
		_ = file.Close() // nothing was written
	}
	return s.with(ctx, func(t *stateTable, _ time.Time) ([]*stateLine, error) { return forgetState(t, workflowID), nil })
}

// with calls do and writes the changes it returns, in one order with all other changes. The leader
// of the group calls do, possibly several times.
func (s *Store) with(ctx context.Context, do stateDo) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := &stateAsk{do: do, done: make(chan struct{})}
	s.group.join(a)
	defer s.group.crowd.Leave()
	select {
	case <-a.done:
	case s.group.lead <- struct{}{}:
		if err := s.lead(ctx, a); err != nil && s.group.withdraw(a) {
			return err
		}
	case <-ctx.Done():
		if s.group.withdraw(a) {
			return ctx.Err()
		}
	}
	<-a.done // another goroutine has begun with it and will answer
	if a.panicked != nil {
		panic(a.panicked)
	}
	return a.err
}

// lead answers waiting goroutines until a is answered, while it holds the lock of the directory.
// Then another goroutine may lead.
func (s *Store) lead(ctx context.Context, a *stateAsk) error {
	defer func() { <-s.group.lead }()
	if a.answered() {
		return nil
	}
	if err := durable.MakeDir(s.log.dir); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(s.log.dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, pollLock); err != nil {
		return fmt.Errorf("lock the state: %w", err)
	}
	defer func() { _ = lock.Unlock() }() // closing the file releases the lock, so the error does not matter
	s.group.crowd.Gather()
	for !a.answered() {
		s.round()
	}
	return nil
}

// round answers some of the waiting goroutines with a single sync.
func (s *Store) round() {
	var asks []*stateAsk
	batch := stateBatch{}
	file, unread := s.log.open()
	for a := s.group.next(); a != nil; a = s.group.next() {
		if asks = append(asks, a); unread != nil {
			a.err = unread
			continue
		}
		if a.ask(s.log.table, &batch); len(batch.text) >= stateBatchSize {
			break
		}
	}
	var err error
	if unread == nil {
		err = s.log.append(file, &batch)
		_ = file.Close() // its content was synced
	}
	s.group.answer(asks, err)
	s.log.shrink()
}

var _ store.StateStore = (*Store)(nil)
