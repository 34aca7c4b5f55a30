package vfstest

import (
	"os"

	"github.com/svcflow/svc/store/internal/vfs"
)

// Hasty is a file system whose Sync and Allocate do nothing.
type Hasty struct{ vfs.OS }

type hastyFile struct{ vfs.File }

// Open implements [vfs.FS].
func (d Hasty) Open(name string, flag int) (vfs.File, error) {
	f, err := d.OS.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return hastyFile{f}, nil
}

// SyncDir implements [vfs.FS].
func (Hasty) SyncDir(string) error { return nil }

// Replace implements [vfs.FS].
func (Hasty) Replace(name string, text []byte) error { return os.WriteFile(name, text, 0o600) }
func (hastyFile) Sync() error                        { return nil }
func (hastyFile) Allocate(int64) error               { return nil }
