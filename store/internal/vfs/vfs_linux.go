package vfs

import (
	"os"
	"syscall"
)

// Sync puts the content of a file on the disk, without the times that it has.
func (f osFile) Sync() error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err == syscall.EINTR {
			continue
		}
		return os.NewSyscallError("fdatasync", err)
	}
}

// Allocate takes the room that a file is going to need, so that writing into it changes
// nothing but its content.
func (f osFile) Allocate(size int64) error {
	return os.NewSyscallError("fallocate", syscall.Fallocate(int(f.Fd()), 0, 0, size))
}
