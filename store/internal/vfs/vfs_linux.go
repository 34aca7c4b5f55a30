package vfs

import (
	"os"
	"syscall"
)

// Sync syncs the content of a file, but not its times.
func (f osFile) Sync() error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err == syscall.EINTR {
			continue
		}
		return os.NewSyscallError("fdatasync", err)
	}
}

// Allocate reserves disk space, so that later writes change only the content and need no metadata
// sync.
func (f osFile) Allocate(size int64) error {
	return os.NewSyscallError("fallocate", syscall.Fallocate(int(f.Fd()), 0, 0, size))
}
