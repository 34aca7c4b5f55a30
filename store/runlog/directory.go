package runlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
)

// writeOwner writes into a lock file who holds the lock, for people. Where a locked file cannot
// be written to, as on Windows, or the disk is full, the file stays as it is: nothing
// depends on it.
func writeOwner(lock string) {
	host, _ := os.Hostname() // in containers process ids repeat
	_ = os.WriteFile(lock, fmt.Appendf(nil, "%d %s\n", os.Getpid(), host), 0o600)
}

// inUseError is [store.ErrRunsInUse] with the directory, and the process that has signed its lock.
func inUseError(dir, lock string) error {
	return fmt.Errorf("%w: %s has %s; stop it, or choose another data directory", store.ErrRunsInUse, describeOwner(lock), dir)
}

// describeOwner words who has signed a lock file.
func describeOwner(lock string) string {
	text, err := os.ReadFile(lock)
	pid, host, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if _, malformed := strconv.ParseUint(pid, 10, 32); err != nil || malformed != nil {
		return "a process that did not say which it is"
	}
	if here, _ := os.Hostname(); host == "" || host == here {
		return "process " + pid
	}
	return fmt.Sprintf("process %s on %q", pid, host)
}

// checkName is a file that is there while [Store.Check] runs.
const checkName = ".check"

// Check says why no journal could be written at the moment, or nil: it writes a
// small file and removes it. It does not wait for the disk.
func (s *Store) Check(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return fmt.Errorf("write to the runs: %w", err)
	}
	return nil
}

func (s *Store) check(ctx context.Context) error {
	s.checking.Lock()
	defer s.checking.Unlock()
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	path := filepath.Join(s.dir, checkName)
	f, err := s.disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("ready\n"), 0)
	return errors.Join(err, f.Close(), s.disk.Remove(path))
}

// isDiskFull reports whether err is about a disk, or somebody's share of it, that is
// full.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// ballast is a file that is there to be cut shorter: when the disk is full, what
// has to be written gets its room. It may be used by several goroutines.
type ballast struct {
	disk vfs.FS
	path string

	mu   sync.Mutex
	full bool      // nothing has been taken since it was filled
	next time.Time // when to try again to fill it
}

const (
	ballastName = ".ballast"
	ballastSize = 1 << 20
	ballastStep = ballastSize / 16 // enough for the end of most runs
	// ballastPause is between attempts to fill it. Each has all the room that is
	// left for a moment.
	ballastPause = time.Minute
)

// fill brings the file to its size. If there is no room for that, it stays as it
// is until the next attempt.
func (b *ballast) fill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full || time.Now().Before(b.next) {
		return
	}
	b.next = time.Now().Add(ballastPause)
	f, err := b.disk.Open(b.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return
	}
	b.full = fillUp(f) == nil
	_ = f.Close() // it was synced, or does not matter
}

func fillUp(f vfs.File) error {
	size, err := f.Size()
	if err != nil || size >= ballastSize {
		return err
	}
	text := make([]byte, ballastSize-size)
	for i := range text {
		text[i] = byte(i*i>>8) | 1 // not zeros, which some file systems do not store
	}
	if _, err = f.WriteAt(text, size); err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(size))
	}
	return err
}

// whileIdle does write while nothing is put into the file, which may have taken
// the last room for a moment.
func (b *ballast) whileIdle(write func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return write()
}

// release makes some room, and reports whether it could.
func (b *ballast) release() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = false
	f, err := b.disk.Open(b.path, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // there is nothing to be lost
	size, err := f.Size()
	return err == nil && size > 0 && f.Truncate(max(0, size-ballastStep)) == nil
}
