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

// writeOwner writes the process id and the host into the lock file, for error messages. It ignores
// errors: Windows does not allow writing to a locked file, the disk may be full, and nothing
// depends on the content.
func writeOwner(lock string) {
	host, _ := os.Hostname() // process ids of containers are not unique
	_ = os.WriteFile(lock, fmt.Appendf(nil, "%d %s\n", os.Getpid(), host), 0o600)
}

// inUseError wraps [store.ErrRunsInUse] and names the directory and the process that holds the
// lock.
func inUseError(dir, lock string) error {
	return fmt.Errorf("%w: %s has %s; stop it, or choose another data directory", store.ErrRunsInUse, describeOwner(lock), dir)
}

// describeOwner describes the process that wrote the lock file.
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

// checkName is a file that exists while [Store.Check] runs.
const checkName = ".check"

// Check returns an error if the directory cannot be written to: it writes a small file and removes
// it, without a sync.
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

// isDiskFull reports whether err is about a full disk or an exhausted quota.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// ballast is a file that reserves disk space. When the disk is full, it is truncated step by step
// to make room for last frames and for deleting runs. It is safe for concurrent use.
type ballast struct {
	disk vfs.FS
	path string

	mu   sync.Mutex
	full bool      // nothing was released since the file was filled
	next time.Time // earliest time of the next attempt to fill the file
}

const (
	ballastName = ".ballast"
	ballastSize = 1 << 20
	ballastStep = ballastSize / 16 // enough for the last lines of most runs
	// The last quarter is for deleting runs only, in small steps: on a full disk that others go on
	// using, ends of runs would take all of it, and nobody could make room.
	deleteReserve = ballastSize / 4
	deleteStep    = 4 << 10
	// ballastPause is the time between attempts to fill the file. Each attempt may take all free
	// space for a moment.
	ballastPause = time.Minute
)

// fill extends the file to its full size. If there is no space, the file keeps its size until the
// next attempt.
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
	_ = f.Close() // either it was synced, or its content does not matter
}

func fillUp(f vfs.File) error {
	size, err := f.Size()
	if err != nil || size >= ballastSize {
		return err
	}
	text := make([]byte, ballastSize-size)
	for i := range text {
		text[i] = byte(i*i>>8) | 1 // not zeros: some file systems store those as holes
	}
	if _, err = f.WriteAt(text, size); err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(size))
	}
	return err
}

// whileIdle calls write while no fill is under way. A fill may occupy the last free space for a
// moment.
func (b *ballast) whileIdle(write func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return write()
}

// release truncates the file by one step, but not below the size keep. It reports whether it could.
func (b *ballast) release(step, keep int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = false
	f, err := b.disk.Open(b.path, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	size, err := f.Size()
	return err == nil && size > keep && f.Truncate(max(keep, size-step)) == nil
}
