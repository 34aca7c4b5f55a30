// Package vfs is the file system as the logs on disk use it, so that tests can inject faults and power
// losses.
package vfs

import (
	"io"
	"os"

	"github.com/svcflow/svc/engine/durable"
)

// FS is the file system as the run log and the state log use it. Tests replace it to inject faults
// and power losses.
type FS interface {
	Open(name string, flag int) (File, error)
	Remove(name string) error
	// Replace atomically writes text to a file and syncs it; see [durable.Replace].
	Replace(name string, text []byte) error
	SyncDir(dir string) error
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	Allocate(size int64) error
	Sync() error
}

// OS is the file system of the operating system.
type OS struct{}

type osFile struct{ *os.File }

// Open implements [FS].
func (OS) Open(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Remove implements [FS].
func (OS) Remove(name string) error { return os.Remove(name) }

// SyncDir implements [FS].
func (OS) SyncDir(dir string) error { return durable.SyncDir(dir) }

// Replace implements [FS].
func (OS) Replace(name string, text []byte) error {
	return durable.Replace(name, text, durable.Options{Temp: Temp})
}

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Temp is the name of a file that is being written. The writer holds the lock, so an existing file
// of this name is left from a crash and may be overwritten.
const Temp = ".save.tmp"
