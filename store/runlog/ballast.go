package runlog

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/svcflow/svc/store/internal/vfs"
)

// noRoom reports whether err is about a disk, or somebody's share of it, that is
// full.
func noRoom(err error) bool {
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

// undisturbed does write while nothing is put into the file, which may have taken
// the last room for a moment.
func (b *ballast) undisturbed(write func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return write()
}

// give makes some room, and reports whether it could.
func (b *ballast) give() bool {
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
