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
	// Replace returns once text is the file of that name, on the disk; see
	// [durable.Replace].
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

func (OS) Open(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (OS) Remove(name string) error { return os.Remove(name) }
func (OS) SyncDir(dir string) error { return durable.SyncDir(dir) }

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

// tempName is the one name of a file that is being written. Whoever writes holds
// the lock, so a file of this name is a leftover of a crash and may be replaced.
const Temp = ".save.tmp"
